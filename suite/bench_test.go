package suite_test

import (
	"testing"

	"github.com/algal-vm/algal/examples"
	"github.com/algal-vm/algal/suite"
)

// BenchmarkExamples runs and verifies all bundled examples.
func BenchmarkExamples(b *testing.B) {
	for b.Loop() {
		result, err := suite.Run(b.Context(), examples.Programs(), suite.Options{})
		if err != nil || !result.OK() {
			b.Fatal(result, err)
		}
	}
}
