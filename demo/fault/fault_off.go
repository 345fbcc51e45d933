//go:build !demofaults

package fault

// Planted reports whether a fault was planted. In a product nothing is.
func Planted(Name) bool { return false }
