package suite

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/hostfile"
)

// The files of an example's folder.
const (
	programFile   = "program.algal.json"
	argsFile      = "args.json"
	responsesFile = "responses.json"
	toolsFile     = "tools.json"
	expectFile    = "expect.json"
	modulesDir    = "modules"
)

const (
	manifestSuffix = ".algal.json"

	maxResponses = 1_048_576 // bytes (cli.md §1.4)
	maxExpect    = 4_096     // bytes
	maxModules   = 512       // manifests of a modules directory (store.md §9)
)

// folder is what an example's folder holds, each part admitted by itself. Optional
// parts may be absent.
type folder struct {
	manifest  *organism.Manifest
	args      canon.Value
	responses canon.Value
	tools     canon.Value
	modules   []*organism.Manifest
	want      expectation
}

// expectation is the content of expect.json.
type expectation struct {
	outcome string
	receipt algal.Digest // "" when any will do
}

// readFolder reads an example. Faults name the file; code and text of a manifest's
// are those of its admission.
func readFolder(in place) (f folder, err error) {
	if f.manifest, err = in.manifest(programFile); err != nil {
		return folder{}, err
	}
	if f.args, err = in.optional(argsFile, runtime.MaxArgsBytes); err != nil {
		return folder{}, err
	}
	if f.responses, err = in.optional(responsesFile, maxResponses); err != nil {
		return folder{}, err
	}
	if f.tools, err = in.optional(toolsFile, hostfile.MaxBytes); err != nil {
		return folder{}, err
	}
	if f.modules, err = readModules(in); err != nil {
		return folder{}, err
	}
	if f.want, err = readExpectation(in); err != nil {
		return folder{}, err
	}
	return f, nil
}

func readExpectation(in place) (expectation, error) {
	v, err := in.json(expectFile, maxExpect)
	if err != nil {
		return expectation{}, err
	}
	if err := canon.AsObject(v, expectFile); err != nil {
		return expectation{}, err
	}
	if err := canon.NoUnknownKeys(v, expectFile, "outcome", "receipt"); err != nil {
		return expectation{}, err
	}
	outcome, err := canon.Require(v, expectFile, "outcome")
	if err != nil {
		return expectation{}, err
	}
	want := expectation{outcome: outcome.Text()}
	switch want.outcome {
	case runtime.Complete, runtime.Failed, runtime.Stuck, runtime.Suspended:
	default:
		return expectation{}, algal.Errorf(algal.ParseFailed, "%s.outcome must be complete, failed, stuck or suspended", expectFile)
	}
	if receipt := v.Get("receipt"); receipt.Exists() {
		if want.receipt, err = canon.AsDigest(receipt, expectFile+".receipt"); err != nil {
			return expectation{}, err
		}
	}
	return want, nil
}

// readModules reads the manifests that the program may embed, by name of their
// files.
func readModules(in place) ([]*organism.Manifest, error) {
	entries, err := in.list(modulesDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(modulesDir, err)
	}
	if len(entries) > maxEntries {
		return nil, algal.Errorf(algal.BudgetExhausted, "%s has more than %d entries", modulesDir, maxEntries)
	}
	var modules []*organism.Manifest
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), manifestSuffix) {
			continue
		}
		if len(modules) == maxModules {
			return nil, algal.Errorf(algal.BudgetExhausted, "%s has more than %d manifests", modulesDir, maxModules)
		}
		m, err := in.manifest(modulesDir + "/" + entry.Name())
		if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	return modules, nil
}
