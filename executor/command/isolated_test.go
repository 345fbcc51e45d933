//go:build unix

package command_test

import (
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/command"
	"github.com/algal-vm/algal/executor/executortest"
	"github.com/algal-vm/algal/runtime"
	"github.com/google/go-cmp/cmp"
)

func isolated(t testing.TB, line string, isolation command.Isolation) *command.Executor {
	t.Helper()
	e, err := command.NewIsolated(line, isolation, command.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// say runs a line isolated and returns its answer or the message of its error.
func say(t testing.TB, e *command.Executor) string {
	t.Helper()
	answer, err := e.Call(t.Context(), &runtime.Request{Record: canon.Object()})
	if err != nil {
		return string(algal.CodeOf(err)) + " " + err.Error()
	}
	return answer.Output.String()
}

// TestIsolatedDigests builds both digests of §8.5.3 by hand.
func TestIsolatedDigests(t *testing.T) {
	limits := command.Limits{CPUSeconds: 5, FileSizeBlocks: 100, OpenFiles: 32, Processes: 64, StackKiB: 8192, NoCore: true}
	e := isolated(t, "cat", command.Isolation{
		Dir:         "/",
		Environment: command.Environment{Set: map[string]string{"B": "2", "A": "1"}, Inherit: []string{"TERM", "EDITOR"}},
		Limits:      limits,
	})
	descriptor := `{"env":{"inherit":["EDITOR","TERM"],"set":{"A":"1","B":"2"}},"limits":{` +
		`"cpuSeconds":{"enforced":true,"value":5},"fileSizeBlocks":{"enforced":true,"value":100},` +
		`"noCore":{"enforced":true,"value":true},"openFiles":{"enforced":true,"value":32},` +
		`"processes":{"enforced":true,"scope":"uid","value":64},"stackKiB":{"enforced":true,"value":8192}},` +
		`"platform":"` + goruntime.GOOS + `"}`
	script := "umask 077 || exit 111\nulimit -t 5 || exit 111\nulimit -f 100 || exit 111\nulimit -n 32 || exit 111\n" +
		"ulimit -u 64 || exit 111\nulimit -s 8192 || exit 111\nulimit -c 0 || exit 111\nexec /bin/sh -c \"$1\""
	argv := `["/bin/sh","-c",` + canon.String(script).String() + `,"algal-isolated-command","cat"]`
	identity := executortest.JSON(t, `{"command":"cat","isolation":`+descriptor+`,"options":{}}`).Digest()
	configuration := executortest.JSON(t, `{"argv":`+argv+`,"cwd":"/","isolation":`+descriptor+`,"kind":"command","timeoutMs":120000}`).Digest()
	want := runtime.Description{
		ID:            "cmd:" + string(identity),
		Kinds:         []runtime.EffectKind{"agent", "classifier", "gate", "decide", "recall"},
		Identity:      string(identity),
		Configuration: configuration,
	}
	if diff := cmp.Diff(want, e.Describe()); diff != "" {
		t.Error(diff)
	}
}

func TestIsolatedEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("ALGAL_TEST_LIVE", "live")
	t.Setenv("ALGAL_TEST_HIDDEN", "hidden")
	os.Unsetenv("ALGAL_TEST_UNSET")
	cases := []struct {
		name        string
		environment command.Environment
		want        string
	}{
		{"fixed", command.Environment{}, `HOME=` + dir + ` LANG=C.UTF-8 PATH=/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin`},
		{
			"overlaid and inherited",
			command.Environment{
				Set:     map[string]string{"LANG": "C", "MINE": "x", "ALGAL_TEST_LIVE": "fixed", "ALGAL_TEST_UNSET": "fixed"},
				Inherit: []string{"ALGAL_TEST_LIVE", "ALGAL_TEST_UNSET"},
			},
			`ALGAL_TEST_LIVE=live HOME=` + dir + ` LANG=C MINE=x PATH=/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			// The shell adds PWD and the like; what it was given is in env of a child
			// started without them.
			e := isolated(t, `env -u PWD -u OLDPWD -u SHLVL -u _ env | LC_ALL=C sort | tr '\n' ' ' | sed 's/^/"/; s/ $/"/'`,
				command.Isolation{Dir: dir, Environment: c.environment})
			if got, want := say(t, e), `"`+c.want+`"`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	big := isolated(t, "printf 1", command.Isolation{Dir: dir, Environment: command.Environment{Inherit: []string{"ALGAL_TEST_LIVE"}}})
	t.Setenv("ALGAL_TEST_LIVE", strings.Repeat("x", 8192))
	if got := say(t, big); got != "1" {
		t.Error(got)
	}
	t.Setenv("ALGAL_TEST_LIVE", strings.Repeat("x", 8193))
	if got, want := say(t, big), `EFFECT_FAILED isolation env "ALGAL_TEST_LIVE" exceeds the value bound`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestIsolatedLimits(t *testing.T) {
	dir := t.TempDir()
	show := `printf '"%s %s %s %s %s"' "$(ulimit -t)" "$(ulimit -f)" "$(ulimit -n)" "$(ulimit -s)" "$(ulimit -c)"`
	e := isolated(t, show, command.Isolation{Dir: dir, Limits: command.Limits{
		CPUSeconds: 7, FileSizeBlocks: 100, OpenFiles: 33, StackKiB: 4096, NoCore: true,
	}})
	if got, want := say(t, e), `"7 100 33 4096 0"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	umask := isolated(t, `umask | sed 's/.*/"&"/'; : > made`, command.Isolation{Dir: dir})
	if got := strings.TrimLeft(say(t, umask), `"0`); got != `77"` {
		t.Errorf("umask %s", got)
	}
	if info, err := os.Stat(filepath.Join(dir, "made")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// More open files than the system allows at all: the line does not run.
	impossible := isolated(t, ": > ran; printf 1", command.Isolation{Dir: dir, Limits: command.Limits{OpenFiles: 4, AddressSpaceKiB: 1024}})
	if got := say(t, impossible); got == "1" {
		t.Error("ran in an address space of 1 MiB")
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the line ran")
	}
}

func TestRefusedIsolation(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	many := map[string]string{}
	for i := range 33 {
		many["N"+strings.Repeat("x", i)] = ""
	}
	noDir := "isolation cwd must be the absolute path of an existing directory, at most 4096 bytes long"
	cases := []struct {
		isolation command.Isolation
		want      string
	}{
		{command.Isolation{}, noDir},
		{command.Isolation{Dir: "."}, noDir},
		{command.Isolation{Dir: filepath.Join(dir, "absent")}, noDir},
		{command.Isolation{Dir: file}, noDir},
		{command.Isolation{Dir: dir + strings.Repeat("/.", 2048)}, noDir},
		{command.Isolation{Dir: dir, Environment: command.Environment{Set: many}}, "isolation env must have at most 32 names in each list"},
		{
			command.Isolation{Dir: dir, Environment: command.Environment{Inherit: []string{"1A"}}},
			`isolation env name "1A" must match ^[A-Za-z_][A-Za-z0-9_]*$ and have at most 64 characters`,
		},
		{
			command.Isolation{Dir: dir, Environment: command.Environment{Set: map[string]string{"A": "\x00"}}},
			`isolation env "A" exceeds the value bound`,
		},
		{
			command.Isolation{Dir: dir, Environment: command.Environment{Set: map[string]string{"A": strings.Repeat("x", 8193)}}},
			`isolation env "A" exceeds the value bound`,
		},
		{command.Isolation{Dir: dir, Limits: command.Limits{OpenFiles: 3}}, "isolation limits.openFiles must be an integer in [4, 1048576]"},
		{command.Isolation{Dir: dir, Limits: command.Limits{CPUSeconds: -1}}, "isolation limits.cpuSeconds must be an integer in [1, 86400]"},
	}
	for _, c := range cases {
		if _, err := command.NewIsolated("cat", c.isolation, command.Options{}); algal.CodeOf(err) != algal.ParseFailed || err.Error() != c.want {
			t.Errorf("%.80v: %v, want %s", c.isolation, err, c.want)
		}
	}
}

func TestParseEnvironment(t *testing.T) {
	got, err := command.ParseEnvironment(executortest.JSON(t, `{"set":{"A":"1"},"inherit":["B"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(command.Environment{Set: map[string]string{"A": "1"}, Inherit: []string{"B"}}, got); diff != "" {
		t.Error(diff)
	}
	refused := map[string]string{
		`1`:                 "isolation env must be an object",
		`{"x":1}`:           `isolation env has unknown key "x"`,
		`{"set":[]}`:        "isolation env.set must be an object",
		`{"set":{"A":1}}`:   "isolation env.set.A must be a string of at most 8192 characters",
		`{"inherit":{}}`:    "isolation env.inherit must be an array",
		`{"inherit":[1]}`:   "isolation env.inherit[0] must be a string of at most 64 characters",
		`{"inherit":["-"]}`: `isolation env name "-" must match ^[A-Za-z_][A-Za-z0-9_]*$ and have at most 64 characters`,
	}
	for text, want := range refused {
		if _, err := command.ParseEnvironment(executortest.JSON(t, text)); algal.CodeOf(err) != algal.ParseFailed || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestParseLimits(t *testing.T) {
	got, err := command.ParseLimits(executortest.JSON(t, `{"cpuSeconds":86400,"fileSizeBlocks":33554432,"openFiles":4,"processes":65536,"stackKiB":64,"noCore":true}`))
	if err != nil {
		t.Fatal(err)
	}
	want := command.Limits{CPUSeconds: 86_400, FileSizeBlocks: 33_554_432, OpenFiles: 4, Processes: 65_536, StackKiB: 64, NoCore: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	refused := map[string]string{
		`1`:                    "isolation limits must be an object",
		`{"x":1}`:              `isolation limits has unknown key "x"`,
		`{"cpuSeconds":0}`:     "isolation limits.cpuSeconds must be an integer in [1, 86400]",
		`{"cpuSeconds":86401}`: "isolation limits.cpuSeconds must be an integer in [1, 86400]",
		`{"noCore":1}`:         "isolation limits.noCore must be a boolean",
	}
	for text, want := range refused {
		if _, err := command.ParseLimits(executortest.JSON(t, text)); algal.CodeOf(err) != algal.ParseFailed || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := command.ParseLimits(executortest.JSON(t, `{"addressSpaceKiB":1024}`)); (err != nil) != (goruntime.GOOS == "darwin") {
		t.Error(err)
	}
}
