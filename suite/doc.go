// Package suite runs example programs and compares what comes of them with what
// was recorded of them (cli.md §9.1).
//
// A suite is a folder with one folder per example:
//
//	NAME/program.algal.json   the program
//	NAME/args.json            its arguments; absent: {}
//	NAME/responses.json       scripted answers of models and people; absent: no executor
//	NAME/tools.json           a tools file; absent: the mailbox tools only
//	NAME/modules/             manifests that the program embeds, *.algal.json
//	NAME/expect.json          {"outcome": OUTCOME, "receipt": DIGEST}, the second optional
//
// The first five are used as the flags of "algal run" are. Files beside the
// folders do not matter, nor do further files in a folder, but that its tools may
// use them.
//
// Each example has a store in memory of its own, so that slots and values of one
// are not there for another and nothing is left behind. Where there is a tools
// file the folder is copied to a temporary directory, which is the working
// directory of its command tools: an example cannot reach another one, nor change
// the suite. Outside of these a command tool can do what any command can.
//
// The package runs, verifies and compares. Where its results and reasons are shown
// is the command's business.
package suite
