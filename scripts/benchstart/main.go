// Command benchstart measures how long commands of algal take to start and refuse
// or do very little, over an empty Go program, in one interleaved run, and prints
// ratios of medians. The aim is 3.
//
//	go run ./scripts/benchstart [-rounds 30]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

const program = "examples/programs/order-total/program.algal.json"

// commands do as little as each of them can; what they find does not matter.
var commands = [][]string{
	{"version"}, {"help"}, {"completion", "bash"}, {"check", program}, {"digest", program}, {"explain", program},
	{"run", "nosuch"}, {"verify", "nosuch"}, {"resume", "nosuch"}, {"replay", "nosuch", "--with", "nosuch"}, {"inspect", "nosuch"},
	{"diff", "nosuch", "nosuch"}, {"store", "has", "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}, {"slots"},
	{"runs"}, {"manifests"}, {"pack", "nosuch"}, {"unpack", "nosuch"}, {"expr", "eval", "nosuch"}, {"suite", "nosuch"},
	{"mailbox", "list"}, {"process", "list"}, {"process", "inspect", "nosuch"}, {"process", "schedule"},
	{"diagram", "nosuch"}, {"report", "nosuch"}, {"demo", "verify", "nosuch"}, {"demo", "inspect", "nosuch"},
}

func main() {
	rounds := flag.Int("rounds", 30, "measured rounds; each runs every command once")
	flag.Parse()
	if err := bench(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func bench(rounds int) error {
	dir, err := os.MkdirTemp("", "benchstart-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	algal, empty := filepath.Join(dir, "algal"), filepath.Join(dir, "empty")
	for binary, pkg := range map[string]string{algal: "./cmd/algal", empty: "./scripts/benchverify/empty"} {
		cmd := exec.Command("go", "build", "-trimpath", "-o", binary, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", pkg, err, out)
		}
	}
	store := filepath.Join(dir, "store")
	times := make([][]time.Duration, len(commands))
	var floor []time.Duration
	for round := -2; round < rounds; round++ { // two rounds warm the cache
		f := measure(empty)
		if round >= 0 {
			floor = append(floor, f)
		}
		for i, c := range commands {
			args := c
			if c[0] != "version" && c[0] != "help" && c[0] != "completion" {
				args = append(slices.Clone(c), "--dir", store)
			}
			if d := measure(algal, args...); round >= 0 {
				times[i] = append(times[i], d)
			}
		}
	}
	fmt.Printf("empty Go program: median %.2f ms\n", ms(median(floor)))
	for i, c := range commands {
		fmt.Printf("%-40s %6.2f ms, ratio %.2f\n", fmt.Sprint(c), ms(median(times[i])), float64(median(times[i]))/float64(median(floor)))
	}
	return nil
}

// measure runs a command whatever comes of it.
func measure(binary string, args ...string) time.Duration {
	cmd := exec.Command(binary, args...)
	start := time.Now()
	_ = cmd.Run() // most of them are refused
	return time.Since(start)
}

func median(list []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
