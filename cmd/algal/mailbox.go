package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/mailbox"
)

// maxMessageFile bounds the file of a message (cli.md §5), in bytes.
const maxMessageFile = 1_048_576

func newMailboxCommand(with *shared) *cobra.Command {
	return located(with, group(&cobra.Command{
		Use:   "mailbox COMMAND",
		Short: "Create mailboxes and deliver messages to waiting processes",
		Long: `A mailbox holds messages until a program receives them. Creating one gives two handles: who
has the send handle may send, who has the receive handle may receive, and a process that waits
for the receive handle is woken by a message.`,
		Example: `  algal mailbox create approvals
  algal mailbox send cap:mailbox-send:sha256:... decision.json
  algal process schedule`,
	},
		newMailboxCreateCommand(with),
		newMailboxInspectCommand(with),
		newMailboxListCommand(with),
		newMailboxReceiveCommand(with),
		newMailboxRevokeCommand(with),
		newMailboxSendCommand(with),
	))
}

// mailboxDir is the directory of mailboxes in a store.
const mailboxDir = "mailboxes"

// openMailboxes returns the mailboxes of a store.
func openMailboxes(st *store) *mailbox.Service {
	return mailbox.New(st.Mailboxes(), mailbox.Custody(st.files, st.dir))
}

type mailboxOptions struct {
	*globals
	subject         string // a name or a handle
	maxMessages     string
	maxMessageBytes string
	file            string // send
	key             string // send
}

