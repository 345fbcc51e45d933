package golden

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

var update = flag.Bool("update", false, "copy the committed part of ../shared/golden into testdata/golden")

// large is the size from which a committed copy is compressed.
const large = 32 << 10

// committedFolders are the parts of the golden folder that tests read. A folder
// is added here, and copied with -update, together with its first test.
var committedFolders = []string{
	"third-party.txt", "digests.json", "bench", "evidence", "expr", "processes", "random", "receipts", "replay-comparison", "vectors",
	"stores",
}

// TestCommittedCopies holds the committed copies to the originals, where these
// are at hand, so that nothing is ever mended on our side.
func TestCommittedCopies(t *testing.T) {
	NeedShared(t)
	n := 0
	for _, folder := range committedFolders {
		err := fs.WalkDir(os.DirFS(sharedDir(t)), folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || thirdParty(t, name) {
				return err
			}
			want, err := os.ReadFile(filepath.Join(sharedDir(t), name))
			if err != nil {
				return err
			}
			if *update {
				copyIn(t, name, want)
			}
			if !bytes.Equal(Read(t, name), want) {
				t.Errorf("%s differs from the original", name)
			}
			n++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Fatal("no golden file compared")
	}
	t.Logf("%d committed golden files equal the originals", n)
}

func copyIn(t *testing.T, name string, data []byte) {
	t.Helper()
	to := filepath.Join(committed(t), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if len(data) >= large && !strings.HasSuffix(name, packed) {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
		if err != nil {
			t.Fatal(err)
		}
		to, data = to+packed, w.EncodeAll(data, nil)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestThirdPartyPatterns(t *testing.T) {
	for name, want := range map[string]bool{
		"examples/index.json":                          true,
		"demo/a/b.json":                                true,
		"evidence/vm-a.evidence.json":                  true,
		"evidence/mutants.jsonl":                       false,
		"processes/complete-review/store/x.json":       true,
		"processes/evidence-cases/chain-x.json":        true,
		"processes/evidence-cases/bad-root.json":       true,
		"processes/evidence-cases/bad-other-case.json": false,
		"vectors/canonical.json":                       false,
	} {
		if got := thirdParty(t, name); got != want {
			t.Errorf("thirdParty(%q) = %v", name, got)
		}
	}
}
