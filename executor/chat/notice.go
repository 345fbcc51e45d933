package chat

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/organism"
)

// notice is what an operator may want to know of a failed attempt and no receipt
// holds (§9). What a server wrote is shown only where it is a short plain word
// without the key.
type notice struct {
	key     secret
	details []string
}

func (n *notice) add(name, text string) {
	if isPlain(text) && (n.key == "" || !strings.Contains(text, string(n.key))) {
		n.details = append(n.details, name+" "+text)
	}
}

// addError takes the two members of an error body that may be shown.
func (n *notice) addError(body io.Reader) {
	text, _ := io.ReadAll(io.LimitReader(body, maxErrorBytes))
	v, err := canon.Parse(string(text), canon.Limits{Depth: maxBodyDepth})
	if err != nil {
		return
	}
	n.add("error.code", v.Get("error").Get("code").Text())
	n.add("error.type", v.Get("error").Get("type").Text())
}

// report tells of a failed attempt.
func (e *Executor) report(cellID string, err *algal.Error, n *notice) {
	if e.config.Notify == nil {
		return
	}
	line := fmt.Sprintf("chat completions: cell %s: %s: %s", cellID, err.Code, err.Message)
	if len(n.details) > 0 {
		line += " (" + strings.Join(n.details, ", ") + ")"
	}
	e.config.Notify(line)
}

// isPlain admits ^[A-Za-z0-9_.-]{1,64}$.
func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if !isLetter(c) && !isDigit(c) && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// Opening returns the lines that an operator sees before a program starts (§9):
// whom it will ask, and a warning for every cell whose tool calls the server's
// grammar is likely to rule out. graph may be nil.
func (e *Executor) Opening(graph *organism.Graph) []string {
	key := "no key"
	if name := e.config.CredentialEnv; name != "" {
		key = "key from " + name
		if _, there := os.LookupEnv(name); !there {
			key = "warning: the key's variable " + name + " is not set"
		}
	}
	lines := []string{fmt.Sprintf("chat completions: %s, model %s, format %s, %s", e.endpoint, e.config.Model, e.config.ResponseFormat, key)}
	if graph != nil && e.config.ResponseFormat == FormatSchema {
		lines = append(lines, toolWarnings(graph, map[string]bool{})...)
	}
	return lines
}

// toolWarnings visits a program and what it embeds. A cell that is embedded twice
// is named once.
func toolWarnings(graph *organism.Graph, named map[string]bool) []string {
	var lines []string
	for i, cell := range graph.Manifest.Cells {
		if cell.Model != nil && len(cell.Model.Tools) > 0 {
			line := fmt.Sprintf("chat completions: warning: cell %s of %s has tools; use --response-format json_object or prompt", cell.ID, graph.Manifest.Key)
			if !named[line] {
				named[line] = true
				lines = append(lines, line)
			}
		}
		if child := graph.Children[i]; child != nil {
			lines = append(lines, toolWarnings(child, named)...)
		}
	}
	return lines
}
