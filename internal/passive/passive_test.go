package passive_test

import (
	"strings"
	"testing"

	"github.com/algal-vm/algal/internal/passive"
	"github.com/algal-vm/algal/report/page"
)

// around returns a page with a piece of markup in its body.
func around(markup string) string {
	whole := page.Document("T", func(b *page.Builder) {
		b.Element("h1", "T", page.A("id", "top"))
		b.Element("p", `</p><script>alert(1)</script><img src="http://x" onerror="1"/>javascript:1`)
		b.Element("span", "HERE")
	})
	return strings.Replace(whole, "<span>HERE</span>", markup, 1)
}

func TestPassive(t *testing.T) {
	for _, markup := range []string{
		"", "<p>text</p>", `<a href="#top">up</a>`, `<a href="evidence.algal.json">file</a>`, "<hr/>",
		`<svg role="img" aria-labelledby="t"><title id="t">T</title><path d="M0 0"/></svg>`,
		`<p title="see https://example.org, javascript:1">x</p>`,
		`<pre>onload="1" http://x</pre>`,
	} {
		if err := passive.Check(around(markup)); err != nil {
			t.Errorf("%s: %v", markup, err)
		}
	}
}

func TestNotPassive(t *testing.T) {
	for _, c := range []struct{ markup, says string }{
		{"<script>1</script>", "<script"},
		{"<SCRIPT>1</SCRIPT>", "<SCRIPT"},
		{`<img src="x"/>`, "element <img>"},
		{`<p onclick="1">x</p>`, "attribute onclick"},
		{`<p style="color:red">x</p>`, "attribute style"},
		{`<a href="javascript:alert(1)">x</a>`, `leads to "javascript:alert(1)"`},
		{`<a href="https://example.org">x</a>`, "leads to"},
		{`<a href="//example.org">x</a>`, "leads to"},
		{`<a href="../x">x</a>`, "leads to"},
		{`<a href="#nowhere">x</a>`, "the id nowhere"},
		{`<a href="">x</a>`, "leads to"},
		{`<p id="top">x</p>`, "two elements have the id top"},
		{`<p id="a b">x</p>`, "is no id"},
		{`<p aria-labelledby="gone">x</p>`, "the id gone"},
		{`<svg><path marker-end="url(#gone)"/></svg>`, "the id gone"},
		{`<svg><path fill="url(http://x)"/></svg>`, "url(http://x)"},
		{`<svg xmlns="http://x"></svg>`, "is of http://x"},
		{`<svg><a xlink:href="#top">x</a></svg>`, "attribute xlink:href"},
		{`<meta http-equiv="refresh" content="0"/>`, "states refresh"},
		{`<p>x`, "ends what is not open"},
		{`<b><i>x</b></i>`, "ends what is not open"},
		{`<div/>`, "closes <div> elsewhere"},
		{`<br></br>`, "closes <br> elsewhere"},
		{`<p><div>x</div></p>`, "<div> within"},
		{`<h2><ul></ul></h2>`, "<ul> within"},
		{`<a href="#top"><a href="#top">x</a></a>`, "link within a link"},
		{`<p>&nbsp;</p>`, "not well-formed"},
		{`<p class=x>x</p>`, "not well-formed"},
		{`<!-- x -->`, "<!--"},
		{`<![CDATA[x]]>`, "<!["},
		{`<?php 1?>`, "<?"},
		{"<p>\u202e</p>", "U+202E"},
		{"<p>\u2028</p>", "U+2028"},
		{"<p>\x1b</p>", "U+001B"},
		{`<style>p{background:url(x)}</style>`, "style sheet holds"},
		{`<style>@import "x";</style>`, "style sheet holds"},
		{`<form></form>`, "element <form>"},
		{`<p class="https://x">x</p>`, "class of <p>"},
	} {
		err := passive.Check(around(c.markup))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.markup, err)
		}
	}
	whole := around("")
	for _, c := range []struct{ text, says string }{
		{strings.TrimPrefix(whole, "<!doctype html>\n"), "doctype"},
		{strings.Replace(whole, "default-src 'none'", "default-src *", 1), "the policy stands 0 times"},
		{whole + "<p>x</p>", "second root"},
		{whole + "x", "outside of all"},
		{strings.Replace(whole, "</html>", "", 1), "not closed: html"},
	} {
		err := passive.Check(c.text)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v does not say %s", err, c.says)
		}
	}
}

func TestPicture(t *testing.T) {
	const whole = `<svg xmlns="http://www.w3.org/2000/svg" role="img"><title>T</title><style>text{fill:black}</style><rect width="1"/></svg>`
	if err := passive.CheckPicture(whole); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ from, to, says string }{
		{"<rect", "<image", "element <image>"},
		{"fill:black", "fill:url(x)", "style sheet holds"},
		{` xmlns="http://www.w3.org/2000/svg"`, "", "begin as SVG"},
		{"</svg>", "", "not closed: svg"},
	} {
		err := passive.CheckPicture(strings.Replace(whole, c.from, c.to, 1))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s for %s: %v", c.to, c.from, err)
		}
	}
}
