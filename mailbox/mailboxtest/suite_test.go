package mailboxtest_test

import (
	"testing"

	"github.com/algal-vm/algal/mailbox"
	"github.com/algal-vm/algal/mailbox/mailboxtest"
)

func TestMemory(t *testing.T) {
	mailboxtest.Suite(t, func(*testing.T) mailboxtest.Store {
		m := mailbox.NewMemory()
		return mailboxtest.Store{Engine: m, Admit: m.Admit}
	})
}
