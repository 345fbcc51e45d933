package main

import (
	"context"
	"iter"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/cas/disk"
)

type listOptions struct{ *globals }

// listing is a command that lists a directory of the store.
type listing struct {
	space   string // directory, and member of the result
	short   string
	members string // of a row, for the help
	rows    func(*store) (iter.Seq[disk.Row], error)
	row     func(disk.Row) canon.Value // of a record that could be read
	id      func(name string) canon.Member
	line    func(row canon.Value) string // what a page says beside the id
}

// command returns the command. The records that cannot be read are rows too.
func (l listing) command(with *shared) *cobra.Command {
	o := &listOptions{with.globals}
	return &cobra.Command{
		Use:   l.space,
		Short: l.short,
		Long: l.short + `, in byte order of the file names. A record that cannot be read is a row with
"error", and does not hide the others.

Result: {"dir","` + l.space + `":[` + l.members + `,…]}. At a terminal: a line each; the last one counts them.`,
		Example: "  algal " + l.space + " --dir store",
		Args:    positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runListing(cmd.Context(), with.streams, o, &l)
		},
	}
}

func runListing(_ context.Context, s *streams, o *listOptions, l *listing) error {
	rows, err := l.rows(openStore(o.dir, s))
	if err != nil {
		return err
	}
	var list []canon.Value
	for row := range rows {
		s.progress("%s: %d read", l.space, len(list))
		if row.Err != nil {
			list = append(list, canon.Object(l.id(row.Name), canon.M("error", canon.String(row.Err.Error()))))
			continue
		}
		list = append(list, l.row(row).With(l.id(row.Name)))
	}
	dir := filepath.Join(o.dir, l.space)
	v := canon.Object(canon.M("dir", canon.String(dir)), canon.M(l.space, canon.Array(list...)))
	return s.result(v, func(p *page) { l.account(p, dir, list) })
}

func (l *listing) account(p *page, dir string, list []canon.Value) {
	unreadable := 0
	for _, row := range list {
		id := row.Get(l.id("").Key).Text()
		if fault := row.Get("error"); fault.Exists() {
			unreadable++
			p.Line("%s  cannot be read: %s", id, fault.Text())
		} else {
			p.Line("%s  %s", id, l.line(row))
		}
	}
	if unreadable == 0 {
		p.Verdict(true, "%d in %s", len(list), dir)
	} else {
		p.Verdict(false, "%d in %s, %d of them cannot be read", len(list), dir, unreadable)
	}
}

func digestID(hex string) canon.Member { return canon.M("digest", canon.String("sha256:"+hex)) }

func newRunsCommand(with *shared) *cobra.Command {
	return listing{
		space:   runsDir,
		short:   "List the run receipts of the store",
		members: `{"digest","effects","manifestKey","outcome"}`,
		rows:    func(st *store) (iter.Seq[disk.Row], error) { return st.Runs() },
		row: func(r disk.Row) canon.Value {
			return canon.Object(
				canon.M("effects", canon.Int(r.Value.Get("effects").Len())),
				canon.M("manifestKey", orNull(r.Value.Get("manifestKey"))),
				canon.M("outcome", orNull(r.Value.Get("outcome"))),
			)
		},
		id: digestID,
		line: func(row canon.Value) string {
			return shown(row.Get("outcome")) + "  " + shown(row.Get("manifestKey"))
		},
	}.command(with)
}

func newManifestsCommand(with *shared) *cobra.Command {
	return listing{
		space:   manifestsDir,
		short:   "List the manifests of the store",
		members: `{"cells","digest","key","name"}`,
		rows:    func(st *store) (iter.Seq[disk.Row], error) { return st.Manifests() },
		row: func(r disk.Row) canon.Value {
			return canon.Object(
				canon.M("cells", canon.Int(r.Value.Get("cells").Len())),
				canon.M("key", r.Value.Get("key")),
				canon.M("name", r.Value.Get("name")),
			)
		},
		id:   digestID,
		line: func(row canon.Value) string { return row.Get("key").Text() + "  " + row.Get("name").Text() },
	}.command(with)
}

func newSlotsCommand(with *shared) *cobra.Command {
	return listing{
		space:   slotsDir,
		short:   "List the slots of the store",
		members: `{"name","value"}`,
		rows:    func(st *store) (iter.Seq[disk.Row], error) { return st.Slots() },
		row:     func(r disk.Row) canon.Value { return canon.Object(canon.M("value", r.Value)) },
		id:      func(name string) canon.Member { return canon.M("name", canon.String(name)) },
		line:    func(row canon.Value) string { return shown(row.Get("value")) },
	}.command(with)
}
