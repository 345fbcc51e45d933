package organism

import "github.com/algal-vm/algal/canon"

// Interface names the ports by which a manifest can be embedded (§9). Both lists
// are in member order.
type Interface struct {
	Inputs, Outputs []InterfacePort
}

// InterfacePort maps an interface name to a port of a cell.
type InterfacePort struct {
	Name string
	PortRef
}

// iface reads an interface. In the normal form both sides stand.
func (r *reader) iface(v canon.Value) (*Interface, canon.Value) {
	o := r.object(v, "interface")
	o.closed("inputs", "outputs")
	inputs, normalInputs := o.side("inputs")
	outputs, normalOutputs := o.side("outputs")
	return &Interface{inputs, outputs},
		revise(v, canon.M("inputs", normalInputs), canon.M("outputs", normalOutputs))
}

func (o object) side(key string) ([]InterfacePort, canon.Value) {
	v := o.get(key)
	if !v.Exists() {
		return nil, canon.Object()
	}
	var side []InterfacePort
	o.eachPort(v, o.at(key), func(name string, v canon.Value, at string) {
		side = append(side, InterfacePort{name, o.portRef(v, at)})
	})
	return side, v
}
