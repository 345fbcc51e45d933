package hostfile

import (
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/executortest"
	"github.com/algal-vm/algal/internal/goldenrun"
)

// TestBindingVectors covers the computed configuration digests, whose directories
// are those of other machines.
func TestBindingVectors(t *testing.T) {
	type vector struct {
		input  canon.Value
		digest string
	}
	vectors := []vector{{
		executortest.JSON(t, `{"contract":"algal.cli-tool-binding.v1","cwd":"/srv/tools","exec":"scripted:lookup.json","responses":{"{\"key\":\"a\"}":{"value":{"n":1}}},"signature":{"cost":50,"effect":"read","inputs":{"key":"text"},"maxOutputBytes":4096,"outputs":{"value":"json"}}}`),
		"sha256:f2c3eecd03fbae8f9f9e6af05eca5bb59d0648362e4ed2fa081411908310d541",
	}}
	for _, row := range goldenrun.Parse(t, "digests.json").Elements() {
		if input := row.Get("input"); input.Get("contract").IsText("algal.cli-tool-binding.v1") {
			vectors = append(vectors, vector{input, row.Get("digest").Text()})
		}
	}
	if len(vectors) != 3 {
		t.Errorf("%d vectors, want 3", len(vectors))
	}
	for _, v := range vectors {
		declared := canon.Object(canon.M("signature", v.input.Get("signature")), canon.M("exec", v.input.Get("exec")))
		e, err := parseEntry("t", declared)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.configuration(v.input.Get("cwd").Text(), v.input.Get("responses")); string(got) != v.digest {
			t.Errorf("%s: %s, want %s", e.exec, got, v.digest)
		}
	}
}
