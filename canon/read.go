package canon

import (
	"math"
	"slices"

	"github.com/algal-vm/algal"
)

// The readers of canonical.md §5. They refuse with code PARSE_FAILED and the
// wire texts given there; what is the caller's path to the value.

// AsObject admits an object.
func AsObject(v Value, what string) error {
	if !v.Is(KindObject) {
		return algal.Errorf(algal.ParseFailed, "%s must be an object", what)
	}
	return nil
}

// AsArray admits an array.
func AsArray(v Value, what string) error {
	if !v.Is(KindArray) {
		return algal.Errorf(algal.ParseFailed, "%s must be an array", what)
	}
	return nil
}

// AsString admits a string of at most maxLen UTF-16 units.
func AsString(v Value, what string, maxLen int) (string, error) {
	if v.Is(KindString) {
		// No string has more units than bytes.
		if s := v.n.text; len(s) <= maxLen || Units(s) <= maxLen {
			return s, nil
		}
	}
	return "", algal.Errorf(algal.ParseFailed, "%s must be a string of at most %d characters", what, maxLen)
}

// AsInt admits a number of integral value in [lo, hi]; 1.0 is fine.
func AsInt(v Value, what string, lo, hi int) (int, error) {
	if v.Is(KindNumber) {
		f := v.n.number
		if f == math.Trunc(f) && f >= float64(lo) && f <= float64(hi) {
			return int(f), nil
		}
	}
	return 0, algal.Errorf(algal.ParseFailed, "%s must be an integer in [%d, %d]", what, lo, hi)
}

// AsBool admits a boolean.
func AsBool(v Value, what string) (bool, error) {
	if !v.Is(KindBool) {
		return false, algal.Errorf(algal.ParseFailed, "%s must be a boolean", what)
	}
	return v.Bool(), nil
}

// MaxID is the length of a safe id in characters.
const MaxID = 64

// AsSafeID admits a lowercase kebab-case id of 1 to 64 characters.
func AsSafeID(v Value, what string) (string, error) {
	s, err := AsString(v, what, MaxID)
	if err != nil {
		return "", err
	}
	return s, CheckSafeID(s, what)
}

// CheckSafeID is [AsSafeID] for a key or an argument.
func CheckSafeID(s, what string) error {
	if len(s) > MaxID && Units(s) > MaxID {
		return algal.Errorf(algal.ParseFailed, "%s must be a string of at most %d characters", what, MaxID)
	}
	if !IsKebab(s) {
		return algal.Errorf(algal.ParseFailed, "%s must be a lowercase kebab-case id", what)
	}
	return nil
}

// IsKebab reports whether s matches ^[a-z][a-z0-9-]*$.
func IsKebab(s string) bool {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := 1; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// AsDigest admits a digest token.
func AsDigest(v Value, what string) (algal.Digest, error) {
	return algal.ParseDigest(v.Text(), what)
}

// Require returns the member key of an object; null counts as present.
func Require(v Value, what, key string) (Value, error) {
	m := v.Get(key)
	if !m.Exists() {
		return Value{}, algal.Errorf(algal.ParseFailed, "%s requires %q", what, key)
	}
	return m, nil
}

// NoUnknownKeys refuses an object with a member outside allowed, naming the
// first in member order. The key stands in the text as it is, unescaped.
func NoUnknownKeys(v Value, what string, allowed ...string) error {
	for key := range v.Members() {
		if !slices.Contains(allowed, key) {
			return algal.Errorf(algal.ParseFailed, `%s has unknown key "%s"`, what, key)
		}
	}
	return nil
}
