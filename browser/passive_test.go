package browser

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// widths are those of a phone, a tablet and a desk, in CSS pixels.
var widths = []int64{360, 768, 1440}

// examine holds an open page to all that every page must be.
func examine(b *tab, name string) {
	b.Helper()
	hold := func(when string, wrong []string) {
		b.Helper()
		for _, w := range wrong {
			b.Errorf("%s: %s", when, w)
		}
	}
	hold("passive", b.check("passive"))
	hold("anchors", b.check("anchors"))
	hold("titles", b.check("titles"))
	b.show(1440, light)
	hold("keyboard", tabbed(b))
	for _, colours := range []scheme{light, dark} {
		for _, width := range widths {
			b.show(width, colours)
			hold(fmt.Sprintf("at %d px", width), b.check("fits"))
			b.shoot(fmt.Sprintf("%s-%s-%d", name, colours, width))
		}
	}
	b.media("print", light)
	hold("printed", b.check("folded"))
	hold("printed", b.check("fits"))
	b.check("open")
	for _, colours := range []scheme{light, dark} {
		for _, width := range widths {
			b.show(width, colours)
			hold(fmt.Sprintf("unfolded at %d px", width), b.check("fits"))
		}
		hold("colours "+string(colours), b.check("contrast"))
		hold("pictures", b.check("labels"))
	}
	hold("behaviour", b.quiet())
}

// tabbed goes through the page by the tab key and compares with the order of the
// document. What has the focus must be seen.
func tabbed(b *tab) []string {
	b.Helper()
	want := b.check("order")
	var got, wrong []string
	for range want {
		b.do(chromedp.KeyEvent(kb.Tab))
		focus := b.check("focused")
		if len(focus) != 2 {
			wrong = append(wrong, fmt.Sprintf("after %q nothing has the focus", slices.Concat([]string{"the start"}, got)[len(got)]))
			break
		}
		got = append(got, focus[0])
		if focus[1] != "" {
			wrong = append(wrong, focus[0]+": "+focus[1])
		}
	}
	if !slices.Equal(got, want) {
		wrong = append(wrong, fmt.Sprintf("the order is\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n")))
	}
	if len(want) == 0 {
		wrong = append(wrong, "nothing can be reached")
	}
	return wrong
}

// TestChecks shows that each check finds what it is there for.
func TestChecks(t *testing.T) {
	browser := chromium(t)
	const whole = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title></head><body>` +
		`<h1 id="top">T</h1><a href="#top">up</a>%s</body></html>`
	for _, c := range []struct{ check, body, found string }{
		{"passive", `<script>1</script>`, "<script>"},
		{"passive", `<p onclick="1">x</p>`, "onclick"},
		{"passive", `<a href="javascript:1">x</a>`, "javascript:1"},
		{"passive", `<p style="color:red">x</p>`, "style"},
		{"anchors", `<a href="#nowhere">x</a>`, "#nowhere"},
		{"anchors", `<p id="top">x</p>`, "two elements"},
		{"titles", `<h3>x</h3>`, "an h3 follows an h1"},
		{"titles", `<h1>x</h1>`, "not one h1"},
		{"titles", `<svg></svg>`, "a picture"},
		{"titles", `<table><tr><td>x</td></tr></table>`, "headings"},
		{"fits", `<p style="width:5000px">x</p>`, "wide"},
		{"contrast", `<p style="color:#999">grey</p>`, "grey"},
		{"contrast", `<div style="background:#222"><p style="color:#111">night</p></div>`, "night"},
		{"contrast", `<svg role="img"><rect width="200" height="50" fill="#000"/><text x="5" y="20" fill="#222">ink</text></svg>`, "ink"},
		{"labels", `<svg role="img"><text x="5" y="20">one text</text><text x="15" y="20">another</text></svg>`, "lie on each other"},
		{"folded", `<details><summary>more</summary><p>x</p></details>`, "more"},
		{"tabbed", `<p tabindex="3">first</p>`, "the order is"},
		{"tabbed", `<a href="#top" style="outline:none">x</a>`, "the focus cannot be seen"},
		{"quiet", `<img src="other.png">`, "other.png"},
		{"quiet", `<script>console.error("loud")</script>`, "loud"},
		{"quiet", `<script>throw new Error("thrown")</script>`, "exception"},
	} {
		t.Run(c.check+" "+c.found, func(t *testing.T) {
			file := t.TempDir() + "/page.html"
			if err := os.WriteFile(file, []byte(fmt.Sprintf(whole, c.body)), 0o644); err != nil {
				t.Fatal(err)
			}
			b := open(t, browser, file)
			var wrong []string
			switch c.check {
			case "tabbed":
				wrong = tabbed(b)
			case "quiet":
				wrong = b.quiet()
			default:
				wrong = b.check(c.check)
			}
			if !slices.ContainsFunc(wrong, func(w string) bool { return strings.Contains(w, c.found) }) {
				t.Errorf("found only %q", wrong)
			}
		})
	}
}
