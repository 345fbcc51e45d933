// Package portable is the demonstration of portable evidence (demo.md §2).
//
// A process of two generations is run to its end: its first dispatch is killed
// inside a read, so that the acknowledgement is lost, another runtime recovers it,
// and after a message it completes. Each runtime exports it as one document. Then
// everything it came from is moved away, and each runtime verifies each document in
// an empty directory and with an empty environment. Copies that were tampered with
// are refused, and so is a verification that is given tools of the host.
//
// Of the report's counts, adapterAdmissions are the calls of the write, which is
// admitted once, and validationInvocations those of the read, which is repeated.
package portable
