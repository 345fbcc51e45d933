package journal

import (
	"errors"

	"github.com/algal-vm/algal"
)

// Fault is a refusal of a document of a journal. Its sentence is that of the
// contract and names no file; the names, relative to the store, are for whoever
// shows it.
type Fault struct {
	Name string
	By   string // the document that names this one, "" if none does
	Err  error
}

func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the refusal itself.
func (f *Fault) Unwrap() error { return f.Err }

// Told returns an error in words for a reader, with the document that it is about
// where it is a [Fault].
func Told(err error) string {
	text := err.Error()
	if f, ok := errors.AsType[*Fault](err); ok {
		text += ", in " + f.Name
	}
	return text
}

// in says which document err is about.
func in(name string, err error) error {
	if err == nil {
		return nil
	}
	return &Fault{Name: name, Err: err}
}

func mismatch(text string) *algal.Error { return algal.Errorf(algal.ReceiptMismatch, "%s", text) }

// uncertain flags a failure after which nobody can tell whether an outside action
// was recorded. Code and sentence stay, and so does the cause.
func uncertain(err error) error {
	if err == nil {
		return nil
	}
	flagged := *algal.AsError(err)
	flagged.Uncertain = true
	return &uncertainError{&flagged, err}
}

type uncertainError struct {
	flagged *algal.Error
	cause   error
}

func (e *uncertainError) Error() string { return e.flagged.Message }

func (e *uncertainError) Unwrap() []error { return []error{e.flagged, e.cause} }
