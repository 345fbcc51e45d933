package chat

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// secret is the key. However it is printed, it prints as "withheld".
type secret string

// Format writes "withheld" for every verb.
func (secret) Format(f fmt.State, _ rune) { io.WriteString(f, "withheld") }

// MarshalText gives "withheld" to encoders.
func (secret) MarshalText() ([]byte, error) { return []byte("withheld"), nil }

const (
	maxKey = 8_192 // bytes
	// leakKey is the length from which a key is looked for in answers: shorter ones
	// may stand there by chance.
	leakKey = 16
)

// readKey reads the key at the time of an attempt. Without a variable there is
// none, and that is no fault.
func readKey(variable string) (secret, *failure) {
	if variable == "" {
		return "", nil
	}
	key, there := os.LookupEnv(variable)
	text := ""
	switch {
	case !there:
		text = "provider credential environment variable is not configured"
	case key == "" || len(key) > maxKey || !isVisible(key):
		text = "invalid provider credential configuration"
	default:
		return secret(key), nil
	}
	return "", &failure{err: &algal.Error{Code: algal.EffectUnbound, Message: text}, final: true}
}

// in reports whether the key stands in a text.
func (s secret) in(text string) bool {
	return len(s) >= leakKey && strings.Contains(text, string(s))
}

// inStrings reports whether the key stands in a string or member name of a value,
// however it was escaped.
func (s secret) inStrings(v canon.Value) bool {
	if len(s) < leakKey {
		return false
	}
	switch v.Kind() {
	case canon.KindString:
		return s.in(v.Text())
	case canon.KindArray:
		for _, e := range v.Elements() {
			if s.inStrings(e) {
				return true
			}
		}
	case canon.KindObject:
		for key, m := range v.Members() {
			if s.in(key) || s.inStrings(m) {
				return true
			}
		}
	}
	return false
}
