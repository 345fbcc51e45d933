package mailbox

import (
	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

const configContract = "algal.mailbox.v1"

// Bounds of a configuration, inclusive (§1).
const (
	maxMessages     = 1_024
	maxMessageBytes = 250_000
)

// The bounds of a mailbox that is created without any.
const (
	DefaultMaxMessages     = 64
	DefaultMaxMessageBytes = 65_536
)

// Config is the configuration record of a mailbox (§3.1). It never changes.
type Config struct {
	Name            string
	MaxMessages     int // waiting messages, 1 to 1,024
	MaxMessageBytes int // canonical bytes of one message's value, 1 to 250,000
	Send, Receive   organism.Handle
}

// ParseConfig admits a configuration record; what is the path of messages. Faults
// are PARSE_FAILED, of handles TYPE_MISMATCH.
func ParseConfig(v canon.Value, what string) (Config, error) {
	r := openRecord(v, what, configContract, "name", "maxMessages", "maxMessageBytes", "send", "receive")
	c := Config{
		Name:            r.id("name"),
		MaxMessages:     r.integer("maxMessages", 1, maxMessages),
		MaxMessageBytes: r.integer("maxMessageBytes", 1, maxMessageBytes),
		Send:            r.handle("send", SendClass),
		Receive:         r.handle("receive", ReceiveClass),
	}
	if r.err != nil {
		return Config{}, r.err
	}
	return c, nil
}

// Record returns the record.
func (c Config) Record() canon.Value {
	return canon.Object(
		canon.M("contract", canon.String(configContract)),
		canon.M("maxMessageBytes", canon.Int(c.MaxMessageBytes)),
		canon.M("maxMessages", canon.Int(c.MaxMessages)),
		canon.M("name", canon.String(c.Name)),
		canon.M("receive", canon.String(c.Receive.String())),
		canon.M("send", canon.String(c.Send.String())),
	)
}

// handle returns the handle of a class.
func (c Config) handle(class string) organism.Handle {
	if class == SendClass {
		return c.Send
	}
	return c.Receive
}

// checkName admits the name of a mailbox.
func checkName(name string) error {
	if canon.CheckSafeID(name, "") != nil {
		return algal.Errorf(algal.ParseFailed, "mailbox name must be a lowercase kebab-case id")
	}
	return nil
}

// checkBounds admits the bounds of a mailbox to be created (§5 step 2).
func checkBounds(messages, messageBytes int) error {
	if err := checkBound("maxMessages", messages, maxMessages); err != nil {
		return err
	}
	return checkBound("maxMessageBytes", messageBytes, maxMessageBytes)
}

func checkBound(member string, n, most int) error {
	if n < 1 || n > most {
		return algal.Errorf(algal.ParseFailed, "mailbox %s must be an integer in [1, %d]", member, most)
	}
	return nil
}
