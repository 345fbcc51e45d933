package laboratory

import (
	_ "embed"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/tool/builtin"
)

// Mode is the effect of the barrier: what the dispatch is killed in.
type Mode string

// The modes. A recovery repeats a read, and no write.
const (
	Read  Mode = "read"
	Write Mode = "write"
)

// ParseMode admits a mode.
func ParseMode(text string) (Mode, error) {
	if mode := Mode(text); mode == Read || mode == Write {
		return mode, nil
	}
	return "", algal.Errorf(algal.ParseFailed, "the mode must be read or write, got %q", canon.CutUnits(text, 64))
}

// dir is the directory of a crash case in the root of a proof.
func (m Mode) dir() string { return string(m) + "-crash" }

//go:embed crash.algal.json
var crashProgram string

// program returns the program of the fixture.
func program() (*organism.Manifest, error) {
	v, err := canon.Parse(crashProgram, canon.Limits{})
	if err != nil {
		return nil, err
	}
	return organism.ParseManifest(v)
}

const barrierTool = "demo.barrier.v1"

// signature returns the signature of the barrier.
func (m Mode) signature() (*organism.Tool, error) {
	port := func(name, kind string) canon.Value { return canon.Object(canon.M(name, canon.String(kind))) }
	return organism.ParseTool(canon.Object(
		canon.M("inputs", port("after", "text")),
		canon.M("outputs", port("out", "json")),
		canon.M("effect", canon.String(string(m))),
		canon.M("cost", canon.Int(100)),
		canon.M("maxOutputBytes", canon.Int(1024)),
	), barrierTool)
}

// signatures returns the signatures of the tools that the program names.
func (m Mode) signatures() (map[string]*organism.Tool, error) {
	signature, err := m.signature()
	return map[string]*organism.Tool{builtin.Send: builtin.Signature(builtin.Send), barrierTool: signature}, err
}

// writes returns how many messages the barrier sends.
func (m Mode) writes() int {
	if m == Write {
		return 1
	}
	return 0
}
