//go:build unix

package process_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/chain"
	"github.com/algal-vm/algal/journal"
	"github.com/algal-vm/algal/process"
)

// TestRecoverySoak kills journaled dispatches of random programs of read, write and
// model effects, and their recoveries, at random events, each in a fresh store. An
// outside ledger shows that no write and no model was called twice and no read more
// often than its attempts allow; every process whose journal allows it completes, and
// every other one is refused for the right reason. -soak and -seed are those of
// TestSoak.
func TestRecoverySoak(t *testing.T) {
	seed := *soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	s := &recoverySoak{T: t, random: rand.New(rand.NewPCG(seed, 3)), ends: map[string]int{}}
	for s.kills < *soakKills {
		s.round()
	}
	for _, end := range []string{"complete", "blocked"} {
		if *soakKills >= 100 && s.ends[end] == 0 {
			t.Errorf("no process was %s", end)
		}
	}
	t.Logf("%d kills of %d processes in as many stores; ends %v; calls: %d of models, %d of writes, %d of reads, %d of these repeated; no write and no model called twice",
		s.kills, s.rounds, s.ends, s.called["model"], s.called["save"], s.called["look"], s.repeated)
}

type recoverySoak struct {
	*testing.T
	random                  *rand.Rand
	rounds, kills, repeated int
	ends                    map[string]int
	called                  map[string]int // by kind of effect
}

// program is a chain of effects in random order.
func (s *recoverySoak) program() string {
	var list, edges []string
	for i := range 2 + s.random.IntN(6) {
		id := fmt.Sprintf("c%d", i)
		switch s.random.IntN(4) {
		case 0:
			list = append(list, fmt.Sprintf(`{"id":"%s","kind":"agent","inputs":{"in":"json"},"prompt":"%d?","output":{"kind":"text"}}`, id, i))
		case 1:
			list = append(list, fmt.Sprintf(`{"id":"%s","kind":"tool","tool":"save"}`, id))
		default:
			list = append(list, fmt.Sprintf(`{"id":"%s","kind":"tool","tool":"look"}`, id))
		}
		from := "start.v"
		if i > 0 {
			from = fmt.Sprintf("c%d.out", i-1)
		}
		edges = append(edges, from+" "+id+".in")
	}
	start := `{"id":"start","kind":"const","outputs":{"v":{"type":"text","value":"go"}}}`
	return cells(strings.Join(append([]string{start}, list...), ","), edges...)
}

// round is the life of one process.
func (s *recoverySoak) round() {
	s.rounds++
	dir, err := os.MkdirTemp(s.TempDir(), "")
	must(s.T, err)
	defer os.RemoveAll(dir)
	dir, err = filepath.EvalSymlinks(dir)
	must(s.T, err)
	b := bench{root: filepath.Join(dir, "store")}
	b.desk(s).createWith(process.Definition{Name: "p", Manifest: manifest(s, s.program()), MaxGenerations: 2})
	if b.die(s.T, "tick", s.random.IntN(90)) {
		s.kills++
	}
	for s.random.IntN(3) > 0 && s.mayRecover(b) && b.die(s.T, "recover", s.random.IntN(70)) {
		s.kills++
	}
	s.settle(b)
	s.count(b)
	b.desk(s).sound()
}

// mayRecover reports whether the process is uncertain and nothing stands in the way
// of its recovery.
func (s *recoverySoak) mayRecover(b bench) bool {
	d := b.desk(s)
	if d.head("p").Record.Status != chain.Uncertain {
		return false
	}
	j := d.journalOf("p")
	return !unsettled(j) && j.Attempts() < crashBudget
}

// unsettled reports whether the journal ends with an effect that may not be repeated.
func unsettled(j *journal.Journal) bool {
	return slices.ContainsFunc(j.Effects(), func(e journal.Effect) bool { return !e.Completed() && !e.Read })
}

// settle brings the process to its end, or shows that it is refused one.
func (s *recoverySoak) settle(b bench) {
	d := b.desk(s)
	verb := "tick"
	switch d.head("p").Record.Status {
	case chain.Complete:
		s.complete(b)
		return
	case chain.Uncertain:
		verb = "recover"
		if j := d.journalOf("p"); unsettled(j) || j.Attempts() >= crashBudget {
			s.refused(b, j)
			return
		}
	}
	if err := b.run(s, verb); err != nil {
		s.Fatalf("round %d: %s: %v", s.rounds, verb, err)
	}
	s.complete(b)
}

func (s *recoverySoak) complete(b bench) {
	s.ends["complete"]++
	d := b.desk(s)
	if status := d.head("p").Record.Status; status != chain.Complete {
		s.Fatalf("round %d: %s", s.rounds, status)
	}
	if _, err := d.processes().Verify(s.Context(), "p"); err != nil {
		s.Fatalf("round %d: %v", s.rounds, err)
	}
}

// refused checks that a recovery is refused, calls nothing and spends nothing.
func (s *recoverySoak) refused(b bench, j *journal.Journal) {
	end, code := "blocked", algal.IOFailed
	if !unsettled(j) {
		end, code = "out of attempts", algal.BudgetExhausted
	}
	s.ends[end]++
	before := s.ledger(b)
	err := b.run(s, "recover")
	var r *journal.Refusal
	if algal.CodeOf(err) != code || !errors.As(err, &r) || r.Consumed {
		s.Fatalf("round %d, %s: %v", s.rounds, end, err)
	}
	if after := s.ledger(b); len(after) != len(before) || b.desk(s).journalOf("p").Attempts() != j.Attempts() {
		s.Fatalf("round %d: a refused recovery called something or spent an attempt", s.rounds)
	}
}

func (s *recoverySoak) ledger(b bench) []string {
	text, err := os.ReadFile(b.ledger())
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(text)))
}

// count holds the ledger to what may be called how often.
func (s *recoverySoak) count(b bench) {
	if s.called == nil {
		s.called = map[string]int{}
	}
	calls := map[string]int{}
	for _, line := range s.ledger(b) {
		calls[line]++
		s.called[strings.Fields(line)[0]]++
	}
	for line, n := range calls {
		most := 1
		if strings.HasPrefix(line, "look ") {
			most += crashBudget
		}
		if n > most {
			s.Errorf("round %d: called %d times: %s", s.rounds, n, line)
		}
		s.repeated += n - 1
	}
}
