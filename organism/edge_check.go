package organism

import (
	"slices"

	"github.com/algal-vm/algal"
)

// checkInterface checks the manifest's own interface (§11.5).
func (g *Graph) checkInterface() error {
	iface := g.Manifest.Interface
	if iface == nil {
		return nil
	}
	for _, in := range iface.Inputs {
		i := g.Cell(in.Cell)
		switch {
		case i < 0:
			return algal.Errorf(algal.InterfaceMismatch, `organism "%s" interface references missing cell "%s"`,
				g.Manifest.Key, in.Cell)
		case g.Manifest.Cells[i].Kind != KindInput:
			return algal.Errorf(algal.InterfaceMismatch, `interface input "%s" must target an input cell`, in.Name)
		case g.output(in.PortRef) == nil:
			return algal.Errorf(algal.InterfaceMismatch, `interface input "%s" targets missing port "%s"`, in.Name, in.PortRef)
		}
	}
	for _, out := range iface.Outputs {
		if g.output(out.PortRef) == nil {
			return algal.Errorf(algal.InterfaceMismatch, `interface output "%s" targets missing port "%s"`, out.Name, out.PortRef)
		}
	}
	return nil
}

// checkEdges checks the edges in order and enters them into the graph (§11.6).
func (g *Graph) checkEdges() error {
	for i, e := range g.Manifest.Edges {
		from, to := g.Cell(e.From.Cell), g.Cell(e.To.Cell)
		if from < 0 {
			return algal.Errorf(algal.ManifestInvalid, `edge %d: unknown from cell "%s"`, i, e.From.Cell)
		}
		if to < 0 {
			return algal.Errorf(algal.ManifestInvalid, `edge %d: unknown to cell "%s"`, i, e.To.Cell)
		}
		producer, consumer := g.Outputs[from].Find(e.From.Port), g.Inputs[to].Find(e.To.Port)
		if producer == nil {
			return algal.Errorf(algal.ManifestInvalid, `cell "%s" has no output port "%s"`, e.From.Cell, e.From.Port)
		}
		if consumer == nil {
			return algal.Errorf(algal.ManifestInvalid, `edge %d: cell "%s" has no input port "%s"`, i, e.To.Cell, e.To.Port)
		}
		if err := e.checkTypes(i, producer, consumer); err != nil {
			return err
		}
		if err := e.checkGuard(i, producer); err != nil {
			return err
		}
		if err := g.checkFanIn(i, e, to, consumer); err != nil {
			return err
		}
		g.From[i], g.To[i] = from, to
		g.Inbound[to] = append(g.Inbound[to], i)
		g.Handled[from] = g.Handled[from] || e.OnFail
	}
	return nil
}

// checkTypes checks that the producer can feed the consumer. A failure edge
// delivers a record whatever the producer makes.
func (e *Edge) checkTypes(i int, producer, consumer *Port) error {
	switch {
	case !e.OnFail && !feeds(producer, consumer):
		return algal.Errorf(algal.TypeMismatch, `edge %d: %s (%s) cannot feed %s (%s)`,
			i, e.From, producer.text(), e.To, consumer.text())
	case e.OnFail && e.Guard != nil:
		return algal.Errorf(algal.GuardInvalid, `edge %d: guard is not valid on an on:"fail" edge`, i)
	case e.OnFail && consumer.Type != JSON:
		return algal.Errorf(algal.TypeMismatch,
			`edge %d: on:"fail" delivers a failure record — consumer port "%s" must be json, got %s`, i, e.To, consumer.text())
	}
	return nil
}

// checkGuard checks that the guard can hold for the producer. A program fits any.
func (e *Edge) checkGuard(i int, producer *Port) error {
	g := e.Guard
	switch {
	case g == nil || g.Program != nil:
		return nil
	case g.HasField && producer.Type != JSON:
		return algal.Errorf(algal.GuardInvalid, `edge %d: field guard requires a json producer, got %s`, i, producer.text())
	case !g.HasField && producer.Type != Choice:
		return algal.Errorf(algal.GuardInvalid, `edge %d: guard requires a choice producer, got %s`, i, producer.text())
	case !g.HasField && !producer.canBe(g.Equals):
		return algal.Errorf(algal.GuardInvalid, `edge %d: guard label "%s" not in producer labels`, i, g.Equals)
	}
	return nil
}

// checkFanIn compares an edge with the earlier ones into the same port.
func (g *Graph) checkFanIn(i int, e *Edge, to int, consumer *Port) error {
	for _, j := range g.Inbound[to] {
		other := g.Manifest.Edges[j]
		if other.To.Port != e.To.Port {
			continue
		}
		if other.OnFail != e.OnFail {
			return algal.Errorf(algal.ManifestInvalid, `edge %d: input port "%s" mixes normal and on:"fail" edges`, i, e.To)
		}
		if !consumer.Many {
			return algal.Errorf(algal.ManifestInvalid,
				`edge %d: input port "%s" already has an edge; inputs are single-assignment`, i, e.To)
		}
	}
	return nil
}

// feeds reports whether a producer's values fit a consumer (§11.9). Schemas are
// not compared.
func feeds(producer, consumer *Port) bool {
	from, to := producer.Type, consumer.Type
	switch {
	case producer.Many && !consumer.Many && to != JSON:
		return false
	case from == Cap || to == Cap:
		return from == to && producer.Capability == consumer.Capability
	case from == Ref || to == Ref:
		return from == to
	case to == JSON:
		return true
	case from == Choice && to == Choice:
		return fitLabels(producer.Labels, consumer.Labels)
	}
	return from == to || from == Choice && to == Text
}

// fitLabels reports whether every producer label is a consumer label; lists that
// are not declared fit any.
func fitLabels(producer, consumer []string) bool {
	if producer == nil || consumer == nil {
		return true
	}
	for _, label := range producer {
		if !slices.Contains(consumer, label) {
			return false
		}
	}
	return true
}
