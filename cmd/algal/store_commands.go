package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

func newStoreCommand(with *shared) *cobra.Command {
	return group(&cobra.Command{
		Use:   "store COMMAND",
		Short: "Put, get and look for objects",
		Long: `Puts JSON values and manifests into the store, gets them by their digests, and tells whether
they are there.`,
		Example: `  algal store put value.json
  algal store get sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a`,
	}, newStorePutCommand(with), newStoreGetCommand(with), newStoreHasCommand(with))
}

// storeOptions are those of all three commands.
type storeOptions struct {
	*globals
	kind     string
	argument string // FILE or DIGEST
}

const (
	kindValues    = "values"
	kindManifests = "manifests"
)

func (o *storeOptions) declare(flags *pflag.FlagSet) {
	textFlag(flags, &o.kind, "kind", "`KIND` of object: values (default) or manifests")
}

func (o *storeOptions) check() error { return oneOf(o.kind, "kind", kindValues, kindManifests) }

// get reads the object that the argument names, absent when it is not there.
func (o *storeOptions) get(s *streams) (algal.Digest, canon.Value, error) {
	if err := o.check(); err != nil {
		return "", canon.Value{}, err
	}
	d, err := digestArgument(o.argument)
	if err != nil {
		return "", canon.Value{}, err
	}
	read := openStore(o.dir, s).Value
	if o.kind == kindManifests {
		read = openStore(o.dir, s).Manifest
	}
	v, err := read(d)
	return d, v, err
}

// noun is the kind of a single object.
func (o *storeOptions) noun() string {
	if o.kind == kindManifests {
		return "manifest"
	}
	return "value"
}

func newStorePutCommand(with *shared) *cobra.Command {
	o := &storeOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "put FILE",
		Short: "Put a JSON value into the store",
		Long: `Puts the JSON value in FILE, or on standard input for -, into the store under the digest of
its canonical text. A manifest is put in its normal form.

Result: {"bytes","ref"}, bytes being those of the canonical text.`,
		Example: `  algal store put value.json
  algal store put --kind manifests program.algal.json`,
		Args: positional("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.argument = args[0]
			return runStorePut(cmd.Context(), with.streams, o)
		},
	}
	o.declare(cmd.Flags())
	return cmd
}

func runStorePut(_ context.Context, s *streams, o *storeOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	v, put, err := o.admit(s)
	if err != nil {
		return err
	}
	d, err := put(v)
	if err != nil {
		return err
	}
	result := canon.Object(canon.M("bytes", canon.Int(v.Size())), canon.M("ref", canon.String(string(d))))
	return s.result(result, func(p *page) {
		p.Line("%s", d)
		p.Verdict(true, "in the store: a %s of %s", o.noun(), counted(v.Size(), "byte"))
	})
}

// admit reads what is to be put and tells where it goes.
func (o *storeOptions) admit(s *streams) (canon.Value, func(canon.Value) (algal.Digest, error), error) {
	st := openStore(o.dir, s)
	if o.kind != kindManifests {
		v, err := input{o.argument, "value", maxStored}.readOr(s.in)
		return v, st.PutValue, withinStored(v, err)
	}
	v, err := input{o.argument, "manifest", maxDocument}.readOr(s.in)
	if err != nil {
		return canon.Value{}, nil, err
	}
	m, err := organism.ParseManifest(v)
	if err != nil {
		return canon.Value{}, nil, about(err, "in %s", displayed(o.argument))
	}
	return m.Normal(), st.PutManifest, nil
}

// withinStored bounds the canonical text of a value, which may be longer than the
// text that was read.
func withinStored(v canon.Value, err error) error {
	if err == nil && v.Size() > maxStored {
		err = algal.Errorf(algal.BudgetExhausted, "value of %d canonical bytes exceeds %d", v.Size(), maxStored)
	}
	return err
}

func newStoreGetCommand(with *shared) *cobra.Command {
	o := &storeOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:     "get DIGEST",
		Short:   "Print an object of the store",
		Long:    `Prints the object with the given digest, which is checked.`,
		Example: `  algal store get sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a`,
		Args:    positional("DIGEST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.argument = args[0]
			return runStoreGet(cmd.Context(), with.streams, o)
		},
	}
	o.declare(cmd.Flags())
	return cmd
}

func runStoreGet(_ context.Context, s *streams, o *storeOptions) error {
	d, v, err := o.get(s)
	if err != nil {
		return err
	}
	if !v.Exists() {
		return algal.Errorf(algal.InputMissing, "%s %s not in store", o.noun(), d)
	}
	return s.result(v, nil)
}

func newStoreHasCommand(with *shared) *cobra.Command {
	o := &storeOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "has DIGEST",
		Short: "Tell whether the store has an object",
		Long: `Tells whether the store has the object with the given digest. One that is there and damaged
is an error.

Result: {"ok","ref"}.`,
		Example: `  algal store has sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a`,
		Args:    positional("DIGEST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.argument = args[0]
			return runStoreHas(cmd.Context(), with.streams, o)
		},
	}
	o.declare(cmd.Flags())
	return cmd
}

func runStoreHas(_ context.Context, s *streams, o *storeOptions) error {
	d, v, err := o.get(s)
	if err != nil {
		return err
	}
	result := canon.Object(canon.M("ok", canon.Bool(v.Exists())), canon.M("ref", canon.String(string(d))))
	return s.result(result, func(p *page) {
		if v.Exists() {
			p.Verdict(true, "%s is in the store", d)
		} else {
			p.Verdict(false, "%s is not in the store", d)
		}
	})
}
