package lifecycle

import (
	"embed"
	"path"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/qualification"
)

// files are the program, its child, which it names by digest, and the evidence.
//
//go:embed fixture
var files embed.FS

const (
	programFile  = "release-review.algal.json"
	childFile    = "approval-wait.algal.json"
	evidenceFile = "evidence.json"
)

// fixture is what the demonstration starts from, laid out in the workspace.
type fixture struct {
	dir      string // holds the program and its child; serves as modules directory
	program  string // path
	evidence canon.Value
	release  string
}

func layFixture(s *qualification.Session) (*fixture, error) {
	const dir = "fixture"
	f := &fixture{dir: s.Path(dir), program: s.Path(path.Join(dir, programFile))}
	if err := s.Mkdir(dir); err != nil {
		return nil, err
	}
	for _, name := range []string{programFile, childFile, evidenceFile} {
		text, err := files.ReadFile(path.Join(dir, name))
		if err != nil {
			return nil, algal.Errorf(algal.IOFailed, "the fixture's %s: %v", name, err)
		}
		if _, err := s.Write(path.Join(dir, name), string(text)); err != nil {
			return nil, err
		}
		if name == evidenceFile {
			if f.evidence, err = canon.Parse(string(text), canon.Limits{}); err != nil {
				return nil, err
			}
		}
	}
	f.release = f.evidence.Get("release").Text()
	return f, nil
}

// argsFor writes the arguments file of an actor whose mailboxes are given.
func (f *fixture) argsFor(s *qualification.Session, store, actor string, b boxes) (string, error) {
	args := canon.Object(canon.M("input", canon.Object(
		canon.M("evidence", f.evidence),
		canon.M("proposals", canon.String(b.proposals.send)),
		canon.M("approvals", canon.String(b.approvals.receive)),
		canon.M("publications", canon.String(b.publications.send)),
	)))
	return s.Write(store+"-"+actor+"-args.json", args.String()+"\n")
}
