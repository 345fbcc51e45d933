package laboratory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox"
)

// unsynced does every step but the syncs, which show nothing here.
func unsynced(s durable.Step, do func() error) error {
	if s.Op == durable.OpFileSync || s.Op == durable.OpDirSync {
		return nil
	}
	return do()
}

// TestCountDeliveries counts a mailbox of three messages, one of them received, and
// sees that nothing counts that is not in order.
func TestCountDeliveries(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(box string, keys []string) error
		want  deliveries
		code  algal.Code
	}{
		"as it is": {func(string, []string) error { return nil }, deliveries{3, 3}, ""},
		"a leftover of a publication": {func(box string, _ []string) error {
			return os.WriteFile(filepath.Join(box, "messages", ".tmp-"+strings.Repeat("0", 48)), nil, 0o600)
		}, deliveries{3, 3}, ""},
		"a message without a delivery": {func(box string, keys []string) error {
			return os.Remove(filepath.Join(box, "pending", keys[1]))
		}, deliveries{3, 2}, ""},
		"a delivery twice": {func(box string, keys []string) error {
			return copyFile(filepath.Join(box, "pending", keys[1]), filepath.Join(box, "consumed", keys[1]))
		}, deliveries{3, 4}, ""},
		"a message under another key": {func(box string, keys []string) error {
			other := strings.Repeat("0", 64) + ".json"
			return errors.Join(
				os.Rename(filepath.Join(box, "messages", keys[0]), filepath.Join(box, "messages", other)),
				os.Rename(filepath.Join(box, "consumed", keys[0]), filepath.Join(box, "consumed", other)))
		}, deliveries{}, algal.DigestMismatch},
		"a changed message": {func(box string, keys []string) error {
			return os.WriteFile(filepath.Join(box, "messages", keys[0]), []byte(`{"contract":"algal.mailbox-message.v1"}`), 0o600)
		}, deliveries{}, algal.ParseFailed},
		"a delivery of another message": {func(box string, keys []string) error {
			return copyFile(filepath.Join(box, "pending", keys[1]), filepath.Join(box, "pending", keys[2]))
		}, deliveries{}, algal.DigestMismatch},
		"a delivery of no message": {func(box string, keys []string) error {
			return copyFile(filepath.Join(box, "pending", keys[1]), filepath.Join(box, "pending", strings.Repeat("0", 64)+".json"))
		}, deliveries{}, algal.DigestMismatch},
		"a foreign file": {func(box string, _ []string) error {
			return os.WriteFile(filepath.Join(box, "pending", "note"), nil, 0o600)
		}, deliveries{}, algal.IOFailed},
		"no JSON": {func(box string, keys []string) error {
			return os.WriteFile(filepath.Join(box, "pending", keys[1]), nil, 0o600)
		}, deliveries{}, algal.ParseFailed},
		"too many": {func(box string, keys []string) error {
			for i := range maxCounted {
				if err := os.WriteFile(filepath.Join(box, "messages", ".tmp-"+strconv.Itoa(i)), nil, 0o600); err != nil {
					return err
				}
			}
			return nil
		}, deliveries{}, algal.BudgetExhausted},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			store := disk.Open(dir, disk.Options{Files: durable.NewPublisher(durable.Options{Hook: unsynced})})
			keys := fill(t, mailbox.New(store.Mailboxes(), func(context.Context) (func() error, error) {
				return func() error { return nil }, nil
			}))
			if err := c.alter(filepath.Join(dir, "mailboxes", "box"), keys); err != nil {
				t.Fatal(err)
			}
			got, err := countDeliveries(store, "box")
			if algal.CodeOf(err) != c.code || err == nil && got != c.want {
				t.Errorf("%+v, %v (%s)", got, err, algal.CodeOf(err))
			}
		})
	}
	if got, err := countDeliveries(disk.Open(t.TempDir(), disk.Options{}), "box"); err != nil || got != (deliveries{}) {
		t.Errorf("a store without mailboxes: %+v, %v", got, err)
	}
}

// fill makes the mailbox with its messages and returns the names of their records;
// the first was received.
func fill(t *testing.T, service *mailbox.Service) (names []string) {
	t.Helper()
	config, err := service.Create(t.Context(), "box", 4, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := service.Send(t.Context(), config.Send.String(), canon.Int(i), canon.DigestText(strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	first, err := service.Receive(t.Context(), config.Receive.String())
	if err != nil {
		t.Fatal(err)
	}
	names = []string{first.Key.Hex() + ".json"}
	for i := range 3 {
		if name := canon.DigestText(strconv.Itoa(i)).Hex() + ".json"; name != names[0] {
			names = append(names, name)
		}
	}
	return names
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}
