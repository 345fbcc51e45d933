// Package passive tells for tests whether a page is passive: that it runs nothing,
// loads nothing and sends nothing, whatever was put into it (demo.md §4.6), and that
// a browser reads it as it was meant.
//
// A page must be well-formed XML and at the same time mean the same as HTML, so
// that what is checked here is what a browser sees. Elements and attributes are held
// to lists of what pages use: a page with a new one is refused until it is admitted
// here. Whether a page is right, or pleasant, is for others to say.
package passive

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/algal-vm/algal/report/page"
)

// elements are those that pages use. None of them acts.
var elements = strings.Fields(`html head meta title style body
	header main nav section footer h1 h2 h3 h4 h5 h6 p div ul ol li dl dt dd pre blockquote figure figcaption
	table caption thead tbody tr th td details summary
	a b i em strong small code kbd samp bdi span time br hr wbr
	svg desc defs g path rect line polyline polygon circle ellipse text tspan marker`)

// void are the elements of HTML that have no end. No other may be closed at once.
var void = strings.Fields("meta br hr wbr")

// blocks end a paragraph where they begin, whatever the page says.
var blocks = strings.Fields(`header main nav section footer h1 h2 h3 h4 h5 h6 p div ul ol dl pre blockquote figure
	figcaption table details hr`)

// attributes are those that pages use. None of them holds a program or a style.
var attributes = strings.Fields(`id class lang dir title role tabindex href charset name content http-equiv datetime
	scope colspan rowspan open start
	xmlns viewBox width height x y x1 y1 x2 y2 dx dy cx cy r rx ry d points transform preserveAspectRatio
	fill stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin text-anchor dominant-baseline font-size font-weight
	marker-end marker-start markerWidth markerHeight refX refY orient textLength lengthAdjust`)

// foreign are attributes whose value is shown to a reader, so it may say anything.
var foreign = []string{"title", "aria-label", "aria-description"}

var (
	inside    = regexp.MustCompile(`^#[A-Za-z][A-Za-z0-9._-]*$`)
	beside    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	reference = regexp.MustCompile(`^url\((#[A-Za-z][A-Za-z0-9._-]*)\)$`)
	acting    = regexp.MustCompile(`(?i)<script|<!--|<!\[|<\?|\son[a-z]+\s*=\s*["'][^<]*>`)
	loading   = regexp.MustCompile(`(?i)url\(|@import|expression\(|://|[<&\\]`)
)

// Check returns why a page is not passive, or nil: every reason, one a line.
func Check(text string) error {
	body, ok := strings.CutPrefix(text, "<!doctype html>\n")
	if !ok {
		return errors.New("the page does not begin with its doctype")
	}
	c := &checker{text: body, ids: map[string]bool{}}
	if n := strings.Count(body, page.Policy); n != 1 {
		c.fault("the policy stands %d times in it", n)
	}
	c.walk(false)
	if c.policies != 1 {
		c.fault("%d elements state a policy", c.policies)
	}
	return errors.Join(c.faults...)
}

// CheckPicture returns why an SVG document that stands alone is not passive, or nil.
func CheckPicture(text string) error {
	c := &checker{text: text, ids: map[string]bool{}}
	if !strings.HasPrefix(text, `<svg xmlns="http://www.w3.org/2000/svg"`) {
		c.fault("the picture does not begin as SVG")
	}
	c.walk(true)
	return errors.Join(c.faults...)
}

type checker struct {
	text     string
	open     []string
	roots    int
	ids      map[string]bool
	links    []string
	policies int
	picture  bool
	faults   []error
}

func (c *checker) fault(format string, args ...any) {
	if len(c.faults) < 20 {
		c.faults = append(c.faults, fmt.Errorf(format, args...))
	}
}

// walk reads the whole text.
func (c *checker) walk(picture bool) {
	c.picture = picture
	for _, r := range c.text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			c.fault("the character U+%04X cannot be seen", r)
		}
	}
	if found := acting.FindString(c.text); found != "" {
		c.fault("it holds %q", found)
	}
	d := xml.NewDecoder(strings.NewReader(c.text))
	for {
		token, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			c.fault("it is not well-formed: %w", err)
			return
		}
		c.token(token, c.text[:d.InputOffset()])
	}
	if len(c.open) > 0 {
		c.fault("these are not closed: %s", strings.Join(c.open, " "))
	}
	for _, id := range c.links {
		if !c.ids[id] {
			c.fault("nothing has the id %s that is linked to", id)
		}
	}
}

