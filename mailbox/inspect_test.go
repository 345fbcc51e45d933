//go:build unix

package mailbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/algal-vm/algal/mailbox/mailboxtest"
)

// TestInspectRecord is the form of cli.md §5 with all that it can show. Nothing is
// touched, whoever has the lock.
func TestInspectRecord(t *testing.T) {
	w := newWorld(t, 8, 64)
	for n := range 5 {
		w.mustSend(n, `1`)
	}
	first := w.mustReceive()
	var keys []int
	for n := range 5 {
		if mailboxtest.Key(n) != first.Key {
			keys = append(keys, n)
		}
	}
	w.remove(w.file("pending", keys[0]))
	w.write(w.file("consumed", keys[1]), w.read(w.file("pending", keys[1])))
	w.remove(w.file("messages", keys[2]))
	must(t, w.Revoke(ctx, w.box.Send.String()))
	w.write("mailboxes/box/.lock", "")

	states := map[int][2]string{
		keys[0]: {"send", "a send was interrupted after it had claimed the key: receive does not see the message until a repeated send of the same value with this key completes it"},
		keys[1]: {"receive", "a receive was interrupted between its two markers: every send of this key, every receive and every readiness probe of this mailbox fails until an operator has reconciled them"},
		keys[2]: {"corrupt", "the claim or a marker of the key is missing, damaged or of another message: sends and receives of it are refused"},
	}
	var interrupted []string
	for n, state := range states {
		interrupted = append(interrupted, fmt.Sprintf(`{"key":"%s","meaning":"%s","state":"%s"}`, mailboxtest.Key(n), state[1], state[0]))
	}
	slices.Sort(interrupted)
	want := fmt.Sprintf(`{"capabilities":{"receive":"active","send":"revoked"},"config":%s,"counts":{"consumed":1,"interrupted":3,"pending":1},"interrupted":[%s],"locked":true,"name":"box"}`,
		w.box.Record(), strings.Join(interrupted, ","))
	w.unchanged("inspecting", func() {
		i, err := w.Inspect("box")
		if err != nil || i.Record().String() != want {
			t.Errorf("inspected\n%s, %v\nwant\n%s", i.Record(), err, want)
		}
	})
}

// TestInspectMany lists the first 1,024 interrupted deliveries and counts all.
func TestInspectMany(t *testing.T) {
	w := newWorld(t, 1024, 64)
	for n := range 1030 {
		w.write(w.file("pending", n), "x")
	}
	i, err := w.Inspect("box")
	if err != nil || i.InterruptedKeys != 1030 || len(i.Interrupted) != 1024 {
		t.Fatalf("%d interrupted, %d listed, %v", i.InterruptedKeys, len(i.Interrupted), err)
	}
	for at := 1; at < len(i.Interrupted); at++ {
		if i.Interrupted[at-1].Key >= i.Interrupted[at].Key {
			t.Fatalf("%s stands before %s", i.Interrupted[at-1].Key, i.Interrupted[at].Key)
		}
	}
}
