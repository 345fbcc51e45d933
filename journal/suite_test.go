package journal_test

import (
	"testing"

	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/journal/journaltest"
)

func TestSuite(t *testing.T) {
	journaltest.Suite(t, func(*testing.T) journal.Engine { return journal.NewMemory() })
}
