package runtime

import (
	"slices"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// Bounds of a foreign receipt (run.md §12), inclusive. Lengths are UTF-16 units.
const (
	maxReceiptNodes   = 1_000_000
	maxReceiptBytes   = 67_108_864
	maxReceiptCells   = 65_536
	maxReceiptEffects = 16_448
	maxPath           = 4096
	maxSafeInteger    = 1<<53 - 1
)

const receiptBounds = "receipt structural bounds exceeded"

// ParseReceipt admits a foreign receipt (§12). The value is not changed. All
// refusals are PARSE_FAILED. The intrinsic digest is not compared here, see
// [CheckDigest], and nothing is said about whether the receipt is true.
func ParseReceipt(v canon.Value) error {
	if v.Nodes() > maxReceiptNodes || v.Depth() > canon.MaxDepth {
		return refuse(receiptBounds)
	}
	if v.Size() > maxReceiptBytes {
		return refuse("receipt byte bound exceeded")
	}
	if err := closed(v, "receipt", "contract", "runtime", "manifestDigest", "manifestKey", "args", "outcome", "cells", "effects", "events", "work", "failure", "digest"); err != nil {
		return err
	}
	if !v.Get("contract").IsText(ReceiptContract) {
		return refuse(`expected contract "` + ReceiptContract + `"`)
	}
	for _, part := range []func(canon.Value) error{admitHeader, admitFailure, admitCells, admitEffects, admitEvents} {
		if err := part(v); err != nil {
			return err
		}
	}
	return nil
}

// CheckDigest compares the digest member of a receipt with its contents.
func CheckDigest(receipt canon.Value) bool {
	return receipt.Get("digest").IsText(string(receipt.DigestWithout("digest")))
}

func refuse(text string) error { return algal.Errorf(algal.ParseFailed, "%s", text) }

// closed admits an object without unknown members.
func closed(v canon.Value, what string, allowed ...string) error {
	if err := canon.AsObject(v, what); err != nil {
		return err
	}
	return canon.NoUnknownKeys(v, what, allowed...)
}

func admitHeader(v canon.Value) error {
	runtime := v.Get("runtime")
	if err := closed(runtime, "receipt.runtime", "name", "version"); err != nil {
		return err
	}
	if !runtime.Get("name").IsText("algal") {
		return refuse("unknown receipt runtime")
	}
	if _, err := canon.AsString(runtime.Get("version"), "receipt.runtime.version", 128); err != nil {
		return err
	}
	for _, key := range []string{"digest", "manifestDigest"} {
		if _, err := canon.AsDigest(v.Get(key), "receipt."+key); err != nil {
			return err
		}
	}
	if _, err := canon.AsString(v.Get("manifestKey"), "receipt.manifestKey", 256); err != nil {
		return err
	}
	args := v.Get("args")
	if err := canon.AsObject(args, "receipt.args"); err != nil {
		return err
	}
	if args.Size() > MaxArgsBytes {
		return refuse("receipt args too large")
	}
	for cell, ports := range args.Members() {
		if err := canon.AsObject(ports, "receipt.args."+cell); err != nil {
			return err
		}
	}
	if !slices.Contains([]string{Complete, Failed, Stuck, Suspended}, v.Get("outcome").Text()) {
		return refuse("unknown receipt outcome")
	}
	work := v.Get("work")
	if err := closed(work, "receipt.work", "steps", "agentCalls", "units"); err != nil {
		return err
	}
	for _, key := range []string{"steps", "agentCalls", "units"} {
		if err := count(work.Get(key), "receipt.work."+key); err != nil {
			return err
		}
	}
	return nil
}

func count(v canon.Value, what string) error {
	_, err := canon.AsInt(v, what, 0, maxSafeInteger)
	return err
}

func admitFailure(v canon.Value) error {
	failure := v.Get("failure")
	if !failure.Exists() {
		return nil
	}
	if err := closed(failure, "receipt.failure", "code", "message", "path"); err != nil {
		return err
	}
	return admitFailureRecord(failure, "receipt.failure")
}

// admitFailureRecord admits the members of a failure.
func admitFailureRecord(failure canon.Value, what string) error {
	code, err := canon.AsString(failure.Get("code"), what+".code", 64)
	if err != nil {
		return err
	}
	if !algal.Code(code).Known() {
		return refuse(what + ".code is unknown")
	}
	if _, err := canon.AsString(failure.Get("message"), what+".message", maxReceiptBytes); err != nil {
		return err
	}
	return optionalString(failure, "path", what, maxPath)
}

func optionalString(v canon.Value, key, what string, maximum int) error {
	m := v.Get(key)
	if !m.Exists() {
		return nil
	}
	_, err := canon.AsString(m, what+"."+key, maximum)
	return err
}

func optionalDigest(v canon.Value, key, what string) error {
	m := v.Get(key)
	if !m.Exists() {
		return nil
	}
	_, err := canon.AsDigest(m, what+"."+key)
	return err
}

func admitCells(v canon.Value) error {
	cells := v.Get("cells")
	if err := canon.AsObject(cells, "receipt.cells"); err != nil {
		return err
	}
	if cells.Len() > maxReceiptCells {
		return refuse("too many receipt cells")
	}
	for path, cell := range cells.Members() {
		if len(path) > maxPath && canon.Units(path) > maxPath {
			return refuse("receipt cell path must be a string of at most 4096 characters")
		}
		if err := admitCell(cell); err != nil {
			return err
		}
	}
	return nil
}

func admitCell(c canon.Value) error {
	const what = "receipt cell"
	if err := closed(c, what, "status", "work", "outputs", "failure", "effectDigest", "toolCalls", "shadowOut", "rounds", "items", "via", "slot"); err != nil {
		return err
	}
	if !slices.Contains([]string{committed, skipped, Failed, Suspended}, c.Get("status").Text()) {
		return refuse("unknown receipt cell status")
	}
	if err := count(c.Get("work"), what+".work"); err != nil {
		return err
	}
	if outputs := c.Get("outputs"); outputs.Exists() {
		if err := canon.AsObject(outputs, what+".outputs"); err != nil {
			return err
		}
	}
	if failure := c.Get("failure"); failure.Exists() {
		if err := closed(failure, what+".failure", "code", "message"); err != nil {
			return err
		}
		if err := admitFailureRecord(failure, what+".failure"); err != nil {
			return err
		}
	}
	if err := optionalDigest(c, "effectDigest", what); err != nil {
		return err
	}
	if calls := c.Get("toolCalls"); calls.Exists() {
		if err := canon.AsArray(calls, what+".toolCalls"); err != nil {
			return err
		}
	}
	for _, key := range []string{"rounds", "items"} {
		if n := c.Get(key); n.Exists() {
			if err := count(n, what+"."+key); err != nil {
				return err
			}
		}
	}
	if err := optionalString(c, "via", what, 128); err != nil {
		return err
	}
	return admitSlot(c.Get("slot"))
}

func admitSlot(slot canon.Value) error {
	if !slot.Exists() {
		return nil
	}
	if err := closed(slot, "receipt cell.slot", "name", "mode"); err != nil {
		return err
	}
	if _, err := canon.AsString(slot.Get("name"), "receipt cell.slot.name", 128); err != nil {
		return err
	}
	if mode := slot.Get("mode"); !mode.IsText("read") && !mode.IsText("write") {
		return refuse("unknown slot mode")
	}
	return nil
}

func admitEffects(v canon.Value) error {
	effects := v.Get("effects")
	if err := canon.AsArray(effects, "receipt.effects"); err != nil {
		return err
	}
	if effects.Len() > maxReceiptEffects {
		return refuse("too many receipt effects")
	}
	for _, e := range effects.Elements() {
		if err := ParseEffect(e); err != nil {
			return err
		}
	}
	return nil
}

// ParseEffect admits one effect receipt (§12 step 5, §8.7). The value is not
// changed.
func ParseEffect(e canon.Value) error {
	const what = "effect receipt"
	if err := closed(e, what, "requestDigest", "output", "error", "executor", "usage", "cached", "configurationDigest", "retryable", "wake"); err != nil {
		return err
	}
	if _, err := canon.AsDigest(e.Get("requestDigest"), what+".requestDigest"); err != nil {
		return err
	}
	if _, err := canon.AsString(e.Get("executor"), what+".executor", 256); err != nil {
		return err
	}
	failed := e.Get("error")
	if failed.Exists() == e.Get("output").Exists() {
		return refuse(what + ": exactly one of output or error is required")
	}
	if failed.Exists() {
		if err := admitEffectError(failed, what+".error"); err != nil {
			return err
		}
	}
	if err := admitUsage(e.Get("usage"), what+".usage"); err != nil {
		return err
	}
	if retryable := e.Get("retryable"); retryable.Exists() && (!retryable.Is(canon.KindBool) || retryable.Bool()) {
		return refuse(what + ".retryable must be false")
	}
	if cached := e.Get("cached"); cached.Exists() && !cached.Bool() {
		return refuse(what + ".cached must be true")
	}
	if wake := e.Get("wake"); wake.Exists() {
		if !IsSuspended(e) {
			return refuse(what + ".wake requires EFFECT_SUSPENDED")
		}
		if _, err := organism.ParseWake(wake); err != nil {
			return refuse(err.Error())
		}
	}
	return optionalDigest(e, "configurationDigest", what)
}

func admitEffectError(failed canon.Value, what string) error {
	if err := closed(failed, what, "code", "message"); err != nil {
		return err
	}
	code, err := canon.AsString(failed.Get("code"), what+".code", 64)
	if err != nil {
		return err
	}
	if _, err := canon.AsString(failed.Get("message"), what+".message", 2048); err != nil {
		return err
	}
	if !algal.Code(code).Known() {
		return refuse(what + ".code is unknown")
	}
	return nil
}

func admitUsage(usage canon.Value, what string) error {
	if !usage.Exists() {
		return nil
	}
	if err := closed(usage, what, "model", "tokensIn", "tokensOut"); err != nil {
		return err
	}
	if err := optionalString(usage, "model", what, 128); err != nil {
		return err
	}
	for _, key := range []string{"tokensIn", "tokensOut"} {
		if n := usage.Get(key); n.Exists() {
			if err := count(n, what+"."+key); err != nil {
				return err
			}
		}
	}
	return nil
}

var eventKinds = []string{"run.start", "cell.commit", "cell.skip", "cell.fail", "cell.suspend", "effect", "run.end"}

func admitEvents(v canon.Value) error {
	events := v.Get("events")
	if err := canon.AsArray(events, "receipt.events"); err != nil {
		return err
	}
	if events.Len() > maxEvents {
		return refuse("too many receipt events")
	}
	const what = "receipt event"
	for _, e := range events.Elements() {
		if err := closed(e, what, "seq", "kind", "path", "digest", "outcome"); err != nil {
			return err
		}
		if err := count(e.Get("seq"), what+".seq"); err != nil {
			return err
		}
		if !slices.Contains(eventKinds, e.Get("kind").Text()) {
			return refuse("unknown receipt event kind")
		}
		if err := optionalString(e, "path", what, maxPath); err != nil {
			return err
		}
		if err := optionalDigest(e, "digest", what); err != nil {
			return err
		}
		if err := optionalString(e, "outcome", what, 32); err != nil {
			return err
		}
	}
	return nil
}
