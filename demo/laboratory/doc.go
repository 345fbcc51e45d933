// Package laboratory is the crash laboratory (demo.md §4.7): [Prove] shows with fresh
// processes of one executable that a program waits, that a decision counts once, that
// history is verified from a document alone, and that a dispatch which was killed is
// carried on without repeating what nobody knows.
//
// Two kinds of children serve it. The reviews are those of package workbench, by the
// command line. A crash case is a fixture of this package: [StartFixture] dispatches a
// program whose last effect writes barrier.json and stands still until the laboratory
// kills it, and [RecoverFixture], in another process, recovers what is left and
// reports.
//
// The children's reports are not believed. Deliveries, heads and journals are read
// from the stores by the laboratory itself. Every fact has a line; the first that is
// false ends the proof, and there is no proof.json then.
package laboratory
