// Package bundle carries a program with all it needs as one document, the record
// algal.bundle.v1 (bundle.md §1 to §3).
//
// A bundle names a root manifest and holds, each under its digest, the manifests
// that the root embeds, directly or through others, and the payloads that their
// const cells refer to:
//
//	{"contract":"algal.bundle.v1",
//	 "manifests":{"sha256:…":{…}},
//	 "root":"sha256:…",
//	 "values":{"sha256:…":…}}
//
// [Pack] collects one from a store, [Parse] and [ParseText] admit one, and
// [Bundle.Install] puts its content into a store once all of it has been verified.
// Trust comes from the digests alone, so it does not matter who delivered a bundle.
//
// A bundle need not be complete: what it lacks shows when its root is compiled.
// Manifests that a program makes while it runs are never in it.
//
// The package reads no files and asks nobody for bundles; that is transport's.
package bundle
