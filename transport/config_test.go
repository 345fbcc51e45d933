package transport

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/google/go-cmp/cmp"
)

func config(t *testing.T, text string) (map[string]string, error) {
	t.Helper()
	v, err := canon.Parse(text, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	transports, err := ParseConfig(t.Context(), v, filepath.FromSlash("/host"))
	if err != nil && transports != nil {
		t.Error("a refused configuration gave transports")
	}
	got := map[string]string{}
	for name, transport := range transports {
		switch x := transport.(type) {
		case *Directory:
			got[name] = "directory " + x.label + " " + filepath.ToSlash(x.dir)
		case *HTTP:
			got[name] = fmt.Sprintf("http %s %s %v", x.label, x.base, x.timeout)
		}
	}
	return got, err
}

func TestConfig(t *testing.T) {
	got, err := config(t, `{"lib":"bundles/x","up":"../y","abs":"/z","web":"http://h/b","tls":"https://h/b/","Odd Name":"HTTP://h","ftp":"ftp://h","":"."}`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"lib":      `directory transport "lib" /host/bundles/x`,
		"up":       `directory transport "up" /y`,
		"abs":      `directory transport "abs" /z`,
		"web":      `http transport "http://h/b" http://h/b/ 15s`,
		"tls":      `http transport "https://h/b/" https://h/b/ 15s`,
		"Odd Name": `directory transport "Odd Name" /host/HTTP:/h`,
		"ftp":      `directory transport "ftp" /host/ftp:/h`,
		"":         `directory transport "/host" /host`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestConfigRefuses has the checks of bundle.md §4.4 in order. Lengths count UTF-16
// units: a smile is two of them and four bytes.
func TestConfigRefuses(t *testing.T) {
	entries := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"t%d":"x"`, i)
		}
		return strings.Join(list, ",")
	}
	smiles := func(n int) string { return strings.Repeat("😀", n) }
	const noDirectory = `transport "t": directory must be a non-empty string`
	for name, c := range map[string]struct{ text, want string }{
		"array":           {`[]`, "transports file must be an object"},
		"null":            {`null`, "transports file must be an object"},
		"sixteen":         {`{` + entries(16) + `}`, ""},
		"seventeen":       {`{` + entries(16) + `,"":1}`, "transports file exceeds 16 entries"},
		"longest name":    {`{"` + smiles(32) + `":"x"}`, ""},
		"long name":       {`{"` + smiles(32) + `x":1}`, `transport name "` + smiles(32) + `x" too long`},
		"number":          {`{"t":1}`, noDirectory},
		"null target":     {`{"t":null}`, noDirectory},
		"empty target":    {`{"t":""}`, noDirectory},
		"longest target":  {`{"t":"` + smiles(2048) + `"}`, ""},
		"long target":     {`{"t":"` + smiles(2048) + `x"}`, noDirectory},
		"long URL":        {`{"t":"http://` + strings.Repeat("x", 4096-6) + `"}`, noDirectory},
		"first in order":  {`{"t":"","` + smiles(33) + `":1}`, noDirectory},
		"name in message": {`{"a\"b":1}`, `transport "a"b": directory must be a non-empty string`},
	} {
		_, err := config(t, c.text)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if algal.CodeOf(err) != algal.ParseFailed || err.Error() != c.want {
			t.Errorf("%s: %s %v, want %s", name, algal.CodeOf(err), err, c.want)
		}
	}
}
