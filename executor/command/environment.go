package command

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Environment is the whole environment of an isolated command beside HOME, LANG
// and PATH, which have fixed values unless named here: variables with a fixed
// value, and names whose live value is taken over at each call. Each list has at
// most 32 names of at most 64 characters.
type Environment struct {
	Set     map[string]string // values of at most 8192 bytes without NUL
	Inherit []string          // a name that is not set then is not set there either
}

const (
	maxNames    = 32
	maxName     = 64   // characters
	maxVariable = 8192 // bytes of a value
)

const isolatedPath = "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin"

// ParseEnvironment reads a declaration {inherit: [NAME, …], set: {NAME: VALUE}},
// the form in which it is digested. Both members are optional.
func ParseEnvironment(v canon.Value) (Environment, error) {
	if err := canon.AsObject(v, "isolation env"); err != nil {
		return Environment{}, err
	}
	if err := canon.NoUnknownKeys(v, "isolation env", "inherit", "set"); err != nil {
		return Environment{}, err
	}
	set, err := readSet(v.Get("set"))
	if err != nil {
		return Environment{}, err
	}
	inherit, err := readInherit(v.Get("inherit"))
	if err != nil {
		return Environment{}, err
	}
	e := Environment{Set: set, Inherit: inherit}
	if err := e.check(); err != nil {
		return Environment{}, err
	}
	return e, nil
}

func readSet(v canon.Value) (map[string]string, error) {
	if !v.Exists() {
		return nil, nil
	}
	if err := canon.AsObject(v, "isolation env.set"); err != nil {
		return nil, err
	}
	set := make(map[string]string, v.Len())
	for name, value := range v.Members() {
		text, err := canon.AsString(value, "isolation env.set."+name, maxVariable)
		if err != nil {
			return nil, err
		}
		set[name] = text
	}
	return set, nil
}

func readInherit(v canon.Value) ([]string, error) {
	if !v.Exists() {
		return nil, nil
	}
	if err := canon.AsArray(v, "isolation env.inherit"); err != nil {
		return nil, err
	}
	inherit := make([]string, 0, v.Len())
	for i, name := range v.Elements() {
		text, err := canon.AsString(name, "isolation env.inherit["+strconv.Itoa(i)+"]", maxName)
		if err != nil {
			return nil, err
		}
		inherit = append(inherit, text)
	}
	return inherit, nil
}

func (e *Environment) check() error {
	if len(e.Set) > maxNames || len(e.Inherit) > maxNames {
		return algal.Errorf(algal.ParseFailed, "isolation env must have at most %d names in each list", maxNames)
	}
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(e.Set)), e.Inherit) {
		if !isVariable(name) {
			return algal.Errorf(algal.ParseFailed, `isolation env name "%s" must match ^[A-Za-z_][A-Za-z0-9_]*$ and have at most %d characters`, name, maxName)
		}
		if value := e.Set[name]; !fits(value) || !isText(value) {
			return algal.Errorf(algal.ParseFailed, `isolation env "%s" exceeds the value bound`, name)
		}
	}
	return nil
}

func isVariable(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

func fits(value string) bool { return len(value) <= maxVariable && !strings.ContainsRune(value, 0) }

func (e *Environment) clone() *Environment {
	return &Environment{Set: maps.Clone(e.Set), Inherit: slices.Clone(e.Inherit)}
}

// value is the declaration as it is digested.
func (e *Environment) value() canon.Value {
	inherit := make([]canon.Value, 0, len(e.Inherit))
	for _, name := range slices.Sorted(slices.Values(e.Inherit)) {
		inherit = append(inherit, canon.String(name))
	}
	set := make([]canon.Member, 0, len(e.Set))
	for name, value := range e.Set {
		set = append(set, canon.M(name, canon.String(value)))
	}
	return canon.Object(canon.M("inherit", canon.Array(inherit...)), canon.M("set", canon.Object(set...)))
}

// live returns the environment of a call in dir, sorted by name.
func (e *Environment) live(dir string) ([]string, error) {
	all := map[string]string{"HOME": dir, "LANG": "C.UTF-8", "PATH": isolatedPath}
	maps.Copy(all, e.Set)
	for _, name := range e.Inherit {
		delete(all, name)
		value, there := os.LookupEnv(name)
		if !fits(value) {
			return nil, algal.Errorf(algal.EffectFailed, `isolation env "%s" exceeds the value bound`, name)
		}
		if there {
			all[name] = value
		}
	}
	list := make([]string, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, name+"="+all[name])
	}
	return list, nil
}