// token takes the next piece of the page; read is the text up to its end.
func (c *checker) token(token xml.Token, read string) {
	switch token := token.(type) {
	case xml.StartElement:
		name := qualified(token.Name)
		c.element(name, strings.HasSuffix(read, "/>"))
		for _, a := range token.Attr {
			c.attribute(name, qualified(a.Name), a.Value)
		}
		if name == "meta" {
			c.meta(token.Attr)
		}
		c.open = append(c.open, name)
	case xml.EndElement:
		if last := len(c.open) - 1; last < 0 || c.open[last] != qualified(token.Name) {
			c.fault("</%s> ends what is not open: %s", qualified(token.Name), strings.Join(c.open, " "))
		} else {
			c.open = c.open[:last]
		}
	case xml.CharData:
		if len(c.open) > 0 && c.open[len(c.open)-1] == "style" {
			if found := loading.FindString(string(token)); found != "" {
				c.fault("the style sheet holds %q", found)
			}
		} else if len(c.open) == 0 && strings.TrimSpace(string(token)) != "" {
			c.fault("text stands outside of all elements")
		}
	default:
		c.fault("a %T is no part of a page", token)
	}
}

// element holds an element to where it stands. closed says that it has no content.
func (c *checker) element(name string, closed bool) {
	svg := c.picture || slices.Contains(c.open, "svg") || name == "svg"
	switch {
	case !slices.Contains(elements, name):
		c.fault("an element <%s>", name)
	case !svg && closed != slices.Contains(void, name):
		c.fault("a browser closes <%s> elsewhere", name)
	case slices.Contains(blocks, name) && slices.ContainsFunc(c.open, ended):
		c.fault("<%s> within %s", name, strings.Join(c.open, " "))
	case name == "a" && slices.Contains(c.open, "a"):
		c.fault("a link within a link")
	}
	if len(c.open) == 0 {
		if c.roots++; c.roots > 1 {
			c.fault("a second root <%s>", name)
		}
	}
}

// ended reports whether a block cannot stand within an element.
func ended(element string) bool {
	return element == "p" || element == "pre" || element >= "h1" && element <= "h6"
}

func (c *checker) attribute(element, name, value string) {
	switch {
	case !slices.Contains(attributes, name) && !strings.HasPrefix(name, "aria-"):
		c.fault("<%s> has an attribute %s", element, name)
	case name == "id":
		if c.ids[value] {
			c.fault("two elements have the id %s", value)
		}
		if !inside.MatchString("#" + value) {
			c.fault("%q is no id", value)
		}
		c.ids[value] = true
	case name == "href":
		if inside.MatchString(value) {
			c.links = append(c.links, value[1:])
		} else if element != "a" || !beside.MatchString(value) {
			c.fault("<%s> leads to %q", element, value)
		}
	case name == "aria-labelledby" || name == "aria-describedby" || name == "aria-controls":
		c.links = append(c.links, strings.Fields(value)...)
	case name == "xmlns":
		if element != "svg" || value != "http://www.w3.org/2000/svg" {
			c.fault("<%s> is of %s", element, value)
		}
	case strings.HasPrefix(value, "url("):
		if m := reference.FindStringSubmatch(value); m != nil {
			c.links = append(c.links, m[1][1:])
		} else {
			c.fault("%s of <%s> is %q", name, element, value)
		}
	case !slices.Contains(foreign, name) && (strings.Contains(value, "://") || strings.Contains(strings.ToLower(value), "javascript:")):
		c.fault("%s of <%s> is %q", name, element, value)
	}
}

// meta admits of http-equiv only the policy of all pages.
func (c *checker) meta(attributes []xml.Attr) {
	of := map[string]string{}
	for _, a := range attributes {
		of[a.Name.Local] = a.Value
	}
	equiv, ok := of["http-equiv"]
	if !ok {
		return
	}
	if equiv != "Content-Security-Policy" || of["content"] != page.Policy || !slices.Equal(c.open, []string{"html", "head"}) {
		c.fault("a <meta> states %s: %s", equiv, of["content"])
	}
	c.policies++
}

func qualified(name xml.Name) string {
	if name.Space != "" {
		return name.Space + ":" + name.Local
	}
	return name.Local
}
