package suite

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/internal/golden"
	"github.com/algal-vm/algal/internal/goldenrun"
	"github.com/algal-vm/algal/organism"
)

// goldenExamples lays the examples of the reference runtime out as a suite. Every
// program may embed every manifest of the folder, as in the reference's suite, but
// for one that is to get it from a transport.
func goldenExamples(t *testing.T) (fstest.MapFS, []goldenrun.Case) {
	t.Helper()
	cases := goldenrun.Examples(t)
	suite := fstest.MapFS{}
	for _, c := range cases {
		put := func(name, content string) { suite[path.Join(c.Name, name)] = &fstest.MapFile{Data: []byte(content)} }
		for file, member := range map[string]string{programFile: "manifest", argsFile: "args", responsesFile: "responses"} {
			if name := c.Record.Get(member); name.Is(canon.KindString) {
				put(file, string(golden.Read(t, "examples/"+name.Text()))) // as written: member order matters
			}
		}
		if _, given := suite[path.Join(c.Name, responsesFile)]; !given {
			put(responsesFile, "{}") // the reference's suite always has its scripted executor
		}
		if c.Transports == nil {
			for i, m := range c.Manifests {
				if _, err := organism.ParseManifest(m); err == nil { // else it lies there as data
					put(fmt.Sprintf("%s/%03d%s", modulesDir, i, manifestSuffix), m.String())
				}
			}
		}
		put(expectFile, fmt.Sprintf(`{"outcome":%q,"receipt":%q}`, c.Record.Get("outcome").Text(), c.Record.Get("receiptDigestField").Text()))
	}
	return suite, cases
}

// TestX5GoldenExamples runs every example of the reference runtime live. Each gives
// its recorded receipt byte for byte, and that verifies.
func TestX5GoldenExamples(t *testing.T) {
	suite, cases := goldenExamples(t)
	inSuite, others := map[string]int{}, 0
	for _, c := range cases {
		in := place{suite, c.Name}
		f, err := readFolder(in)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		host, release, err := f.host(in)
		if err != nil {
			t.Fatal(err)
		}
		host.Transports = c.Transports
		receipt, report, err := execute(t.Context(), f.manifest, f.args, host)
		if err == nil {
			err = release()
		}
		if err == nil {
			err = (&Example{}).judge(&f.want, receipt, report)
		}
		if err != nil || receipt.String() != c.Receipt.String() {
			t.Errorf("%s: %v, receipt\n%s\nwant\n%s", c.Name, err, receipt, c.Receipt)
		}
		if c.Record.Get("inSuite").Bool() {
			inSuite[f.want.outcome]++
		} else {
			others++
		}
	}
	if inSuite["complete"] != 46 || inSuite["failed"] != 1 || others == 0 {
		t.Errorf("outcomes %v and %d other entries, want 46 complete, 1 failed, and others", inSuite, others)
	}
	t.Logf("%d receipts are byte-identical, %d of them of the reference's suite", len(cases), len(cases)-others)
}

// TestGoldenSuite runs them as a suite, but for those that need a transport, which
// a suite has not.
func TestGoldenSuite(t *testing.T) {
	suite, cases := goldenExamples(t)
	remote := 0
	for _, c := range cases {
		if c.Transports == nil {
			continue
		}
		remote++
		for name := range suite {
			if strings.HasPrefix(name, c.Name+"/") {
				delete(suite, name)
			}
		}
	}
	result, err := Run(t.Context(), suite, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Examples {
		if e.Err != nil || !e.Verified {
			t.Errorf("%s: %v", e.Name, e.Err)
		}
	}
	if n := len(result.Examples); n == 0 || n != len(cases)-remote {
		t.Errorf("%d examples of %d", n, len(cases))
	}
	t.Logf("%d examples, %d need a transport", len(result.Examples), remote)
}
