// Package verify checks process evidence offline (evidence.md): one document
// algal.process-evidence.v1 with the whole recorded history of a process, and
// nothing else.
//
// [Parse] admits the document in the specified order; [Evidence.Verify] replays
// every recorded generation against a store that serves only the document. The
// program of the document cannot reach anything: there are no executors, tools
// have signatures only, and any use of a store but reading what is declared
// refuses the document.
//
// A verified document is internally consistent: its history follows its program
// and its recorded effects. A history forged consistently verifies too; only a
// digest known from elsewhere identifies one (evidence.md §4).
//
// Generations replay in parallel. The report and the reported fault do not
// depend on the order.
package verify
