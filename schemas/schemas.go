// Package schemas holds the JSON Schemas of the contracts (toolchain.md §2), so
// that the command can print them and users can check documents with tools of
// their own.
//
// Draft 2020-12, one file per contract, named NAME.schema.json; $id is that name
// and every $ref is relative. README.md lists them. A schema takes what the
// readers of this module take, as far as a schema can say it; what it cannot say
// (digests, order, byte bounds, what a document means) stands in its $comment with
// the section of the specification. The product never validates with them: its
// readers are the rule, and the tests hold both against each other.
package schemas

import "embed"

// Files holds the schema files, all in its root.
//
//go:embed *.schema.json
var Files embed.FS