func newMailboxCreateCommand(with *shared) *cobra.Command {
	o := &mailboxOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a mailbox and print its handles",
		Long: `Creates a mailbox, or returns the one of that name if its bounds are the same.

Result: the configuration record with both handles.`,
		Example: `  algal mailbox create approvals --max-messages 16`,
		Args:    positional("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.subject = args[0]
			return runMailboxCreate(cmd.Context(), with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.maxMessages, "max-messages", "let at most `N` messages wait, 1 to 1024 (default 64)")
	textFlag(cmd.Flags(), &o.maxMessageBytes, "max-message-bytes", "admit messages of at most `N` bytes, 1 to 250000 (default 65536)")
	return cmd
}

func runMailboxCreate(ctx context.Context, s *streams, o *mailboxOptions) error {
	messages, err := integerOr(o.maxMessages, "mailbox maxMessages", 1, 1024, mailbox.DefaultMaxMessages)
	if err != nil {
		return err
	}
	bytes, err := integerOr(o.maxMessageBytes, "mailbox maxMessageBytes", 1, 250_000, mailbox.DefaultMaxMessageBytes)
	if err != nil {
		return err
	}
	c, err := openMailboxes(openStore(o.dir, s)).Create(ctx, o.subject, messages, bytes)
	if err != nil {
		return err
	}
	return s.result(c.Record(), func(p *page) {
		accountOfMailbox(p, c)
		p.Row("next", "%s", newGuide(o.dir, s).send(&c))
		p.Verdict(true, "mailbox %s is there", c.Name)
	})
}

func newMailboxListCommand(with *shared) *cobra.Command {
	o := &mailboxOptions{globals: with.globals}
	return &cobra.Command{
		Use:   "list",
		Short: "List the mailboxes of the store",
		Long: `Lists the mailboxes of the store by name.

Result: {"dir","mailboxes"}.`,
		Example: `  algal mailbox list`,
		Args:    positional(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runMailboxList(cmd.Context(), with.streams, o) },
	}
}

func runMailboxList(_ context.Context, s *streams, o *mailboxOptions) error {
	list, err := openMailboxes(openStore(o.dir, s)).List()
	if err != nil {
		return err
	}
	records := make([]canon.Value, len(list))
	for i, c := range list {
		records[i] = c.Record()
	}
	result := canon.Object(
		canon.M("dir", canon.String(filepath.Join(o.dir, mailboxDir))),
		canon.M("mailboxes", canon.Array(records...)),
	)
	return s.result(result, func(p *page) {
		for _, c := range list {
			accountOfMailbox(p, c)
		}
		p.Verdict(true, "%s", countedAs(len(list), "mailbox", "mailboxes"))
	})
}

func newMailboxSendCommand(with *shared) *cobra.Command {
	o := &mailboxOptions{globals: with.globals}
	cmd := &cobra.Command{
		Use:   "send HANDLE FILE",
		Short: "Send a message through a send handle",
		Long: `Sends the JSON value in FILE, or on standard input for -. The same value under the same
idempotency key is delivered once, however often it is sent. Without a key a random one is used,
and the message cannot be sent again.

Result: {"id"}.`,
		Example: `  algal mailbox send cap:mailbox-send:sha256:... decision.json --idempotency-key sha256:...`,
		Args:    positional("HANDLE", "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.subject, o.file = args[0], args[1]
			return runMailboxSend(cmd.Context(), with.streams, o)
		},
	}
	textFlag(cmd.Flags(), &o.key, "idempotency-key", "`DIGEST` under which the message is delivered once")
	return cmd
}

func runMailboxSend(ctx context.Context, s *streams, o *mailboxOptions) error {
	v, err := input{o.file, "mailbox message", maxMessageFile}.readOr(s.in)
	if err != nil {
		return err
	}
	key := mailbox.NewKey()
	if o.key != "" {
		if key, err = algal.ParseDigest(o.key, "mailbox idempotency key"); err != nil {
			return err
		}
	}
	id, err := openMailboxes(openStore(o.dir, s)).Send(ctx, o.subject, v, key)
	if err != nil {
		return aboutMailbox(newGuide(o.dir, s), o.subject, err)
	}
	result := canon.Object(canon.M("id", canon.String(string(id))))
	return s.result(result, func(p *page) { p.Verdict(true, "sent: %s", id) })
}

func newMailboxReceiveCommand(with *shared) *cobra.Command {
	o := &mailboxOptions{globals: with.globals}
	return &cobra.Command{
		Use:   "receive HANDLE",
		Short: "Receive a message through a receive handle",
		Long: `Takes the next message out of a mailbox, in the order of the keys. A message that was received
is not delivered again, whatever becomes of this command's output.

Result: {"id","message"}.`,
		Example: `  algal mailbox receive cap:mailbox-receive:sha256:...`,
		Args:    positional("HANDLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.subject = args[0]
			return runMailboxReceive(cmd.Context(), with.streams, o)
		},
	}
}

func runMailboxReceive(ctx context.Context, s *streams, o *mailboxOptions) error {
	m, err := openMailboxes(openStore(o.dir, s)).Receive(ctx, o.subject)
	if err != nil {
		return aboutMailbox(newGuide(o.dir, s), o.subject, err)
	}
	result := canon.Object(canon.M("id", canon.String(string(m.ID))), canon.M("message", m.Value))
	return s.result(result, func(p *page) {
		p.Row("message", "%s", shown(m.Value))
		p.Verdict(true, "received: %s", m.ID)
	})
}

func newMailboxRevokeCommand(with *shared) *cobra.Command {
	o := &mailboxOptions{globals: with.globals}
	return &cobra.Command{
		Use:   "revoke HANDLE",
		Short: "Revoke a handle for good",
		Long: `Revokes a handle. No replacement is ever made for it.

Result: {"handle","revoked":true}.`,
		Example: `  algal mailbox revoke cap:mailbox-send:sha256:...`,
		Args:    positional("HANDLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.subject = args[0]
			return runMailboxRevoke(cmd.Context(), with.streams, o)
		},
	}
}

func runMailboxRevoke(ctx context.Context, s *streams, o *mailboxOptions) error {
	if err := openMailboxes(openStore(o.dir, s)).Revoke(ctx, o.subject); err != nil {
		return aboutMailbox(newGuide(o.dir, s), o.subject, err)
	}
	result := canon.Object(canon.M("handle", canon.String(o.subject)), canon.M("revoked", canon.Bool(true)))
	return s.result(result, func(p *page) { p.Verdict(true, "revoked: %s", o.subject) })
}

func newMailboxInspectCommand(with *shared) *cobra.Command {
	o := &mailboxOptions{globals: with.globals}
	return &cobra.Command{
		Use:   "inspect NAME",
		Short: "Show a mailbox and explain interrupted deliveries",
		Long: `Shows the handles, the counts and every delivery that an interrupted operation left between
states, with what that means. It takes no lock and changes nothing.

Result: {"capabilities","config","counts","interrupted","locked","name"}.`,
		Example: `  algal mailbox inspect approvals`,
		Args:    positional("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.subject = args[0]
			return runMailboxInspect(cmd.Context(), with.streams, o)
		},
	}
}

func runMailboxInspect(_ context.Context, s *streams, o *mailboxOptions) error {
	i, err := openMailboxes(openStore(o.dir, s)).Inspect(o.subject)
	if err != nil {
		return err
	}
	return s.result(i.Record(), func(p *page) { accountOfInspection(p, newGuide(o.dir, s), &i) })
}
