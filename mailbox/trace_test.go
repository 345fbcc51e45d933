//go:build unix

package mailbox_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/mailbox/mailboxtest"
	"github.com/google/go-cmp/cmp"
)

var tempName = regexp.MustCompile(`\.tmp-[a-f0-9]{48}`)

// TestTraces compares the steps of operations with the publication orders of
// mailbox.md §7, §9 and §10. They are those of a process that has published in the
// same directories before (store.md §3.1).
func TestTraces(t *testing.T) {
	w := newWorld(t, 4, 64)
	var trace []string
	s := openStore(w.root, func(s durable.Step, do func() error) error {
		line := strings.NewReplacer(
			w.root+"/mailboxes/box", "$B", w.root, "$S",
			mailboxtest.Key(2).Hex(), "KEY", w.box.Receive.Digest.Hex(), "CAPABILITY",
		).Replace(s.String())
		trace = append(trace, tempName.ReplaceAllString(line, "TEMP"))
		return unsynced(s, do)
	})
	w.Service = s.Service()
	w.mustSend(1, `1`)
	w.mustReceive()
	for _, c := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"send", func() error { _, err := w.send(2, `2`); return err }, []string{
			"create-lock $B/.lock",
			"write-temp $B/messages/TEMP", "file-sync $B/messages/TEMP", "link $B/messages/TEMP -> $B/messages/KEY.json",
			"dir-sync $B/messages", "unlink-temp $B/messages/TEMP",
			"write-temp $B/pending/TEMP", "file-sync $B/pending/TEMP", "link $B/pending/TEMP -> $B/pending/KEY.json",
			"dir-sync $B/pending", "unlink-temp $B/pending/TEMP",
			"unlink-lock $B/.lock", "dir-sync $B",
		}},
		{"send again", func() error { _, err := w.send(2, `2`); return err }, []string{
			"create-lock $B/.lock",
			"file-sync $B/messages/KEY.json", "dir-sync $B/messages",
			"file-sync $B/pending/KEY.json", "dir-sync $B/pending",
			"unlink-lock $B/.lock", "dir-sync $B",
		}},
		{"probe", func() error { return w.probe() }, []string{"create-lock $B/.lock", "unlink-lock $B/.lock", "dir-sync $B"}},
		{"receive", func() error { _, err := w.receive(); return err }, []string{
			"create-lock $B/.lock",
			"file-sync $B/messages/KEY.json", "dir-sync $B/messages",
			"write-temp $B/consumed/TEMP", "file-sync $B/consumed/TEMP", "link $B/consumed/TEMP -> $B/consumed/KEY.json",
			"dir-sync $B/consumed", "unlink-temp $B/consumed/TEMP",
			"unlink-pending $B/pending/KEY.json", "dir-sync $B/pending",
			"unlink-lock $B/.lock", "dir-sync $B",
		}},
		{"look", func() error { w.idle(); _, err := w.Inspect("box"); return err }, nil},
		{"revoke", func() error { return w.Revoke(ctx, w.box.Receive.String()) }, []string{
			"create-lock $B/.lock",
			"dir-sync $S/capabilities", "dir-sync $S",
			"write-temp $S/capabilities/TEMP", "file-sync $S/capabilities/TEMP",
			"replace $S/capabilities/TEMP -> $S/capabilities/CAPABILITY.json",
			"dir-sync $S/capabilities", "unlink-temp $S/capabilities/TEMP",
			"unlink-lock $B/.lock", "dir-sync $B",
		}},
	} {
		trace = nil
		must(t, c.do())
		// The syncs above the store are those of a first publication.
		trace = deleteAbove(trace)
		if diff := cmp.Diff(c.want, trace); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func deleteAbove(trace []string) (kept []string) {
	for _, line := range trace {
		if strings.Contains(line, "$") {
			kept = append(kept, line)
		}
	}
	return kept
}
