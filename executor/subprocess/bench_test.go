package subprocess_test

import (
	"testing"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/subprocess"
)

// BenchmarkRoundTrip is one small request answered by the shell itself.
func BenchmarkRoundTrip(b *testing.B) {
	command := subprocess.Command{
		Argv:      subprocess.Shell(`read -r line; printf '%s' "$line"`),
		Input:     canon.Object(canon.M("q", canon.Int(1))),
		MaxStdout: subprocess.DefaultStdout,
		TimeoutMs: subprocess.DefaultTimeoutMs,
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := subprocess.Run(b.Context(), command); err != nil {
			b.Fatal(err)
		}
	}
}
