package organism

import (
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// format is a named form of a whole string (§5.3).
type format struct {
	name  string
	match func(string) bool
}

var formats = map[string]*format{
	"digest": {"digest", algal.IsDigest},
	"name":   {"name", isName},
	"slug":   {"slug", isSlug},
	"uri":    {"uri", isURI},
}

// Bounds of the formats. All their characters are ASCII, so bytes count.
const (
	maxSlug = 128
	maxURI  = 2_048
)

// isName matches a safe id.
func isName(s string) bool { return len(s) <= canon.MaxID && canon.IsKebab(s) }

// isSlug matches ^[a-z0-9]+(-[a-z0-9]+)*$.
func isSlug(s string) bool {
	if len(s) > maxSlug {
		return false
	}
	hyphen := true // one may not follow here
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			hyphen = false
		case c == '-' && !hyphen:
			hyphen = true
		default:
			return false
		}
	}
	return !hyphen
}

// isURI matches a scheme, a colon and one or more characters that a URI may hold.
// The first colon ends the scheme.
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || len(s) > maxURI || scheme == "" || rest == "" || !isLetter(scheme[0]) {
		return false
	}
	return onlyOf(scheme, "+.-") && onlyOf(rest, "-._~!$&'()*+,;=:@/?#[]%")
}

// onlyOf reports whether s holds nothing but ASCII letters, digits and marks.
func onlyOf(s, marks string) bool {
	for i := range len(s) {
		c := s[i]
		if !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte(marks, c) < 0 {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
