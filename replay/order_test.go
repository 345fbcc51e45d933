package replay_test

import (
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/replay"
	"github.com/google/go-cmp/cmp"
)

func orderOf(t *testing.T, receipt string) (cells, effects []string) {
	t.Helper()
	v, err := canon.Parse(receipt, canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return replay.ActivationOrder(v), replay.EffectPaths(v)
}

// TestActivationOrder: a path counts where it first occurs; those of which the log
// says nothing follow by UTF-16 code units, index keys among them.
func TestActivationOrder(t *testing.T) {
	got, _ := orderOf(t, `{"cells":{"a":{},"c":{},"10":{},"9":{},"b":{}},"events":[
		{"kind":"run.start"},{"kind":"cell.start","path":"c"},{"kind":"effect","path":"z"},{"kind":"cell.commit","path":"a"},
		{"kind":"cell.commit","path":"c"},{"kind":"cell.skip","path":"gone"}]}`)
	if diff := cmp.Diff([]string{"c", "a", "gone", "10", "9", "b"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestEffectPaths: of effects with the same request each has the event of its own; an
// event of none is passed over, and where the log ends nothing is known.
func TestEffectPaths(t *testing.T) {
	_, got := orderOf(t, `{"cells":{},"effects":[{"requestDigest":"one"},{"requestDigest":"two"},{"requestDigest":"one"},{"requestDigest":"late"}],"events":[
		{"kind":"effect","digest":"one","path":"a"},{"kind":"effect","digest":"lost","path":"x"},{"kind":"cell.commit","digest":"two","path":"y"},
		{"kind":"effect","digest":"two","path":"b"},{"kind":"effect","digest":"one","path":"c"}]}`)
	if diff := cmp.Diff([]string{"a", "b", "c", ""}, got); diff != "" {
		t.Error(diff)
	}
}
