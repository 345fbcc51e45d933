package workbench

import (
	"context"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/demo/fault"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/verify"
)

// Export writes the history of the process as one evidence document, which verifies
// without the root, and returns its text. The report says how it verified.
func Export(ctx context.Context, path string, o Options) (text string, report *Report, err error) {
	b, err := open(path, o)
	if err != nil {
		return "", nil, err
	}
	err = b.owning(ctx, func() error {
		// Nothing is written when an artifact or the history is not in order.
		if _, err := b.inspect(ctx); err != nil {
			return err
		}
		supervisor, err := b.supervisor()
		if err != nil {
			return err
		}
		document, err := supervisor.Export(ctx, ProcessName, b.signatures())
		if err != nil {
			return err
		}
		if text = document.Text; fault.Planted(fault.FlippedReceipt) {
			text = flipped(text)
		}
		if err := b.replace(EvidenceName, text); err != nil {
			return err
		}
		report, err = b.reportExported(ctx, document.Report.Value())
		return err
	})
	if err != nil {
		return "", nil, err
	}
	return text, report, nil
}

// signatures returns those of the mailbox tools, which are all that the program
// names.
func (b *bench) signatures() map[string]*organism.Tool {
	signatures := map[string]*organism.Tool{}
	for name, tool := range b.mailboxes.Tools() {
		signatures[name] = tool.Signature
	}
	return signatures
}

// flipped is what fault.FlippedReceipt does: one receipt claims another outcome.
func flipped(text string) string {
	v, err := canon.Parse(text, canon.Limits{Nodes: verify.MaxNodes})
	if err != nil {
		return text
	}
	receipts := v.Get("receipts")
	for key, receipt := range receipts.CanonicalMembers() {
		changed := receipt.With(canon.M("outcome", canon.String("failed")))
		return v.With(canon.M("receipts", receipts.With(canon.M(key, changed)))).String()
	}
	return text
}
