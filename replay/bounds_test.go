package replay_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas"
	"github.com/algal-vm/algal/organism"
	"github.com/algal-vm/algal/replay"
	"github.com/algal-vm/algal/runtime"
)

const tooLarge = "receipt structural bounds exceeded"

// everywhere reads a receipt's text back, keeps it, and verifies it.
func everywhere(t *testing.T, m *organism.Manifest, receipt canon.Value) {
	t.Helper()
	read, err := canon.Parse(receipt.String(), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := runtime.ParseReceipt(read); err != nil {
		t.Fatal(err)
	}
	store := cas.NewMemory()
	d, err := store.PutReceipt(read)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := store.Receipt(d); err != nil || !canon.Equal(kept, receipt) {
		t.Errorf("kept %v, %v", kept.Exists(), err)
	}
	if report, err := replay.Verify(t.Context(), read, m, runtime.Host{Store: store}); err != nil || !report.OK {
		t.Errorf("%s, %v", report.Value(), err)
	}
}

// TestReceiptDepth is V-6: a receipt adds levels around an argument, and a run
// does not hand out what nobody could read back.
func TestReceiptDepth(t *testing.T) {
	m := program(t, `{"id":"s","kind":"input","outputs":{"v":"json"}}`, "")
	for _, depth := range []int{59, 60, 61, 62} {
		t.Run("V-6/"+strconv.Itoa(depth), func(t *testing.T) {
			v := canon.Int(0)
			for range depth {
				v = canon.Array(v)
			}
			args := canon.Object(canon.M("s", canon.Object(canon.M("v", v))))
			result, err := runtime.Run(t.Context(), m, args, runtime.Host{Store: cas.NewMemory()}, nil)
			if depth <= 60 {
				if err != nil {
					t.Fatal(err)
				}
				everywhere(t, m, result.Receipt())
				return
			}
			if result != nil || algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != tooLarge {
				t.Errorf("%v %v", algal.CodeOf(err), err)
			}
		})
	}
}

// TestReceiptNodes is V-7.
func TestReceiptNodes(t *testing.T) {
	// Four ports of many nodes stand in the arguments and in the outputs; the
	// argument of no cell, which stands there once, makes up the exact number.
	m := program(t, `{"id":"s","kind":"input","outputs":{"a":"json","b":"json","c":"json","d":"json"}}`, "")
	sized := func(free int) canon.Value {
		ports := make([]canon.Member, 0, 4)
		for _, port := range []string{"a", "b", "c", "d"} {
			ports = append(ports, canon.M(port, zeros(124_900)))
		}
		return canon.Object(canon.M("s", canon.Object(ports...)), canon.M("x", canon.Object(canon.M("y", zeros(free)))))
	}
	host := runtime.Host{Store: cas.NewMemory()}
	small, err := runtime.Run(t.Context(), m, sized(0), host, nil)
	if err != nil {
		t.Fatal(err)
	}
	free := 1_000_000 - small.Receipt().Nodes()
	t.Run("V-7/1000000", func(t *testing.T) {
		result, err := runtime.Run(t.Context(), m, sized(free), host, nil)
		if err != nil {
			t.Fatal(err)
		}
		receipt := result.Receipt()
		if receipt.Nodes() != 1_000_000 {
			t.Fatalf("%d nodes", receipt.Nodes())
		}
		everywhere(t, m, receipt)
	})
	t.Run("V-7/1000001", func(t *testing.T) {
		result, err := runtime.Run(t.Context(), m, sized(free+1), host, nil)
		if result != nil || algal.CodeOf(err) != algal.BudgetExhausted || err.Error() != tooLarge {
			t.Errorf("%v %v", algal.CodeOf(err), err)
		}
		larger := small.Receipt()
		larger = larger.With(canon.M("args", sized(free+1)))
		if err := runtime.ParseReceipt(larger); algal.CodeOf(err) != algal.ParseFailed || err.Error() != tooLarge {
			t.Errorf("a foreign receipt of %d nodes: %v", larger.Nodes(), err)
		}
	})
}

// zeros is an array of n zeros.
func zeros(n int) canon.Value {
	v, err := canon.Parse("["+strings.TrimSuffix(strings.Repeat("0,", n), ",")+"]", canon.Limits{})
	if err != nil {
		return canon.Null() // not reached: the text is JSON
	}
	return v
}
