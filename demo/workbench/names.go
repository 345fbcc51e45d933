package workbench

// Names in a root (demo.md §4.3).
const (
	StoreName       = "store"
	DefinitionName  = "review.json"
	DecisionName    = "decision.json"
	PublicationName = "publication.json"
	EvidenceName    = "evidence.algal.json"
	ReportName      = "report.json"
	PageName        = "report.html"
)

// Bounds of the files, in bytes, inclusive.
const (
	MaxDefinition  = 131_072
	MaxDecision    = 4096
	MaxPublication = 32_768
	MaxReport      = 1_048_576
	MaxPage        = 8_388_608
)

// Bounds of the input evidence, inclusive: bytes of its canonical form and of the
// file that holds it, values in it, and the depth of the deepest, the root being 0.
const (
	MaxEvidence      = 8192
	MaxEvidenceNodes = 512
	MaxEvidenceDepth = 16
)

// ProcessName is the name of the process in the store.
const ProcessName = "review"

// Action is the one thing that a decision may allow.
const Action = "publish-local-report"

const maxGenerations = 4

// label is that of the lease on the root (custody.md §7).
const label = "demo-review"

// The contracts of the records.
const (
	definitionContract = "algal.demo-workbench.v1"
	proposalContract   = "algal.demo-proposal.v1"
	decisionContract   = "algal.demo-approval.v1"
	reportContract     = "algal.demo-report.v1"
)

// Texts that a report carries, some of them inside digests of its own workbench.
const (
	fixture = "The recommendation is a deterministic one that comes with this program: no live provider and no network were asked for it."
	summary = "Publish this exact record locally only if its content and its target are acceptable to you. " +
		"Whether what the evidence says is true was not assessed."
	scenario = "A program proposes to publish a local report on the input evidence, waits for a person's decision on exactly that proposal, " +
		"and publishes it at most once."
)
