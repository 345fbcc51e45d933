// Package organism reads programs: manifests of contract algal.organism.v1, which
// are finite typed graphs of cells (organism.md).
//
// [ParseManifest] admits a document and brings it into normal form, the form that
// is hashed and stored. [Compile] admits a manifest as a graph: it fetches and
// compiles the manifests that it embeds, gives every cell its signature, and
// checks edges, views and cycles. Beside these stand what signatures are made of:
// port types and the checks of their values ([Port.CheckValue]), JSON schemas
// ([Schema]), output contracts ([OutputContract]), the built-in functions
// ([Builtins]), the signatures of host tools ([ParseTool]) and capability handles
// ([ParseHandle]).
//
// The order of all checks is normative and the texts of faults are wire strings,
// since a spawn cell records them in a receipt (§14). Reading a document keeps
// its member order wherever that order shows at run time: ports, questions, carry
// and interface lists.
//
// The package runs nothing. It reads the store only to fetch embedded manifests,
// and reaches the outside only through the [Transport] it is given.
package organism
