//go:build unix

package durable

// identity tells a directory from others that have its path before or after it.
type identity struct {
	device, inode uint64
	born          int64 // nanoseconds since 1970

	// told is false where the system does not tell the time of birth. Inode
	// numbers are used again, so without it no directory is recognised.
	told bool
}
