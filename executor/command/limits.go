package command

import (
	"runtime"
	"strconv"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Limits are the resource limits of an isolated command, in the units of the
// shell's ulimit. What is zero is not limited.
type Limits struct {
	CPUSeconds      int  // 1 to 86,400
	FileSizeBlocks  int  // 1 to 33,554,432
	OpenFiles       int  // 4 to 1,048,576
	Processes       int  // 1 to 65,536, of the user as a whole
	AddressSpaceKiB int  // 1024 to 16,777,216; refused on Darwin, which does not enforce it
	StackKiB        int  // 64 to 1,048,576
	NoCore          bool // no core files
}

// knob is one numeric limit.
type knob struct {
	name     string
	flag     string // of ulimit
	field    func(*Limits) *int
	min, max int
	perUser  bool // it counts what the user has beside the command
}

// knobs is in the order in which the limits are set.
var knobs = []knob{
	{"cpuSeconds", "-t", func(l *Limits) *int { return &l.CPUSeconds }, 1, 86_400, false},
	{"fileSizeBlocks", "-f", func(l *Limits) *int { return &l.FileSizeBlocks }, 1, 33_554_432, false},
	{"openFiles", "-n", func(l *Limits) *int { return &l.OpenFiles }, 4, 1_048_576, false},
	{"processes", "-u", func(l *Limits) *int { return &l.Processes }, 1, 65_536, true},
	{addressSpace, "-v", func(l *Limits) *int { return &l.AddressSpaceKiB }, 1024, 16_777_216, false},
	{"stackKiB", "-s", func(l *Limits) *int { return &l.StackKiB }, 64, 1_048_576, false},
}

const (
	addressSpace = "addressSpaceKiB"
	noCore       = "noCore"
)

// ParseLimits reads a declaration {KNOB: NUMBER, …, noCore: true}. Every member
// is optional.
func ParseLimits(v canon.Value) (Limits, error) {
	var l Limits
	if err := canon.AsObject(v, "isolation limits"); err != nil {
		return l, err
	}
	names := []string{noCore}
	for _, k := range knobs {
		names = append(names, k.name)
	}
	if err := canon.NoUnknownKeys(v, "isolation limits", names...); err != nil {
		return l, err
	}
	for _, k := range knobs {
		declared := v.Get(k.name)
		if !declared.Exists() {
			continue
		}
		n, err := k.admit(declared)
		if err != nil {
			return Limits{}, err
		}
		*k.field(&l) = n
	}
	if declared := v.Get(noCore); declared.Exists() {
		on, err := canon.AsBool(declared, "isolation limits."+noCore)
		if err != nil {
			return Limits{}, err
		}
		l.NoCore = on
	}
	return l, nil
}

func (k *knob) admit(v canon.Value) (int, error) {
	if k.name == addressSpace && runtime.GOOS == "darwin" {
		return 0, algal.Errorf(algal.ParseFailed, "isolation limits.%s is not enforced on this platform", k.name)
	}
	return canon.AsInt(v, "isolation limits."+k.name, k.min, k.max)
}

func (l *Limits) check() error {
	for _, k := range knobs {
		if n := *k.field(l); n != 0 {
			if _, err := k.admit(canon.Int(n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// value is the declaration as it is digested.
func (l *Limits) value() canon.Value {
	var members []canon.Member
	for _, k := range knobs {
		if n := *k.field(l); n != 0 {
			members = append(members, canon.M(k.name, enforced(canon.Int(n), k.perUser)))
		}
	}
	if l.NoCore {
		members = append(members, canon.M(noCore, enforced(canon.Bool(true), false)))
	}
	return canon.Object(members...)
}

func enforced(value canon.Value, perUser bool) canon.Value {
	var scope canon.Value
	if perUser {
		scope = canon.String("uid")
	}
	return canon.Object(canon.M("enforced", canon.Bool(true)), canon.M("scope", scope), canon.M("value", value))
}

// ulimits returns the arguments of the ulimit commands, in their order.
func (l *Limits) ulimits() []string {
	var list []string
	for _, k := range knobs {
		if n := *k.field(l); n != 0 {
			list = append(list, k.flag+" "+strconv.Itoa(n))
		}
	}
	if l.NoCore {
		list = append(list, "-c 0")
	}
	return list
}
