package cas

import (
	"sync"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// memory is a store that lives as long as the program. Values are immutable, so
// nothing is copied. It has no bounds: whoever fills it has them.
type memory struct {
	mu      sync.RWMutex
	objects [places]map[algal.Digest]canon.Value
	effects map[algal.Digest]canon.Value
	slots   map[string]canon.Value
}

// place is a kind of content-addressed object.
type place int

const (
	values place = iota
	manifests
	receipts
	places
)

// NewMemory returns an empty store in memory (store.md §8).
func NewMemory() Store { return newMemory() }

func newMemory() *memory { return &memory{} }

func (m *memory) get(p place, d algal.Digest) (canon.Value, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.objects[p][d], nil
}

func (m *memory) put(p place, v canon.Value) (algal.Digest, error) {
	d := v.Digest()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.objects[p] == nil {
		m.objects[p] = map[algal.Digest]canon.Value{}
	}
	// What is read back has canonical member order, as it would from a file.
	m.objects[p][d] = v.Sorted()
	return d, nil
}

func (m *memory) Value(d algal.Digest) (canon.Value, error)    { return m.get(values, d) }
func (m *memory) PutValue(v canon.Value) (algal.Digest, error) { return m.put(values, v) }
func (m *memory) Manifest(d algal.Digest) (canon.Value, error) { return m.get(manifests, d) }
func (m *memory) PutManifest(normal canon.Value) (algal.Digest, error) {
	return m.put(manifests, normal)
}
func (m *memory) Receipt(d algal.Digest) (canon.Value, error)    { return m.get(receipts, d) }
func (m *memory) PutReceipt(r canon.Value) (algal.Digest, error) { return m.put(receipts, r) }

func (m *memory) Effect(identity string, request algal.Digest) (canon.Value, error) {
	key := EffectKey(identity, request)
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.effects[key], nil
}

func (m *memory) PutEffect(identity string, receipt canon.Value) error {
	request, err := EffectRequest(receipt)
	if err != nil {
		return err
	}
	key := EffectKey(identity, request)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.effects == nil {
		m.effects = map[algal.Digest]canon.Value{}
	}
	if !m.effects[key].Exists() {
		m.effects[key] = receipt.Sorted()
	}
	return nil
}

func (m *memory) Slot(name string) (canon.Value, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.slots[name], nil
}

func (m *memory) SetSlot(name string, v canon.Value) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.slots == nil {
		m.slots = map[string]canon.Value{}
	}
	m.slots[name] = v.Sorted()
	return nil
}

// EffectKey returns the key of an effect memo (store.md §6.1), which names its
// file.
func EffectKey(identity string, request algal.Digest) algal.Digest {
	return canon.Object(
		canon.M("contract", canon.String("algal.effect-cache.v1")),
		canon.M("executor", canon.String(identity)),
		canon.M("requestDigest", canon.String(string(request))),
	).Digest()
}

// EffectRequest returns the request that an effect receipt answers.
func EffectRequest(receipt canon.Value) (algal.Digest, error) {
	return canon.AsDigest(receipt.Get("requestDigest"), "effect request digest")
}
