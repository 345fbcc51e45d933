package check

import (
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Severity says how much a finding matters.
type Severity string

// The severities. Damage cannot come from a crash; attention asks for an operator,
// information for nobody.
const (
	Damage    Severity = "damage"
	Attention Severity = "attention"
	Info      Severity = "info"
)

// Kind says what was found (toolchain.md §5).
type Kind string

// The kinds.
const (
	ObjectDamaged    Kind = "object-damaged"     // not canonical JSON, or not of the digest in the name
	ObjectMissing    Kind = "object-missing"     // reachable and absent
	ObjectNotRegular Kind = "object-not-regular" // a link, directory, FIFO or device under an object's name

	HeadDamaged    Kind = "head-damaged"
	HistoryInvalid Kind = "history-invalid"
	ReceiptInvalid Kind = "receipt-invalid"

	JournalDamaged    Kind = "journal-damaged"
	MailboxDamaged    Kind = "mailbox-damaged"
	CapabilityDamaged Kind = "capability-damaged"
	MemoDamaged       Kind = "memo-damaged"
	SlotDamaged       Kind = "slot-damaged"

	ProcessUncertain    Kind = "process-uncertain"
	MailboxInterrupted  Kind = "mailbox-interrupted"
	MailboxLocked       Kind = "mailbox-locked"
	CustodyLegacyLock   Kind = "custody-legacy-lock"  // a marker of another form than the contract's
	CustodyUnknownLock  Kind = "custody-unknown-lock" // something else that custody does not admit
	CreationInterrupted Kind = "creation-interrupted"

	NameForeign        Kind = "name-foreign"
	Residue            Kind = "residue" // of a publication or an owner that died
	ObjectUnreferenced Kind = "object-unreferenced"
	PlaceUnknown       Kind = "place-unknown" // not interpreted, or not in full
)

var severities = map[Kind]Severity{
	ObjectDamaged: Damage, ObjectMissing: Damage, ObjectNotRegular: Damage,
	HeadDamaged: Damage, HistoryInvalid: Damage, ReceiptInvalid: Damage,
	JournalDamaged: Damage, MailboxDamaged: Damage, CapabilityDamaged: Damage, MemoDamaged: Damage, SlotDamaged: Damage,
	ProcessUncertain: Attention, MailboxInterrupted: Attention, MailboxLocked: Attention,
	CustodyLegacyLock: Attention, CustodyUnknownLock: Attention, CreationInterrupted: Attention,
	NameForeign: Info, Residue: Info, ObjectUnreferenced: Info, PlaceUnknown: Info,
}

// Severity returns the severity of all findings of the kind.
func (k Kind) Severity() Severity { return severities[k] }

// counted are the kinds that are only counted unless one asks for them.
var counted = []Kind{NameForeign, Residue, ObjectUnreferenced}

// MaxReferrers bounds the referrers that a finding names.
const MaxReferrers = 8

// Finding is one thing that was found.
type Finding struct {
	Kind      Kind
	Path      string       // of a file or directory, slash-separated and relative to the store
	Digest    algal.Digest // of the object or record it is about, "" when it is about none
	Advice    string       // what is wrong, and what helps where something does
	Referrers []string     // who needs the object, at most MaxReferrers
}

// Value returns the finding as commands print it.
func (f Finding) Value() canon.Value {
	var digest canon.Value
	if f.Digest != "" {
		digest = canon.String(string(f.Digest))
	}
	referrers := make([]canon.Value, len(f.Referrers))
	for i, r := range f.Referrers {
		referrers[i] = canon.String(r)
	}
	return canon.Object(
		canon.M("advice", canon.String(f.Advice)),
		canon.M("digest", digest),
		canon.M("kind", canon.String(string(f.Kind))),
		canon.M("path", canon.String(f.Path)),
		canon.M("referrers", canon.Array(referrers...)),
		canon.M("severity", canon.String(string(f.Kind.Severity()))),
	)
}

// Summary counts what was examined and found.
type Summary struct {
	Damage, Attention, Info int // findings, those that were only counted included
	Files                   int // regular files in the places that were examined
	Bytes                   int // in these files
	Objects                 int // files under an object's name
	Processes               int // their directories
}

// OK reports whether nothing is damaged.
func (s Summary) OK() bool { return s.Damage == 0 }

// Value returns the summary as commands print it.
func (s Summary) Value() canon.Value {
	return canon.Object(
		canon.M("attention", canon.Int(s.Attention)),
		canon.M("bytes", canon.Int(s.Bytes)),
		canon.M("damage", canon.Int(s.Damage)),
		canon.M("files", canon.Int(s.Files)),
		canon.M("info", canon.Int(s.Info)),
		canon.M("objects", canon.Int(s.Objects)),
		canon.M("ok", canon.Bool(s.OK())),
		canon.M("processes", canon.Int(s.Processes)),
	)
}

func (s *Summary) count(k Kind) {
	switch k.Severity() {
	case Damage:
		s.Damage++
	case Attention:
		s.Attention++
	default:
		s.Info++
	}
}

func isCounted(k Kind) bool { return slices.Contains(counted, k) }
