package verify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/algal-vm/algal/verify"
)

// recorded is the document of evidence.md §6 without its tools, which the program
// does not use: a process of one const cell, created and dispatched once.
const recorded = `{"contract":"algal.process-evidence.v1","head":"sha256:04be9760b20539ec2d26c5451219f6e657feaadc4ae8429259ca28dc3174a7d4",
"missing":{"manifests":[],"values":[]},"tools":{},"program":{"contract":"algal.bundle.v1","manifests":{
"sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f":{"budgets":{"maxAgentCalls":16,"maxContextBytes":65536,"maxDepth":4,
"maxOutputBytes":65536,"maxSteps":256,"maxWork":1000000},"cells":[{"id":"c","kind":"const","outputs":{"v":{"type":"json","value":1}}}],
"contract":"algal.organism.v1","edges":[],"key":"organism:one","name":"One"}},
"root":"sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f","values":{}},"receipts":{
"sha256:a122aec62483adca41256f9085d7b1358bc8271c894dbaa518e2f8cd7de12268":{"args":{},"cells":{"c":{"outputs":{"v":1},"status":"committed","work":100}},
"contract":"algal.run.v1","digest":"sha256:5b69d0d0764f5b2ad34dcc846e7b42e90b3c0713ffc1a59ea21f66918ef91327","effects":[],"events":[
{"digest":"sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f","kind":"run.start","seq":0},
{"kind":"cell.commit","path":"c","seq":1},{"kind":"run.end","outcome":"complete","seq":2}],
"manifestDigest":"sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f","manifestKey":"organism:one","outcome":"complete",
"runtime":{"name":"algal","version":"0.1.0"},"work":{"agentCalls":0,"steps":1,"units":100}}},"records":{
"sha256:04be9760b20539ec2d26c5451219f6e657feaadc4ae8429259ca28dc3174a7d4":{"args":{},"cause":"start","contract":"algal.process.v1","generation":1,
"manifestDigest":"sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f","maxGenerations":2,"name":"demo",
"previous":"sha256:39876289bb1df31a6d91ad71bf1d4924683e1c39199585dfce7101cd5cbd7a9e",
"receipt":"sha256:a122aec62483adca41256f9085d7b1358bc8271c894dbaa518e2f8cd7de12268","status":"complete","wake":[]},
"sha256:39876289bb1df31a6d91ad71bf1d4924683e1c39199585dfce7101cd5cbd7a9e":{"args":{},"cause":"start","contract":"algal.process.v1","generation":1,
"manifestDigest":"sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f","maxGenerations":2,"name":"demo",
"previous":"sha256:4c5077f3e8a5051612dcd73ad449abe3b2fadfbb841070db84e2caa259082d28","status":"uncertain","wake":[]},
"sha256:4c5077f3e8a5051612dcd73ad449abe3b2fadfbb841070db84e2caa259082d28":{"args":{},"contract":"algal.process.v1","generation":0,
"manifestDigest":"sha256:39dfd969ee691d47d4afa27e77bb33ad3ae5e29bd386ffb80cab35838b33835f","maxGenerations":2,"name":"demo","status":"ready","wake":[]}}}`

// A document is admitted, then its history is replayed. A refusal says where.
func Example() {
	check := func(text string) {
		e, err := verify.Parse(text)
		var report *verify.Report
		if err == nil {
			report, err = e.Verify(context.Background())
		}
		var refusal *verify.Refusal
		switch {
		case errors.As(err, &refusal):
			fmt.Printf("refused at %s: %s: %v\n", refusal.Stage, refusal.Err.Code, err)
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Printf("%s after %d generation, %d receipt, head %.14s\n", report.Status, report.Generations, report.Receipts, report.Head)
		}
	}
	check(recorded)
	check(strings.Replace(recorded, `"units":100`, `"units":99`, 1))

	// Output:
	// complete after 1 generation, 1 receipt, head sha256:04be976
	// refused at receipts: DIGEST_MISMATCH: evidence receipts digest mismatch
}
