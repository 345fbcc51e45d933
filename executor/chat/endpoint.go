package chat

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/algal-vm/algal"
)

const maxURL = 2_048 // bytes

// parseEndpoint admits a base URL and returns the URL that requests go to (§2).
// The grammar is narrower than that of browsers, so that no two readers of a URL
// can see different hosts in it.
func parseEndpoint(base string) (*url.URL, error) {
	u, ok := splitURL(base)
	if !ok || !isHost(u.host) || !isPort(u.port) || hasDotSegment(u.path) {
		return nil, invalidURL()
	}
	if u.scheme != "https" && !(u.scheme == "http" && isLoopback(u.host)) || u.more {
		return nil, algal.Errorf(algal.ParseFailed, "provider URL must be HTTPS or loopback HTTP, without credentials, query, or fragment")
	}
	endpoint, err := url.Parse(u.scheme + "://" + u.host + u.port + strings.TrimRight(u.path, "/") + "/chat/completions")
	if err != nil {
		return nil, invalidURL()
	}
	return endpoint, nil
}

func invalidURL() error { return algal.Errorf(algal.ParseFailed, "invalid provider base URL") }

// parts are those of a URL. scheme and host are in lower case; port begins with
// its colon or is empty; more tells of user information, a query or a fragment,
// empty ones included.
type parts struct {
	scheme, host, port, path string
	more                     bool
}

func splitURL(s string) (parts, bool) {
	if len(s) > maxURL || !isVisible(s) || strings.Contains(s, `\`) || !escapesWellFormed(s) {
		return parts{}, false
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || !isScheme(scheme) {
		return parts{}, false
	}
	u := parts{scheme: strings.ToLower(scheme)}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest, u.more = rest[:i], true
	}
	authority := rest
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		authority, u.path = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority, u.more = authority[i+1:], true
	}
	u.host = strings.ToLower(authority)
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		u.host, u.port = u.host[:i], authority[i:]
	}
	return u, true
}

// isVisible reports whether s is made of visible ASCII characters only.
func isVisible(s string) bool {
	for _, c := range []byte(s) {
		if c < 0x21 || c > 0x7E {
			return false
		}
	}
	return true
}

func escapesWellFormed(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		if !isLetter(c) && (i == 0 || !isDigit(c) && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}

func isLoopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "[::1]"
}

// isHost admits an ASCII name, four decimal IPv4 parts, or a bracketed IPv6
// address without zone.
func isHost(s string) bool {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		a, err := netip.ParseAddr(inner)
		return ok && err == nil && a.Is6() && a.Zone() == ""
	}
	labels := strings.Split(s, ".")
	if len(s) > 253 || slices.ContainsFunc(labels, func(l string) bool { return !isLabel(l) }) {
		return false
	}
	// Browsers read a name that ends in a number as an IPv4 address in some notation.
	if last := labels[len(labels)-1]; isNumber(last) {
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is4()
	}
	return true
}

func isLabel(s string) bool {
	for _, c := range []byte(s) {
		if !isLetter(c) && !isDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 63
}

// isNumber reports a decimal or hexadecimal number; s is in lower case.
func isNumber(s string) bool {
	if rest, ok := strings.CutPrefix(s, "0x"); ok {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return strings.Trim(s, "0123456789") == ""
}

func isPort(s string) bool {
	if s == "" {
		return true
	}
	n, err := strconv.ParseUint(s[1:], 10, 16)
	return err == nil && n > 0 && s[1] != '0'
}

// hasDotSegment reports a segment . or .., plain or escaped.
func hasDotSegment(path string) bool {
	dots := strings.NewReplacer("%2e", ".", "%2E", ".")
	for segment := range strings.SplitSeq(path, "/") {
		if s := dots.Replace(segment); s == "." || s == ".." {
			return true
		}
	}
	return false
}
