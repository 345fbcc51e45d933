package chain_test

import (
	"fmt"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/chain"
)

// shelf is a reader over values in memory.
type shelf map[algal.Digest]canon.Value

func (s shelf) Record(d algal.Digest) (canon.Value, error)  { return s.object(d) }
func (s shelf) Receipt(d algal.Digest) (canon.Value, error) { return s.object(d) }

func (s shelf) object(d algal.Digest) (canon.Value, error) {
	if v, ok := s[d]; ok {
		return v, nil
	}
	return canon.Value{}, algal.Errorf(algal.StoreMiss, "nothing is kept under %.14s", d)
}

// A process that was created and dispatched, but has no outcome yet.
func Example() {
	ready := canon.Object(
		canon.M("args", canon.Object()),
		canon.M("contract", canon.String(chain.Contract)),
		canon.M("generation", canon.Int(0)),
		canon.M("manifestDigest", canon.String("sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f")),
		canon.M("maxGenerations", canon.Int(2)),
		canon.M("name", canon.String("demo")),
		canon.M("status", canon.String(string(chain.Ready))),
		canon.M("wake", canon.Array()),
	)
	intent := ready.With(
		canon.M("cause", canon.String(chain.CauseStart)),
		canon.M("generation", canon.Int(1)),
		canon.M("previous", canon.String(string(ready.Digest()))),
		canon.M("status", canon.String(string(chain.Uncertain))),
	)
	kept := shelf{ready.Digest(): ready}
	history, err := chain.Validate(intent.Digest(), intent, kept)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, r := range history.Records {
		fmt.Printf("%.14s generation %d %s\n", history.Digests[i], r.Generation, r.Status)
	}

	skipped := intent.With(canon.M("generation", canon.Int(2)))
	_, err = chain.Validate(skipped.Digest(), skipped, kept)
	fmt.Println(algal.CodeOf(err), err)

	// Output:
	// sha256:4c5077f generation 0 ready
	// sha256:3987628 generation 1 uncertain
	// RECEIPT_MISMATCH invalid dispatch intent
}
