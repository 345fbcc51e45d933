package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// wrap writes an executable that does what algal does, but for what a part of a
// shell script does before it. In it $algal runs algal, and $store is the value of
// the last argument, which is that of --dir. The functions send something to
// a mailbox, add a decision to the log, and change every receipt.
func wrap(t *testing.T, path, instead string) {
	t.Helper()
	script := fmt.Sprintf("#!/bin/sh\nalgal='%s'\nfor store do :; done\n%s%s\nexec \"$algal\" \"$@\"\n", algalPath(t), shellFunctions, instead)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// shellFunctions are send MAILBOX, decide WORLD, and damage.
const shellFunctions = `
send() {
	handle=$(sed 's/.*"send":"\([^"]*\)".*/\1/' "$store/mailboxes/$1/config.json")
	echo 1 >"$store/misdeed.json"
	"$algal" mailbox send "$handle" "$store/misdeed.json" --dir "$store" >/dev/null
}
decide() {
	echo '{"cellId":"recommend","release":"harbour-3.2"}' >>"$store/../$1-calls.jsonl"
}
damage() {
	for receipt in "$store"/runs/*.json; do
		sed 's/harbour-3.2/harbour-3.3/' "$receipt" >"$store/damaged"
		cat "$store/damaged" >"$receipt"
	done
}
`

// misdeeds are what a runtime in the second role may do, and the line that finds it
// out. It starts beta and carries on alpha.
var misdeeds = []struct{ name, script, line, found string }{
	{
		"fails", "exit 3",
		"beta has its three mailboxes", "exit 3",
	}, {
		"says nothing", "exit 0",
		"beta has its three mailboxes", "a result that is not JSON",
	}, {
		"makes mailboxes without handles", `case "$2" in create) echo '{"name":"m"}'; exit;; esac`,
		"beta has its three mailboxes", `{"name":"m"}`,
	}, {
		"creates at another generation", `case "$1 $2" in "process create") "$algal" "$@" | sed 's/"generation":0/"generation":1/'; exit;; esac`,
		"beta is created, ready at generation 0", "ready at generation 1 where ready at generation 0 should be",
	}, {
		"does not wait", `case "$2" in tick) "$algal" "$@" | sed 's/suspended/complete/'; exit;; esac`,
		"beta is ticked, suspended at generation 1", "complete at generation 1",
	}, {
		"waits for nothing", `case "$2" in tick) "$algal" "$@" | sed 's/"wake":[[][^]]*[]]/"wake":[]/'; exit;; esac`,
		"beta waits for an approval and for nothing else", "that it waits for []",
	}, {
		"publishes early", `case "$2" in tick) "$algal" "$@"; send beta-publications; exit;; esac`,
		"nothing is published for beta yet", "1 where 0 should be",
	}, {
		"never empties a mailbox", `case "$2" in receive) echo '{"id":"x","message":1}'; exit;; esac`,
		"mailbox beta-publications can be drained", "more than 8 messages",
	}, {
		"cannot receive", `case "$2" in receive) echo '{"error":"IO_FAILED","message":"no"}' >&2; exit 2;; esac`,
		"mailbox beta-publications can be drained", `exit 2: {"error":"IO_FAILED","message":"no"}`,
	}, {
		"decides twice", `case "$2" in tick) decide actors;; esac`,
		"2 decisions were made, one for each", "3 where 2 should be",
	}, {
		"writes into the log", `case "$2" in tick) echo >>"$store/../actors-calls.jsonl";; esac`,
		"the log holds a line for each decision and nothing else", "",
	}, {
		"advances a process that waits", `case "$2" in schedule) "$algal" process tick alpha --dir "$store" >/dev/null 2>&1;; esac`,
		"alpha's head is as it was before the schedule", "sha256:",
	}, {
		"says that it advanced one", `case "$2" in schedule) "$algal" "$@" | sed 's/"processes":[[][]]/"processes":[{}]/; s/"ticks":0/"ticks":1/'; exit;; esac`,
		"while both wait a schedule advances nothing", "1 where 0 should be",
	}, {
		"counts wrong", `case "$2" in schedule) echo '{"processes":[],"ticks":1}'; exit;; esac`,
		"while both wait a schedule advances nothing", "1 ticks and 0 advanced processes",
	}, {
		"decides when it has nothing to do", `case "$2" in schedule) decide actors;; esac`,
		"a schedule that advances nothing decides nothing", "1 where 0 should be",
	}, {
		"sends under a key of its own", `case "$2" in send) exec "$algal" mailbox send "$3" "$4" --dir "$store";; esac`,
		"the wake of alpha, approve, is delivered twice under one id", "2 where 1 should be",
	}, {
		"advances nobody", `case "$2" in schedule) echo '{"processes":[],"ticks":0}'; exit;; esac`,
		"a schedule then advances alpha and nobody else", "advanced: []",
	}, {
		"decides when it carries on", `case "$2" in schedule) test -e "$store/idle" && decide actors; touch "$store/idle";; esac`,
		"still 2 decisions: nobody made one again when it went on", "3 where 2 should be",
	}, {
		"loses a proposal", `case "$2" in receive) "$algal" "$@" >/dev/null; exec "$algal" "$@";; esac`,
		"alpha proposed once", "0 where 1 should be",
	}, {
		"publishes twice", `case "$2" in schedule) send alpha-publications;; esac`,
		"alpha published what was approved, once", "where 1 should be",
	}, {
		"wakes once more", `case "$2" in schedule) "$algal" "$@"; test -e "$store/idle" && send alpha-approvals; touch "$store/idle"; exit;; esac`,
		"alpha's second delivery of the wake left no message", "where 0 should be",
	}, {
		"advances another besides", `case "$2" in schedule) "$algal" "$@"; test -e "$store/idle" && "$algal" process tick beta --dir "$store" >/dev/null; touch "$store/idle"; exit;; esac`,
		"beta's head is as it was before alpha's wake", "sha256:",
	}, {
		"goes on when all is complete", `case "$2" in schedule) echo >>"$store/passes"
		if test $(wc -l <"$store/passes") = 3; then echo '{"processes":[{}],"ticks":1}'; exit; fi;; esac`,
		"when both are complete a schedule advances nothing", "1 where 0 should be",
	}, {
		"damages a receipt and says that all is well", `case "$2 $3" in "inspect alpha") "$algal" "$@" >"$store/said"; cat "$store/said"
		grep -q complete "$store/said" && damage; exit 0;; esac`,
		"the receipts that records name are in the store, under their digests", " hashes to sha256:",
	}, {
		"names the receipt of another", `case "$2 $3" in "inspect alpha")
		other=$("$algal" process inspect beta --dir "$store" | sed 's/.*"receipt":"\([^"]*\)".*/\1/')
		"$algal" "$@" | sed 's/"receipt":"[^"]*"/"receipt":"'$other'"/'; exit;; esac`,
		"alpha's cell propose is in both receipts, and the same", " and then ",
	}, {
		"publishes for another", `case "$2" in schedule) send beta-publications;; esac`,
		"beta, which was denied, published nothing", "where 0 should be",
	}, {
		"verifies without looking", `case "$2" in verify) echo '{"digest":"sha256:` + strings.Repeat("0", 64) + `","generations":2,"ok":true,"receipts":2}'; exit;; esac`,
		"alpha verifies offline, with all its receipts: 2", "where the head is sha256:",
	}, {
		"verifies one receipt", `case "$2" in verify) "$algal" "$@" | sed 's/"receipts":2/"receipts":1/'; exit;; esac`,
		"alpha verifies offline, with all its receipts: 2", `"receipts":1`,
	}, {
		"does not say ok", `case "$2" in verify) "$algal" "$@" | sed 's/"ok":true/"ok":false/'; exit;; esac`,
		"alpha verifies offline, with all its receipts: 2", `"ok":false`,
	}, {
		"verifies, and then damages a receipt", `case "$2" in verify) "$algal" "$@"; damage; exit;; esac`,
		"alpha verifies offline, with all its receipts: 2", "RECEIPT_MISMATCH",
	}, {
		"decides to verify", `case "$2" in verify) decide actors;; esac`,
		"the verification decided nothing", "1 where 0 should be",
	}, {
		"takes twins for one", `case "$2 $3" in "tick twin-b") "$algal" "$@"; rm "$store"/mailboxes/shared-proposals/pending/*; exit;; esac`,
		"the twins made 2 proposals, with different ids", "0 with 0 ids",
	}, {
		"wakes both twins", `case "$2 $store" in "schedule "*/twins-store) send shared-approvals;; esac`,
		"one wake for both advances one of them", "2 where 1 should be",
	}, {
		"leaves the first twin", `case "$2 $3" in "inspect twin-a") "$algal" "$@" | sed 's/"status":"complete"/"status":"failed"/'; exit;; esac`,
		"twin-a is complete at generation 2", "failed at generation 2",
	}, {
		"ticks the other twin", `case "$2 $store" in "schedule "*/twins-store) "$algal" "$@"; "$algal" process tick twin-b --dir "$store" >/dev/null; exit;; esac`,
		"twin-b still waits at generation 1", "suspended at generation 2",
	}, {
		"decides for a twin again", `case "$2 $store" in "schedule "*/twins-store) decide twins;; esac`,
		"the twins made 2 decisions in all", "3 where 2 should be",
	}, {
		"takes a run that stops for a success", `case "$1" in run) "$algal" "$@"; exit 0;; esac`,
		"beta's program is run and stops at the approval", `"suspended" with exit 0`,
	}, {
		"does not complete", `case "$1" in run) "$algal" "$@"; exit 1;; esac`,
		"beta's program is run again from the start and completes", `"complete" with exit 1`,
	}, {
		"comes to something else", `case "$1" in run) "$algal" "$@" >"$store/said"; code=$?; sed 's/awaiting/having/g' "$store/said"; exit $code;; esac`,
		"it came to the same as the process beta", "having host approval",
	}, {
		"publishes what was denied", `case "$1" in run) send beta-publications;; esac`,
		"it came to the same as the process beta", "[1,1] in beta-publications where [] should be",
	}, {
		"decides only once", `case "$1" in run) log="$store/../baseline-calls.jsonl"
		test -e "$store/ran" && sed 1d "$log" >"$store/log" && cat "$store/log" >"$log"; touch "$store/ran";; esac`,
		"run from the start it takes 4 decisions", "3 where 4 should be",
	},
}
