// Package export captures the evidence of a process from a store (evidence.md §5).
//
// The history is validated and replayed over a recording store, so the document
// holds exactly what verification looks up, and the misses. It is verified as a
// document before it is returned: what cannot be verified is not exported. The
// snapshot fixes the head, so a process that advances meanwhile does no harm, and
// two exports of a head from a store are the same bytes.
package export
