//go:build unix

package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/algal-vm/algal/check"
	"github.com/google/go-cmp/cmp"
)

const (
	zeros   = "0000000000000000000000000000000000000000000000000000000000000000"
	tempHex = "0123456789abcdef0123456789abcdef0123456789abcdef"
)

// lay writes a file of a store, with the directories above it.
func lay(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func makeDir(t *testing.T, dir, name string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	must(t, os.RemoveAll(filepath.Join(dir, name)))
}

// TestStates lays one state of a store at a time over a sound one and demands
// exactly what is found besides.
func TestStates(t *testing.T) {
	const (
		key     = "28b981d3520ddddb55501d8aeeb8a8b1ab2202b068dcd87651828a5beb228ac4"
		waiting = "72e2401b2471509f6dd5354f98591cc424f1cb8e5ff741ee04d19c01f6038544"
		intent  = "ab38357e3e4d7477f03fce74ac782c9c582026218969503ca4c908eab42fe94d"
		journal = "processes/jobs/journals/" + intent
		marker  = `{"contract":"algal.process-owner.v2","nonce":"` + zeros + `","process":"jobs"}`
	)
	for _, c := range []struct {
		name string
		do   func(t *testing.T, dir string)
		want []string
	}{
		{"sound", func(t *testing.T, dir string) {}, nil},

		{"unknown place", func(t *testing.T, dir string) { lay(t, dir, "applications/app/x.json", "{") }, []string{"place-unknown applications"}},
		{"file in the store", func(t *testing.T, dir string) { lay(t, dir, "notes.txt", "") }, []string{"name-foreign notes.txt"}},
		{"residues and foreign names", func(t *testing.T, dir string) {
			lay(t, dir, "values/.tmp-"+tempHex, "")
			lay(t, dir, "values/"+zeros+".json.4711-0123456789abcdef.tmp", "")
			lay(t, dir, "runs/.algal-4711-12", "")
			lay(t, dir, "manifests/README", "")
			lay(t, dir, "processes/jobs/.head-4711-1", "")
			lay(t, dir, "processes/jobs/notes", "")
			lay(t, dir, "mailboxes/inbox/messages/.tmp-"+tempHex, "")
			lay(t, dir, "mailboxes/notes", "")
			lay(t, dir, journal+"/entries/.tmp-"+tempHex, "")
			lay(t, dir, journal+"/notes", "")
			lay(t, dir, ".process-creation/.tmp-"+tempHex, "")
			makeDir(t, dir, "values/"+zeros)
		}, []string{
			"residue processes/jobs/.head-4711-1", "name-foreign processes/jobs/notes",
			"residue " + journal + "/entries/.tmp-" + tempHex, "name-foreign " + journal + "/notes",
			"residue .process-creation/.tmp-" + tempHex,
			"residue mailboxes/inbox/messages/.tmp-" + tempHex, "name-foreign mailboxes/notes",
			"residue values/.tmp-" + tempHex, "name-foreign values/" + zeros, "residue values/" + zeros + ".json.4711-0123456789abcdef.tmp",
			"name-foreign manifests/README", "residue runs/.algal-4711-12",
		}},
		{"room is a link", func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, "runs"), filepath.Join(dir, "elsewhere")))
			must(t, os.Symlink("elsewhere", filepath.Join(dir, "runs")))
		}, []string{"place-unknown elsewhere", "object-not-regular runs"}},
		{"mailboxes are a file", func(t *testing.T, dir string) {
			remove(t, dir, "mailboxes")
			lay(t, dir, "mailboxes", "")
		}, []string{"mailbox-damaged mailboxes", "residue capabilities", "residue capabilities", "residue capabilities", "residue capabilities"}},

		{"creation marker beside a head", func(t *testing.T, dir string) { lay(t, dir, "processes/jobs/.creating.json", "{}") },
			[]string{"residue processes/jobs/.creating.json"}},
		{"empty process directory", func(t *testing.T, dir string) { makeDir(t, dir, "processes/late") }, []string{"creation-interrupted processes/late"}},
		{"damaged creation marker", func(t *testing.T, dir string) { lay(t, dir, "processes/late/.creating.json", "{}") },
			[]string{"creation-interrupted processes/late"}},
		{"foreign file in processes", func(t *testing.T, dir string) { lay(t, dir, "processes/notes.txt", "") },
			[]string{"head-damaged processes/notes.txt"}},
		{"foreign directory in processes", func(t *testing.T, dir string) { makeDir(t, dir, "processes/Late") }, []string{"head-damaged processes/Late"}},
		{"residue in processes", func(t *testing.T, dir string) { lay(t, dir, "processes/.tmp-"+tempHex, "") },
			[]string{"creation-interrupted processes/.tmp-" + tempHex}},
		{"head names another process", func(t *testing.T, dir string) {
			makeDir(t, dir, "processes/other")
			change(t, filepath.Join(dir, "processes/jobs/head.json"), func(text string) string {
				lay(t, dir, "processes/other/head.json", strings.Replace(text, `"jobs"`, `"other"`, 1))
				return text
			})
		}, []string{"head-damaged processes/other/head.json"}},
		{"head of another process", func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "processes/jobs/head.json"), func(text string) string {
				return strings.Replace(text, `"jobs"`, `"other"`, 1)
			})
		}, []string{"head-damaged processes/jobs/head.json"}},

		{"abandoned owner", func(t *testing.T, dir string) { lay(t, dir, "processes/jobs/.lock", marker) }, []string{"residue processes/jobs/.lock"}},
		{"legacy lock", func(t *testing.T, dir string) { lay(t, dir, "processes/jobs/.lock", "4711") }, []string{"custody-legacy-lock processes/jobs/.lock"}},
		{"lock of older contract", func(t *testing.T, dir string) {
			lay(t, dir, ".mailbox-admission/.lock", strings.Replace(marker, ".v2", ".v1", 1))
		}, []string{"custody-legacy-lock .mailbox-admission/.lock"}},
		{"lock under another label", func(t *testing.T, dir string) { lay(t, dir, ".process-creation/.lock", marker) },
			[]string{"custody-legacy-lock .process-creation/.lock"}},
		{"legacy interlock", func(t *testing.T, dir string) { lay(t, dir, "processes/.lock", "") }, []string{"custody-legacy-lock processes/.lock"}},
		{"abandoned interlock", func(t *testing.T, dir string) {
			lay(t, dir, "processes/.lock", `{"contract":"algal.process-creation-owner.v1","nonce":"`+zeros+`"}`)
		}, []string{"residue processes/.lock"}},
		{"lock is a FIFO", func(t *testing.T, dir string) {
			must(t, syscall.Mkfifo(filepath.Join(dir, "processes/jobs/.lock"), 0o600))
		},
			[]string{"custody-unknown-lock processes/jobs/.lock"}},
		{"oversized lease database", func(t *testing.T, dir string) {
			must(t, os.Truncate(filepath.Join(dir, "processes/jobs/.owner.sqlite"), 65_537))
		}, []string{"custody-unknown-lock processes/jobs/.owner.sqlite"}},
		{"lease database is a link", func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, ".mailbox-admission/.owner.sqlite"), filepath.Join(dir, ".mailbox-admission/x")))
			must(t, os.Symlink("x", filepath.Join(dir, ".mailbox-admission/.owner.sqlite")))
		}, []string{"name-foreign .mailbox-admission/x", "custody-unknown-lock .mailbox-admission/.owner.sqlite"}},
		{"foreign archived owner", func(t *testing.T, dir string) { lay(t, dir, "processes/jobs/owners/README", "") },
			[]string{"custody-unknown-lock processes/jobs/owners"}},

		{"mailbox locked", func(t *testing.T, dir string) { lay(t, dir, "mailboxes/inbox/.lock", "") }, []string{"mailbox-locked mailboxes/inbox/.lock"}},
		{"receive interrupted", func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "mailboxes/inbox/consumed", key+".json"), func(text string) string {
				lay(t, dir, "mailboxes/inbox/pending/"+key+".json", text)
				return text
			})
		}, []string{"mailbox-interrupted mailboxes/inbox/pending/" + key + ".json"}},
		{"send interrupted", func(t *testing.T, dir string) { remove(t, dir, "mailboxes/outbox/pending/"+waiting+".json") },
			[]string{"mailbox-interrupted mailboxes/outbox/messages/" + waiting + ".json"}},
		{"marker of another message", func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "mailboxes/outbox/pending", waiting+".json"), func(string) string {
				return `{"contract":"algal.mailbox-delivery.v1","id":"sha256:` + zeros + `"}`
			})
		}, []string{"mailbox-damaged mailboxes/outbox/pending/" + waiting + ".json"}},
		{"claim under another key", func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, "mailboxes/outbox/messages", waiting+".json"), filepath.Join(dir, "mailboxes/outbox/messages", zeros+".json")))
		}, []string{"mailbox-damaged mailboxes/outbox/messages/" + zeros + ".json", "mailbox-damaged mailboxes/outbox/pending/" + waiting + ".json"}},
		{"foreign record that waits", func(t *testing.T, dir string) { lay(t, dir, "mailboxes/outbox/pending/notes.json", "{}") },
			[]string{"mailbox-damaged mailboxes/outbox/pending/notes.json"}},
		{"mailbox directory missing", func(t *testing.T, dir string) { remove(t, dir, "mailboxes/inbox/pending") },
			[]string{"mailbox-damaged mailboxes/inbox/pending"}},
		{"mailbox directory a link", func(t *testing.T, dir string) {
			remove(t, dir, "mailboxes/inbox/pending")
			must(t, os.Symlink("consumed", filepath.Join(dir, "mailboxes/inbox/pending")))
		}, []string{"mailbox-damaged mailboxes/inbox/pending"}},
		{"mailbox creation interrupted", func(t *testing.T, dir string) { makeDir(t, dir, "mailboxes/late/pending") }, []string{"residue mailboxes/late"}},
		{"foreign directory in mailboxes", func(t *testing.T, dir string) { makeDir(t, dir, "mailboxes/Late") }, []string{"mailbox-damaged mailboxes/Late"}},
		{"configuration of another mailbox", func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "mailboxes/outbox/config.json"), func(text string) string {
				makeDir(t, dir, "mailboxes/copy/messages")
				makeDir(t, dir, "mailboxes/copy/pending")
				makeDir(t, dir, "mailboxes/copy/consumed")
				lay(t, dir, "mailboxes/copy/config.json", text)
				return text
			})
		}, []string{"mailbox-damaged mailboxes/copy/config.json"}},
		{"rights of another mailbox", func(t *testing.T, dir string) {
			change(t, filepath.Join(dir, "mailboxes/outbox/config.json"), func(text string) string {
				makeDir(t, dir, "mailboxes/copy/messages")
				makeDir(t, dir, "mailboxes/copy/pending")
				makeDir(t, dir, "mailboxes/copy/consumed")
				lay(t, dir, "mailboxes/copy/config.json", strings.Replace(text, `"outbox"`, `"copy"`, 1))
				return text
			})
		}, []string{
			"capability-damaged capabilities/02d7df4a0f84baafc2f220d78cc76c9ef1f2e94a5f3dd10f50b42ec943552cba.json",
			"capability-damaged capabilities/1dffcf7311f34f734948c82bc7e34b4b342869dfa8af8ee68fffc944270eedae.json",
		}},

		{"journal is a file", func(t *testing.T, dir string) { lay(t, dir, "processes/jobs/journals/"+zeros, "") },
			[]string{"journal-damaged processes/jobs/journals/" + zeros}},
		{"journal of nothing", func(t *testing.T, dir string) { makeDir(t, dir, "processes/jobs/journals/"+zeros+"/entries") },
			[]string{"residue processes/jobs/journals/" + zeros}},
		{"journal of a dispatch that never began", func(t *testing.T, dir string) { copyJournal(t, dir, intent, zeros, false) },
			[]string{"residue processes/jobs/journals/" + zeros}},
		{"journal without a header", func(t *testing.T, dir string) { remove(t, dir, journal+"/header.json") },
			[]string{"journal-damaged " + journal + "/header.json"}},
		{"foreign name in a journal", func(t *testing.T, dir string) { lay(t, dir, journal+"/entries/notes", "") },
			[]string{"journal-damaged " + journal + "/entries/notes"}},
		{"journals are a link", func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, "processes/jobs/journals"), filepath.Join(dir, "processes/jobs/x")))
			must(t, os.Symlink("x", filepath.Join(dir, "processes/jobs/journals")))
		}, []string{"name-foreign processes/jobs/x", "journal-damaged processes/jobs/journals"}},
		{"attempt that no entry needs", func(t *testing.T, dir string) {
			lay(t, dir, journal+"/recoveries/000002.json", "{}")
		}, []string{"journal-damaged " + journal + "/recoveries/000002.json"}},
		{"effects of no dispatch", func(t *testing.T, dir string) { copyJournal(t, dir, intent, zeros, true) },
			[]string{"journal-damaged processes/jobs/journals/" + zeros}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := goldenStore(t, "processes/journaled-complete/store")
			c.do(t, dir)
			before := tree(t, dir)
			found, _ := examine(t, dir, check.Options{Tools: toolsOf(t, "journaled-complete")})
			got := lines(without(found, check.ObjectUnreferenced))
			for i, line := range got {
				if strings.HasPrefix(line, "residue capabilities/") {
					got[i] = "residue capabilities"
				}
			}
			if diff := cmp.Diff(append([]string{}, c.want...), got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("the store changed: %s", diff)
			}
		})
	}
}

// copyJournal gives another intent the header of a journal, and an attempt that
// names it.
func copyJournal(t *testing.T, dir, from, to string, attempt bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "processes/jobs/journals", from, "header.json"))
	must(t, err)
	lay(t, dir, "processes/jobs/journals/"+to+"/header.json", strings.Replace(string(text), from, to, 1))
	if attempt {
		lay(t, dir, "processes/jobs/journals/"+to+"/recoveries/000001.json",
			`{"attempt":1,"contract":"algal.process-recovery-attempt.v1","intent":"sha256:`+to+`"}`)
	}
}
