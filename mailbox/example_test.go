package mailbox_test

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/mailbox"
)

// A message is sent twice under one key, and received once.
func Example() {
	ctx, engine := context.Background(), mailbox.NewMemory()
	boxes := mailbox.New(engine, engine.Admit)
	inbox, err := boxes.Create(ctx, "inbox", mailbox.DefaultMaxMessages, mailbox.DefaultMaxMessageBytes)
	if err != nil {
		fmt.Println(err)
		return
	}
	key := canon.DigestText("order 17")
	for range 2 {
		id, err := boxes.Send(ctx, inbox.Send.String(), canon.String("hello"), key)
		fmt.Println("sent", id[:14], err)
	}
	for range 2 {
		m, err := boxes.Receive(ctx, inbox.Receive.String())
		if err != nil {
			fmt.Println(algal.CodeOf(err), err)
			continue
		}
		fmt.Println("received", m.ID[:14], m.Value)
	}
	// Output:
	// sent sha256:ebada41 <nil>
	// sent sha256:ebada41 <nil>
	// received sha256:ebada41 "hello"
	// EFFECT_SUSPENDED mailbox "inbox" is empty
}
