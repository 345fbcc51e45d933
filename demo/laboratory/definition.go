package laboratory

import (
	"encoding/hex"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/root"
	"github.com/algal-vm/algal/hostdoc"
	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/organism"
)

// The documents of a crash case and their bounds in bytes. All are immutable.
const (
	definitionFile = "fixture.json"
	barrierFile    = "barrier.json"
	reportFile     = "report.json"
	evidenceFile   = "evidence.algal.json"

	maxDefinition = 16_384
	maxBarrier    = 4_096
	maxReport     = 1_048_576
	maxEvidence   = 4_194_304
)

const (
	definitionContract = "algal.demo-crash.v1"
	bindingContract    = "algal.demo-crash-binding.v1"
)

// tokenBytes is the length of the token by which the laboratory knows its child.
const tokenBytes = 24

func checkToken(token string) error {
	raw, err := hex.DecodeString(token)
	if err != nil || len(raw) != tokenBytes || hex.EncodeToString(raw) != token {
		return algal.Errorf(algal.ParseFailed, "the token must be %d lowercase hexadecimal digits", 2*tokenBytes)
	}
	return nil
}

// definition says what a fixture is. It never changes.
type definition struct {
	root                 root.Root
	token                string
	mode                 Mode
	program              *organism.Manifest
	prefix, publications mailbox.Config
}

// args are the arguments of the program.
func (d *definition) args() canon.Value {
	return canon.Object(canon.M("input", canon.Object(
		canon.M("mailbox", canon.String(d.prefix.Send.String())),
		canon.M("message", canon.Object(canon.M("sent", canon.String("before the kill")))),
	)))
}

// value returns the definition as fixture.json holds it.
func (d *definition) value() canon.Value {
	return canon.Object(
		canon.M("contract", canon.String(definitionContract)),
		canon.M("root", canon.String(d.root.Path)),
		canon.M("identity", d.root.Identity()),
		canon.M("token", canon.String(d.token)),
		canon.M("mode", canon.String(string(d.mode))),
		canon.M("manifestDigest", canon.String(string(d.program.Digest()))),
		canon.M("args", d.args()),
		canon.M("publication", canon.String(d.publications.Send.String())),
	)
}

// configuration is the digest that a journal binds for the barrier: a recovery must
// have the same fixture.
func (d *definition) configuration() algal.Digest {
	return canon.Object(
		canon.M("contract", canon.String(bindingContract)),
		canon.M("definition", canon.String(string(d.value().Digest()))),
	).Digest()
}

// readDefinition finds the definition of a fixture again and holds every member of it
// to what it must be in this root, with these mailboxes and for this token. A missing
// definition is STORE_MISS, another one DIGEST_MISMATCH.
func (f *fixture) readDefinition(token string) (*definition, error) {
	v, err := hostdoc.Read(f.root.Join(definitionFile), maxDefinition)
	if err != nil {
		return nil, err
	}
	if !v.Exists() {
		return nil, algal.Errorf(algal.StoreMiss, "the fixture has no %s", definitionFile)
	}
	d := &definition{root: f.root, token: token, mode: Mode(v.Get("mode").Text())}
	if d.program, err = program(); err != nil {
		return nil, err
	}
	if d.prefix, err = f.mailbox(prefixBox); err != nil {
		return nil, err
	}
	if d.publications, err = f.mailbox(publicationsBox); err != nil {
		return nil, err
	}
	if _, err := ParseMode(string(d.mode)); err != nil || !canon.Equal(v, d.value()) {
		return nil, algal.Errorf(algal.DigestMismatch, "%s is not that of this root, program, token and mailboxes", definitionFile)
	}
	return d, nil
}
