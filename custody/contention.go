package custody

import "github.com/algal-vm/algal"

const contentionText = "host lease is held by another live operation"

func contention() error { return algal.Errorf(algal.IOFailed, contentionText) }

// Held reports whether err says that a live owner has the lease. Runtimes agree on
// the text of this refusal, and it is the only one that a retry may depend on (§8).
func Held(err error) bool {
	e := algal.AsError(err)
	return e != nil && e.Code == algal.IOFailed && e.Message == contentionText
}
