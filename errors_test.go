package algal_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/algal-vm/algal"
)

func TestCodesAreClosed(t *testing.T) {
	codes := algal.Codes()
	if len(codes) != 28 {
		t.Errorf("%d codes, the contract has 28", len(codes))
	}
	for _, c := range codes {
		if !c.Known() {
			t.Errorf("%s is not known", c)
		}
	}
	if algal.Code("VERIFY_FAILED").Known() {
		t.Error("a code of another runtime is known")
	}
}

func TestErrorsAreFoundByCode(t *testing.T) {
	miss := algal.Errorf(algal.StoreMiss, "no %s", "object")
	wrapped := fmt.Errorf("while reading: %w", miss)
	if algal.CodeOf(wrapped) != algal.StoreMiss || algal.AsError(wrapped) != miss {
		t.Errorf("%v: %s", wrapped, algal.CodeOf(wrapped))
	}
	if algal.CodeOf(nil) != "" || algal.AsError(nil) != nil {
		t.Error("nil has a code")
	}
	if e := algal.AsError(errors.New("odd")); e.Code != algal.Internal || e.Message != "odd" {
		t.Errorf("%v", e)
	}
}
