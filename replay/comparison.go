package replay

import (
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Bounds of a comparison record (run.md §15.3), inclusive. Lengths are UTF-16
// units.
const (
	maxComparisonBytes = 1_048_576
	maxComparedPath    = 4096
	maxComparedDetail  = 2048
)

// ParseComparison admits a comparison record (§15.3): its shape, its bounds and
// that its members agree with each other. All refusals are PARSE_FAILED.
func ParseComparison(v canon.Value) error {
	if v.Size() > maxComparisonBytes {
		return refuse("replay comparison exceeds 1048576 bytes")
	}
	for _, part := range []func(canon.Value) error{
		comparisonHeader, comparisonPaths, comparisonDivergence, comparisonReason, comparisonCoherence,
	} {
		if err := part(v); err != nil {
			return err
		}
	}
	return nil
}

func refuse(text string) error { return algal.Errorf(algal.ParseFailed, "%s", text) }

// record admits a closed object with exactly the members required, and of the
// optional ones any.
func record(v canon.Value, what string, required []string, optional ...string) error {
	if err := canon.AsObject(v, what); err != nil {
		return err
	}
	if err := canon.NoUnknownKeys(v, what, slices.Concat(required, optional)...); err != nil {
		return err
	}
	for _, key := range required {
		if _, err := canon.Require(v, what, key); err != nil {
			return err
		}
	}
	return nil
}

func comparisonHeader(v canon.Value) error {
	if err := record(v, "replay comparison", []string{
		"contract", "receipt", "manifest", "supplied", "revision", "args", "verdict", "prefix", "prefixTruncated", "added",
		"addedTruncated", "divergence", "outcomes", "effectsMatch", "revisedReceipt", "reason",
	}); err != nil {
		return err
	}
	if !v.Get("contract").IsText(ComparisonContract) {
		return refuse(`expected contract "` + ComparisonContract + `"`)
	}
	for _, key := range []string{"receipt", "manifest", "supplied", "args"} {
		if _, err := canon.AsDigest(v.Get(key), "comparison."+key); err != nil {
			return err
		}
	}
	for _, key := range []string{"revision", "revisedReceipt"} {
		if m := v.Get(key); !m.Is(canon.KindNull) {
			if _, err := canon.AsDigest(m, "comparison."+key); err != nil {
				return err
			}
		}
	}
	if !slices.Contains([]string{Identical, Diverged, CouldNotReplay}, v.Get("verdict").Text()) {
		return refuse("unknown comparison verdict")
	}
	for _, key := range []string{"prefixTruncated", "addedTruncated"} {
		if _, err := canon.AsBool(v.Get(key), "comparison."+key); err != nil {
			return err
		}
	}
	if m := v.Get("effectsMatch"); !m.Is(canon.KindBool) && !m.Is(canon.KindNull) {
		return refuse("comparison.effectsMatch must be a boolean or null")
	}
	outcomes := v.Get("outcomes")
	if err := record(outcomes, "comparison.outcomes", []string{"original", "revised"}); err != nil {
		return err
	}
	if _, err := canon.AsString(outcomes.Get("original"), "comparison.outcomes.original", 32); err != nil {
		return err
	}
	return nullOrString(outcomes.Get("revised"), "comparison.outcomes.revised", 32)
}

func nullOrString(v canon.Value, what string, maximum int) error {
	if v.Is(canon.KindNull) {
		return nil
	}
	_, err := canon.AsString(v, what, maximum)
	return err
}

func comparisonPaths(v canon.Value) error {
	prefix, added := v.Get("prefix"), v.Get("added")
	for _, key := range []string{"prefix", "added"} {
		list := v.Get(key)
		if err := canon.AsArray(list, "comparison."+key); err != nil {
			return err
		}
		if list.Len() > maxCompared {
			return refuse("comparison." + key + " exceeds 256 entries")
		}
	}
	seen := map[string]bool{}
	for _, e := range prefix.Elements() {
		if err := record(e, "comparison.prefix entry", []string{"digest", "path"}); err != nil {
			return err
		}
		if _, err := canon.AsDigest(e.Get("digest"), "comparison.prefix digest"); err != nil {
			return err
		}
		path, err := canon.AsString(e.Get("path"), "comparison.prefix path", maxComparedPath)
		if err != nil {
			return err
		}
		if seen[path] {
			return refuse("comparison.prefix paths must be unique")
		}
		seen[path] = true
	}
	last := ""
	for i, e := range added.Elements() {
		path, err := canon.AsString(e, "comparison.added path", maxComparedPath)
		if err != nil {
			return err
		}
		if i > 0 && canon.CompareUnits(last, path) >= 0 {
			return refuse("comparison.added must be sorted and unique")
		}
		last = path
	}
	return nil
}

func comparisonDivergence(v canon.Value) error {
	d := v.Get("divergence")
	if d.Is(canon.KindNull) {
		return nil
	}
	if err := record(d, "comparison.divergence", []string{"kind", "path", "original", "revised"}, "detail"); err != nil {
		return err
	}
	if !slices.Contains([]string{"cell", "effects", "outcome", "work", "failure"}, d.Get("kind").Text()) {
		return refuse("unknown divergence kind")
	}
	if err := nullOrString(d.Get("path"), "comparison.divergence.path", maxComparedPath); err != nil {
		return err
	}
	for _, key := range []string{"original", "revised"} {
		if err := divergenceSide(d.Get(key), "comparison.divergence."+key); err != nil {
			return err
		}
	}
	if d.Get("kind").IsText("cell") && (d.Get("path").Is(canon.KindNull) || d.Get("original").Is(canon.KindNull) && d.Get("revised").Is(canon.KindNull)) {
		return refuse("a cell divergence needs a path and a side")
	}
	return optionalDetail(d, "comparison.divergence.detail")
}

func divergenceSide(v canon.Value, what string) error {
	if v.Is(canon.KindNull) {
		return nil
	}
	if err := record(v, what, []string{"digest", "status"}); err != nil {
		return err
	}
	if _, err := canon.AsString(v.Get("status"), what+".status", 64); err != nil {
		return err
	}
	_, err := canon.AsDigest(v.Get("digest"), what+".digest")
	return err
}

func optionalDetail(v canon.Value, what string) error {
	detail := v.Get("detail")
	if !detail.Exists() {
		return nil
	}
	_, err := canon.AsString(detail, what, maxComparedDetail)
	return err
}

func comparisonReason(v canon.Value) error {
	r := v.Get("reason")
	if r.Is(canon.KindNull) {
		return nil
	}
	if err := record(r, "comparison.reason", []string{"code"}, "path", "request", "detail"); err != nil {
		return err
	}
	code := r.Get("code").Text()
	if !slices.Contains([]string{"manifest-invalid", "missing-input", "missing-effect"}, code) {
		return refuse("unknown comparison reason")
	}
	if path := r.Get("path"); path.Exists() {
		if _, err := canon.AsString(path, "comparison.reason.path", maxComparedPath); err != nil {
			return err
		}
	} else if code != "manifest-invalid" {
		return refuse("a missing input or effect needs a path")
	}
	if request := r.Get("request"); request.Exists() {
		if _, err := canon.AsDigest(request, "comparison.reason.request"); err != nil {
			return err
		}
	}
	return optionalDetail(r, "comparison.reason.detail")
}

func comparisonCoherence(v canon.Value) error {
	verdict := v.Get("verdict").Text()
	ran := !v.Get("revisedReceipt").Is(canon.KindNull)
	parted := !v.Get("divergence").Is(canon.KindNull)
	outcomes := v.Get("outcomes")
	sameOutcome := canon.Equal(outcomes.Get("original"), outcomes.Get("revised"))
	switch {
	case (verdict == CouldNotReplay) == v.Get("reason").Is(canon.KindNull):
		return refuse("comparison reason and verdict disagree")
	case verdict == Identical && (!ran || parted || !v.Get("effectsMatch").Bool() || v.Get("added").Len() > 0 || !sameOutcome):
		return refuse("an identical comparison cannot differ")
	case verdict == Diverged && (!ran || !parted && v.Get("effectsMatch").Bool() && sameOutcome && v.Get("added").Len() == 0):
		return refuse("a diverged comparison needs a difference")
	case v.Get("reason").Get("code").IsText("manifest-invalid") && ran:
		return refuse("an invalid manifest cannot have run")
	}
	return nil
}
