package runtime

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Bounds of recall hits (run.md §7.9), inclusive.
const (
	maxHitSource = 512  // UTF-16 units
	maxHitText   = 2048 // bytes
	maxHitSeq    = 65_535
)

// recallOutput is the contract of a recall request.
var recallOutput = func() organism.OutputContract {
	schema := canon.Object(
		canon.M("properties", canon.Object(canon.M("hits", typed("array")))),
		canon.M("required", canon.Array(canon.String("hits"))),
		canon.M("type", canon.String("object")),
	)
	return organism.OutputContract{
		Kind:   organism.JSON,
		Schema: organism.NewSchema(schema, 1),
		Normal: canon.Object(canon.M("kind", canon.String("json")), canon.M("schema", schema)),
	}
}()

func typed(name string) canon.Value { return canon.Object(canon.M("type", canon.String(name))) }

func (a *activation) recall() (product, error) {
	query, err := a.query()
	if err != nil {
		return product{}, err
	}
	context, l := canon.Object(canon.M("inputs", a.inputs)), a.limits()
	if err := l.contextFits(context, "recall context"); err != nil {
		return product{}, err
	}
	recall := a.cell.Recall
	request := a.request(EffectRecall, "", context, &recallOutput, l, a.cell.Model.Route)
	request.extend("recall", canon.Object(
		canon.M("embedder", canon.String(recall.Embedder)),
		canon.M("k", canon.Int(recall.K)),
		canon.M("query", canon.String(query)),
	))
	request.bind = func(output canon.Value, cellID string) (canon.Value, error) {
		v, err := recallOutput.Bind(output, cellID)
		if err == nil {
			err = checkHits(v, recall.K)
		}
		return v, err
	}
	answer, err := a.settleEffect(request, effortOf(a.cell.Model.Attempts), nil)
	if err != nil {
		return product{}, err
	}
	p := product{effectDigest: request.Digest}
	hits := answer.value.Get("hits")
	if recall.Rerank != nil && hits.Len() >= 2 {
		if hits, p.effectDigest, err = a.rerank(query, hits, l); err != nil {
			return product{}, err
		}
	}
	outputs := []canon.Member{canon.M("out", canon.Object(canon.M("hits", hits)))}
	if hits.Len() > 0 {
		outputs = append(outputs, canon.M("ref", hits.At(0).Get("ref")))
	}
	p.outputs = canon.Object(outputs...)
	return p, nil
}

// query evaluates what is asked.
func (a *activation) query() (string, error) {
	v, err := a.evaluate(a.cell.Program, "recall query")
	switch {
	case err != nil:
		return "", err
	case !v.Is(canon.KindString):
		return "", algal.Errorf(algal.ExprFailed, `recall cell "%s" query must evaluate to text`, a.cell.ID)
	case v.Text() == "":
		return "", algal.Errorf(algal.ExprFailed, `recall cell "%s" query must not be empty`, a.cell.ID)
	case len(v.Text()) > maxRecallQueryBytes:
		return "", algal.Errorf(algal.BudgetExhausted, `recall cell "%s" query exceeds maxRecallQueryBytes %d`, a.cell.ID, maxRecallQueryBytes)
	}
	return v.Text(), nil
}

// checkHits holds the answer to the hit rules.
func checkHits(v canon.Value, k int) error {
	hits := v.Get("hits")
	if v.Len() != 1 || !hits.Is(canon.KindArray) {
		return algal.Errorf(algal.EffectUnparseable, "recall output must contain only a hits array")
	}
	if hits.Len() > k {
		return algal.Errorf(algal.EffectUnparseable, "recall output returned %d hits over k %d", hits.Len(), k)
	}
	for i, hit := range hits.Elements() {
		fault := ""
		switch {
		case !hit.Is(canon.KindObject):
			fault = "must be an object"
		case canon.NoUnknownKeys(hit, "", "id", "source", "seq", "score", "text", "ref") != nil:
			fault = "has an unknown key"
		case !validHit(hit):
			fault = "is invalid"
		}
		if fault != "" {
			return algal.Errorf(algal.EffectUnparseable, "recall output hits[%d] %s", i, fault)
		}
	}
	return nil
}

func validHit(hit canon.Value) bool {
	source, text, ref := hit.Get("source"), hit.Get("text"), hit.Get("ref")
	seq := hit.Get("seq")
	return algal.IsDigest(hit.Get("id").Text()) &&
		source.Is(canon.KindString) && canon.Units(source.Text()) <= maxHitSource &&
		seq.Is(canon.KindNumber) && seq.Float() == math.Trunc(seq.Float()) && seq.Float() >= 0 && seq.Float() <= maxHitSeq &&
		hit.Get("score").Is(canon.KindNumber) &&
		text.Is(canon.KindString) && len(text.Text()) <= maxHitText &&
		(!ref.Exists() || validHitRef(ref, source.Text()))
}

// validHitRef admits a reference to the value that the source names.
func validHitRef(ref canon.Value, source string) bool {
	named, ok := strings.CutPrefix(source, "value:")
	if !ok || !algal.IsDigest(ref.Text()) {
		return false
	}
	return strings.TrimPrefix(named, "sha256:") == algal.Digest(ref.Text()).Hex()
}

// rerank orders the hits by a second effect and returns its request.
func (a *activation) rerank(query string, hits canon.Value, l limits) (canon.Value, algal.Digest, error) {
	context := canon.Object(canon.M("hits", hits), canon.M("query", canon.String(query)))
	if err := l.contextFits(context, "recall rerank context"); err != nil {
		return canon.Value{}, "", err
	}
	questions := make([]canon.Member, hits.Len())
	for i := range questions {
		questions[i] = canon.M(indexed("hit_", i), noul(
			fmt.Sprintf("Is context.hits[%d] directly relevant to context.query?", i),
			canon.M("false", canon.String("The hit does not help answer context.query.")),
			canon.M("true", canon.String("The hit directly helps answer context.query.")),
		))
	}
	prompt := fmt.Sprintf("Semantic rerank for recall cell \"%s\". Score every hit's direct relevance to the query; do not summarize or rewrite the source text.", a.cell.ID)
	rerank := a.cell.Recall.Rerank
	answer, request, err := a.decide(prompt, context, canon.Object(questions...), rerank.Route, l, effortOf(a.cell.Model.Attempts))
	if err != nil {
		return canon.Value{}, "", err
	}
	order := make([]int, hits.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch a, b := score(answer, indexed("hit_", x)), score(answer, indexed("hit_", y)); {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	if rerank.Take > 0 && rerank.Take < len(order) {
		order = order[:rerank.Take]
	}
	kept := make([]canon.Value, len(order))
	for i, at := range order {
		kept[i] = hits.At(at)
	}
	return canon.Array(kept...), request.Digest, nil
}
