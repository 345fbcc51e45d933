// Command benchverify measures algal-verify as a whole process against floors, in
// one interleaved run, and prints ratios of medians. Absolute times mean little on
// a shared machine; the ratios of one run do.
//
//	go run ./scripts/benchverify [-rounds 30]
//
// It needs sha256sum on the PATH and takes its documents from testdata/golden.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
)

const (
	bigDocument   = "testdata/golden/bench/long-30.evidence.json.zst"
	smallDocument = "testdata/golden/processes/multi-wake/steps.evidence.json" // 27 KB
)

func main() {
	rounds := flag.Int("rounds", 30, "measured rounds; each runs every command once")
	flag.Parse()
	if err := bench(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// subject is one measured command.
type subject struct {
	name  string
	args  []string
	times []time.Duration
	peaks []int64 // bytes
}

func bench(rounds int) error {
	dir, err := os.MkdirTemp("", "benchverify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	small, err := os.Stat(smallDocument)
	if err != nil {
		return fmt.Errorf("run me in the root of the module: %w", err)
	}
	big, bigSize, err := unpack(dir, bigDocument)
	if err != nil {
		return err
	}
	binaries := map[string]string{}
	for name, pkg := range map[string]string{"verify": "./cmd/algal-verify", "hash": "./scripts/benchverify/hashonly", "empty": "./scripts/benchverify/empty"} {
		if binaries[name], err = build(dir, name, pkg); err != nil {
			return err
		}
	}
	subjects := []*subject{
		{name: "algal-verify, big document", args: []string{binaries["verify"], big}},
		{name: "sha256sum, big document", args: []string{"sha256sum", big}},
		{name: "Go hash only, big document", args: []string{binaries["hash"], big}},
		{name: "algal-verify, small document", args: []string{binaries["verify"], smallDocument}},
		{name: "empty Go program", args: []string{binaries["empty"]}},
	}
	for round := -2; round < rounds; round++ { // two rounds warm the cache
		for _, s := range subjects {
			if err := s.measure(round >= 0); err != nil {
				return err
			}
		}
	}
	report(subjects, bigSize, int(small.Size()))
	return nil
}

func unpack(dir, file string) (path string, size int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", 0, err
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		return "", 0, err
	}
	defer decoder.Close()
	if data, err = decoder.DecodeAll(data, nil); err != nil {
		return "", 0, err
	}
	path = filepath.Join(dir, filepath.Base(file)+".json")
	return path, len(data), os.WriteFile(path, data, 0o600)
}

func build(dir, name, pkg string) (string, error) {
	binary := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-trimpath", "-o", binary, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", pkg, err, out)
	}
	return binary, nil
}

func (s *subject) measure(counts bool) error {
	cmd := exec.Command(s.args[0], s.args[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if counts {
		s.times = append(s.times, took)
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			s.peaks = append(s.peaks, usage.Maxrss<<10)
		}
	}
	return nil
}

func median[T int64 | time.Duration](list []T) T {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

func report(s []*subject, bigSize, smallSize int) {
	for _, one := range s {
		fmt.Printf("%-32s median %8.2f ms, fastest %8.2f ms, peak %6.1f MB\n", one.name,
			ms(median(one.times)), ms(slices.Min(one.times)), float64(median(one.peaks))/1e6)
	}
	ratio := func(a, b int) float64 { return float64(median(s[a].times)) / float64(median(s[b].times)) }
	fmt.Printf("\nbig document, %d bytes:\n", bigSize)
	fmt.Printf("  algal-verify / sha256sum    %5.2f  (aim 4, never above 10)\n", ratio(0, 1))
	fmt.Printf("  algal-verify / Go hash only %5.2f\n", ratio(0, 2))
	fmt.Printf("  peak memory / document      %5.2f  (aim 6, never above 12)\n", float64(median(s[0].peaks))/float64(bigSize))
	fmt.Printf("small document, %d bytes:\n", smallSize)
	fmt.Printf("  algal-verify / empty Go     %5.2f  (aim 3)\n", ratio(3, 4))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
