package transport

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Bounds of a configuration file (bundle.md §4.4).
const (
	maxTransports = 16
	maxName       = 64    // UTF-16 units
	maxTarget     = 4_096 // UTF-16 units
)

// ParseConfig admits the content of a transports file, an object of names to
// directories and URLs, and returns the transports by name (bundle.md §4.4).
// Directories are resolved against dir. HTTP transports have [DefaultTimeout] and
// end with ctx.
func ParseConfig(ctx context.Context, v canon.Value, dir string) (map[string]organism.Transport, error) {
	if err := canon.AsObject(v, "transports file"); err != nil {
		return nil, err
	}
	if v.Len() > maxTransports {
		return nil, algal.Errorf(algal.ParseFailed, "transports file exceeds %d entries", maxTransports)
	}
	transports := make(map[string]organism.Transport, v.Len())
	for name, target := range v.Members() {
		if canon.Units(name) > maxName {
			return nil, algal.Errorf(algal.ParseFailed, `transport name "%s" too long`, name)
		}
		if target.Text() == "" || canon.Units(target.Text()) > maxTarget {
			return nil, algal.Errorf(algal.ParseFailed, `transport "%s": directory must be a non-empty string`, name)
		}
		t, err := open(ctx, name, target.Text(), dir)
		if err != nil {
			return nil, err
		}
		transports[name] = t
	}
	return transports, nil
}

// open returns the transport of one entry.
func open(ctx context.Context, name, target, dir string) (organism.Transport, error) {
	if strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://") {
		return NewHTTP(ctx, target, DefaultTimeout)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	return NewDirectory(name, target), nil
}
