//go:build demofaults

package fault

import "os"

// Planted reports whether the environment variable ALGAL_DEMO_FAULT asks for a
// fault.
func Planted(n Name) bool { return os.Getenv("ALGAL_DEMO_FAULT") == string(n) }
