// Package fault names the faults that tests plant into the demonstrations, to see
// that each turns the line red that is there for it.
//
// Only a build with the tag demofaults can be made to have one; in every other
// build [Planted] is a constant, and the code behind it is not there.
package fault

// Name names a fault.
type Name string

// The faults. Each is planted where the real thing is done.
const (
	RepeatedEffect Name = "repeated-effect" // the pending write is done again after the kill
	OtherProposal  Name = "other-proposal"  // an approval of another proposal is accepted
	HeadFirst      Name = "head-first"      // the head moves before the receipt is published
	FlippedReceipt Name = "flipped-receipt" // the exported evidence has one receipt changed
	DeliveredTwice Name = "delivered-twice" // a repeated decision is delivered once more
)
