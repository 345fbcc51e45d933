package organism

import (
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Handle is a parsed capability handle (§13): an identifier, neither a secret nor
// an authority by itself.
type Handle struct {
	Class  string
	Digest algal.Digest // of the descriptor that the handle was minted for
}

// String returns the handle as it stands in values: cap:CLASS:DIGEST.
func (h Handle) String() string { return handlePrefix + h.Class + ":" + string(h.Digest) }

const handlePrefix = "cap:"

// ParseHandle admits a capability handle; class "" admits any. what is the
// caller's path, "capability handle" where there is none. Faults have code
// TYPE_MISMATCH.
func ParseHandle(v canon.Value, class, what string) (Handle, error) {
	if !v.Is(canon.KindString) {
		return Handle{}, algal.Errorf(algal.TypeMismatch, "%s must be an opaque capability handle", what)
	}
	h, ok := splitHandle(v.Text())
	if !ok {
		return Handle{}, algal.Errorf(algal.TypeMismatch, "%s is not a valid capability handle", what)
	}
	if class != "" && h.Class != class {
		return Handle{}, algal.Errorf(algal.TypeMismatch, "%s carries %s, expected %s", what, h.Class, class)
	}
	return h, nil
}

func splitHandle(s string) (Handle, bool) {
	rest, ok := strings.CutPrefix(s, handlePrefix)
	if !ok {
		return Handle{}, false
	}
	class, digest, ok := strings.Cut(rest, ":")
	if !ok || len(class) > canon.MaxID || !canon.IsKebab(class) || !algal.IsDigest(digest) {
		return Handle{}, false
	}
	return Handle{class, algal.Digest(digest)}, true
}

// MintHandle returns the handle of a descriptor. Only a bad class is refused,
// with code PARSE_FAILED.
func MintHandle(class string, descriptor canon.Value) (string, error) {
	if err := canon.CheckSafeID(class, "capability class"); err != nil {
		return "", err
	}
	return Handle{class, descriptor.Digest()}.String(), nil
}

// maxWake bounds a list of wake handles.
const maxWake = 16

// ParseWake admits a list of wake handles (§13.4): 1 to 16 distinct handles of
// any class, whose order is kept.
func ParseWake(v canon.Value) ([]string, error) {
	if !v.Is(canon.KindArray) || v.Len() < 1 || v.Len() > maxWake {
		return nil, algal.Errorf(algal.ParseFailed, "wake capabilities must contain 1..%d handles", maxWake)
	}
	handles := make([]string, 0, v.Len())
	for i, e := range v.Elements() {
		if _, err := ParseHandle(e, "", index("wake capabilities", i)); err != nil {
			return nil, err
		}
		handles = append(handles, e.Text())
	}
	if !distinct(handles) {
		return nil, algal.Errorf(algal.ParseFailed, "wake capabilities must be unique")
	}
	return handles, nil
}
