package organism

import (
	"slices"
	"strings"

	"github.com/algal-vm/algal/canon"
)

// PortType is the type of a port (§4).
type PortType string

// The port types.
const (
	Text   PortType = "text"   // any string
	JSON   PortType = "json"   // any value, or what a schema admits
	Choice PortType = "choice" // a string, one of the labels where these are declared
	Ref    PortType = "ref"    // the digest token of a stored payload
	Cap    PortType = "cap"    // a capability handle of one class
)

// Port is one declared port.
type Port struct {
	Name       string
	Type       PortType
	Optional   bool
	Many       bool     // a list of values of the type
	Labels     []string // of a choice; nil when none are declared, which admits any. Not nil and empty admits none
	Schema     *Schema  // of a json port, or nil
	Capability string   // class of a cap port
}

// Ports is a port map in declared order.
type Ports []Port

// Find returns the port of that name, or nil.
func (p Ports) Find(name string) *Port {
	for i := range p {
		if p[i].Name == name {
			return &p[i]
		}
	}
	return nil
}

// names lists the port names, which an expression over the ports may read.
func (p Ports) names() []string {
	names := make([]string, len(p))
	for i := range p {
		names[i] = p[i].Name
	}
	return names
}

// text renders the type as messages show it (§11.4).
func (p *Port) text() string {
	s := string(p.Type)
	if p.Type == Choice {
		s = "choice(*)"
		if p.Labels != nil {
			s = "choice(" + strings.Join(p.Labels, "|") + ")"
		}
	}
	if p.Many {
		s += "[]"
	}
	return s
}

// portRole says on which side of an edge the ports of a map stand.
type portRole int

const (
	consumer portRole = iota
	producer          // admits no many: an output is one value
)

// ports reads a port map (§4.2).
func (r *reader) ports(v canon.Value, path string, role portRole) (Ports, canon.Value) {
	ports, normal := make(Ports, 0, v.Len()), make([]canon.Member, 0, v.Len())
	r.eachPort(v, path, func(name string, v canon.Value, at string) {
		p, n := r.port(v, at, portMembers)
		if role == producer {
			r.refuseMany(&p, at)
		}
		p.Name = name
		ports, normal = append(ports, p), append(normal, canon.M(name, n))
	})
	return ports, revise(v, normal...)
}

// eachPort visits the entries of a port map in member order.
func (r *reader) eachPort(v canon.Value, path string, visit func(name string, v canon.Value, at string)) {
	o := r.object(v, path)
	if v.Len() > maxPorts {
		r.refuse("%s exceeds %d ports", path, maxPorts)
	}
	for name, e := range v.Members() {
		if r.err != nil {
			return
		}
		if canon.CheckSafeID(name, "") != nil {
			r.keep(canon.CheckSafeID(name, path+" port name"))
		}
		visit(name, e, o.at(name))
	}
}

func (r *reader) refuseMany(p *Port, path string) {
	if p.Many {
		r.refuse("%s: many is only valid on input ports", path)
	}
}

var (
	portMembers  = []string{"type", "optional", "many", "labels", "schema", "schemaVersion", "capability"}
	constMembers = append([]string{"value"}, portMembers...)
)

// port reads a port type (§4.1), as a name alone or as an object of the given
// members.
func (r *reader) port(v canon.Value, path string, members []string) (Port, canon.Value) {
	if v.Is(canon.KindString) {
		return r.shortPort(v, path)
	}
	o := r.object(v, path)
	o.closed(members...)
	p := Port{Type: PortType(o.text("type", maxKind))}
	if !slices.Contains([]PortType{Text, JSON, Choice, Ref, Cap}, p.Type) {
		r.refuse(`%s.type: unknown "%s"`, path, p.Type)
	}
	p.Optional, p.Many = o.flag("optional"), o.flag("many")
	p.Labels = o.portLabels(p.Type)
	p.Schema = o.portSchema(p.Type)
	p.Capability = o.capability(p.Type)
	return p, dropFalse(v, "optional", "many")
}

func (r *reader) shortPort(v canon.Value, path string) (Port, canon.Value) {
	p := Port{Type: PortType(v.Text())}
	switch p.Type {
	case Text, JSON, Choice, Ref:
	case Cap:
		r.refuse("%s: cap ports require a capability class", path)
	default:
		r.refuse(`%s: unknown port type "%s"`, path, p.Type)
	}
	return p, canon.Object(canon.M("type", v))
}

func (o object) portLabels(t PortType) []string {
	v := o.get("labels")
	if !v.Exists() {
		return nil
	}
	labels := o.texts(v, o.at("labels"), maxLabel)
	if len(labels) > maxLabels {
		o.refuse("%s.labels exceeds %d", o.path, maxLabels)
	}
	if t != Choice {
		o.refuse(`%s.labels requires type "choice"`, o.path)
	}
	return labels
}

func (o object) portSchema(t PortType) *Schema {
	version := o.schemaVersion()
	v := o.get("schema")
	if !v.Exists() {
		return nil
	}
	if t != JSON {
		o.refuse(`%s.schema requires type "json"`, o.path)
	}
	return o.schema(v, o.at("schema"), version)
}

func (o object) capability(t PortType) string {
	given := o.has("capability")
	switch {
	case given && t != Cap:
		o.refuse(`%s.capability requires type "cap"`, o.path)
	case !given && t == Cap:
		o.refuse(`%s.capability is required for type "cap"`, o.path)
	}
	class, _ := o.optID("capability")
	return class
}

// dropFalse leaves out flags that are false, as the normal form does.
func dropFalse(v canon.Value, flags ...string) canon.Value {
	for _, name := range flags {
		if f := v.Get(name); f.Is(canon.KindBool) && !f.Bool() {
			v = v.Without(name)
		}
	}
	return v
}
