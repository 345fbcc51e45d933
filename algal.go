// Package algal holds the vocabulary that every other package of the module
// speaks: digest tokens, the closed list of error codes, and the one error type.
//
// ALGAL runs bounded typed programs as durable named processes over a store of
// immutable objects. Every object is named by the SHA-256 of its canonical JSON
// text, and every failure that crosses a border is a [Code] and a sentence. The
// packages that do the work live beside this one: canon reads and writes
// values, runtime executes programs, verify checks exported evidence.
//
// The forms follow canonical.md §4 (digests) and §7 (errors) of the contract.
// The package computes nothing: hashing is canon's.
package algal

import "encoding/hex"

// Digest is a digest token: "sha256:" and 64 lowercase hexadecimal digits. The
// zero value is no digest; a Digest obtained from [ParseDigest] or from canon
// always has the full form.
type Digest string

// digestPrefix names the only hash function of the contract.
const digestPrefix = "sha256:"

// DigestLen is the length of a digest token in bytes.
const DigestLen = len(digestPrefix) + 64

// ParseDigest admits text as a digest token. The error has code PARSE_FAILED
// and the wire text of canonical.md §4, with what naming the place.
func ParseDigest(text, what string) (Digest, error) {
	if !IsDigest(text) {
		return "", Errorf(ParseFailed, "%s must be a sha256:<64 lowercase hex> digest", what)
	}
	return Digest(text), nil
}

// IsDigest reports whether text has the form of a digest token.
func IsDigest(text string) bool {
	if len(text) != DigestLen || text[:len(digestPrefix)] != digestPrefix {
		return false
	}
	for i := len(digestPrefix); i < len(text); i++ {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// DigestOf returns the token of a SHA-256 sum.
func DigestOf(sum [32]byte) Digest {
	var b [DigestLen]byte
	copy(b[:], digestPrefix)
	hex.Encode(b[len(digestPrefix):], sum[:])
	return Digest(b[:])
}

// Hex returns the 64 hexadecimal digits, the part that names files.
func (d Digest) Hex() string { return string(d[len(digestPrefix):]) }
