package castest_test

import (
	"testing"

	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/cas/castest"
)

func TestMemory(t *testing.T) {
	castest.Suite(t, func(*testing.T) cas.Store { return cas.NewMemory() })
}

// An overlay over an empty store is a store.
func TestOverlay(t *testing.T) {
	castest.Suite(t, func(*testing.T) cas.Store { return cas.NewOverlay(cas.NewMemory()) })
}

// A store runs the suite from a test of its own.
func ExampleSuite() {
	test := func(t *testing.T) {
		castest.Suite(t, func(*testing.T) cas.Store { return cas.NewMemory() })
	}
	_ = test
}
