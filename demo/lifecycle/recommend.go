package lifecycle

import (
	"io"
	"os"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
)

// Bounds of the adapter (demo.md §1.1).
const (
	maxRequest = 8192 // bytes
	maxRelease = 256  // UTF-16 units
)

// recommender is the cell that the adapter answers for.
const recommender = "recommend"

// Recommend is the command adapter of the agent cell: it reads one effect request,
// adds a line to the file log for the decision that it makes, and writes the
// decision. A request that is not the one it serves is refused with PARSE_FAILED or
// TYPE_MISMATCH, BUDGET_EXHAUSTED beyond 8192 bytes, and logs nothing.
func Recommend(in io.Reader, out io.Writer, log string) error {
	release, err := requestedRelease(in)
	if err != nil {
		return err
	}
	if err := logDecision(log, release); err != nil {
		return algal.Errorf(algal.IOFailed, "the log of decisions: %v", durable.Cause(err))
	}
	answer := canon.Object(
		canon.M("release", canon.String(release)),
		canon.M("recommendation", canon.String("review")),
		canon.M("summary", canon.String("Unit, integration, and security fixture checks pass; awaiting host approval.")),
	)
	if _, err := io.WriteString(out, answer.String()+"\n"); err != nil {
		return algal.Errorf(algal.IOFailed, "the answer: %v", durable.Cause(err))
	}
	return nil
}

// requestedRelease reads the request and returns the release that it is about.
func requestedRelease(in io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxRequest+1))
	if err != nil {
		return "", algal.Errorf(algal.IOFailed, "the request: %v", durable.Cause(err))
	}
	if len(text) > maxRequest {
		return "", algal.Errorf(algal.BudgetExhausted, "the request has more than %d bytes", maxRequest)
	}
	request, err := canon.Parse(string(text), canon.Limits{Bytes: maxRequest})
	if err != nil {
		return "", err
	}
	for _, want := range []struct{ member, text string }{{"kind", "agent"}, {"cellId", recommender}} {
		if got := request.Get(want.member); !got.IsText(want.text) {
			return "", algal.Errorf(algal.ParseFailed, "the request's %s must be %s", want.member, want.text)
		}
	}
	release := request.Get("context").Get("inputs").Get("evidence").Get("release")
	return canon.AsString(release, "context.inputs.evidence.release", maxRelease)
}

// decision is the line that the log holds for a decision on a release.
func decision(release string) string {
	return canon.Object(
		canon.M("cellId", canon.String(recommender)),
		canon.M("release", canon.String(release)),
	).String()
}

func logDecision(log, release string) (err error) {
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if failed := f.Close(); err == nil {
			err = failed
		}
	}()
	_, err = f.WriteString(decision(release) + "\n")
	return err
}
