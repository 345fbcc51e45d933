package suite

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/executor/scripted"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
	"github.com/algal-vm/algal/tool/builtin"
)

// run runs the example in the folder name of a suite.
func run(ctx context.Context, suite fs.FS, name string) Example {
	e := Example{Name: name}
	e.Err = e.run(ctx, suite)
	return e
}

// run fills in what became of the example and returns why it is not as expected.
func (e *Example) run(ctx context.Context, suite fs.FS) error {
	in := place{suite, e.Name}
	f, err := readFolder(in)
	if err != nil {
		return err
	}
	host, release, err := f.host(in)
	if err != nil {
		return err
	}
	receipt, report, err := execute(ctx, f.manifest, f.args, host)
	if failed := release(); err == nil {
		err = failed
	}
	if !receipt.Exists() {
		return err
	}
	if judged := e.judge(&f.want, receipt, report); err == nil {
		err = judged
	}
	return err
}

// host lays out what the example may use. release frees it.
func (f *folder) host(in place) (host runtime.Host, release func() error, err error) {
	host = runtime.Host{Store: cas.NewMemory(), Tools: builtin.Tools(), Deadline: deadline}
	for _, m := range f.modules {
		if _, err := host.Store.PutManifest(m.Normal()); err != nil {
			return host, nil, err
		}
	}
	if f.responses.Exists() {
		executor, err := scripted.New(f.responses, "")
		if err != nil {
			return host, nil, named(responsesFile, err)
		}
		host.Executors = []runtime.Executor{executor}
	}
	if !f.tools.Exists() {
		return host, func() error { return nil }, nil
	}
	release, err = addTools(host.Tools, f.tools, in)
	return host, release, err
}

func deadline(ctx context.Context, ms int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
}

// execute runs a program and verifies its receipt as a reader of the receipt's
// text would. The receipt is absent when the program was refused.
func execute(ctx context.Context, m *organism.Manifest, args canon.Value, host runtime.Host) (receipt canon.Value, report replay.Report, err error) {
	result, err := runtime.Run(ctx, m, args, host, nil)
	if err != nil {
		return receipt, report, err
	}
	receipt, err = canon.Parse(result.Receipt().String(), canon.Limits{})
	if err != nil {
		return receipt, report, err
	}
	if report, err = replay.Verify(ctx, receipt, m, host); err != nil {
		err = algal.Errorf(algal.CodeOf(err), "receipt does not verify: %v", err)
	}
	return receipt, report, err
}

// judge notes what came of the run and compares it with what is expected.
func (e *Example) judge(want *expectation, receipt canon.Value, report replay.Report) error {
	e.Outcome, e.Receipt = receipt.Get("outcome").Text(), algal.Digest(receipt.Get("digest").Text())
	e.Verified = report.OK
	switch {
	case !e.Verified:
		return algal.Errorf(algal.ReceiptMismatch, "receipt does not verify: %s", strings.Join(report.Mismatches, "; "))
	case e.Outcome != want.outcome:
		return algal.Errorf(algal.ReceiptMismatch, "outcome is %s%s, expected %s", e.Outcome, reason(receipt.Get("failure")), want.outcome)
	case want.receipt != "" && e.Receipt != want.receipt:
		return algal.Errorf(algal.ReceiptMismatch, "receipt is %s, expected %s", e.Receipt, want.receipt)
	}
	return nil
}

// reason tells a run's failure in brackets, "" when there is none.
func reason(failure canon.Value) string {
	if !failure.Exists() {
		return ""
	}
	return fmt.Sprintf(" (%s at %s: %s)", failure.Get("code").Text(), failure.Get("path").Text(), failure.Get("message").Text())
}
