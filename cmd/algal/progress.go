package main

import (
	"fmt"
	"io"
	"time"

	"github.com/algal-vm/algal/internal/terminal"
)

// status is the line of progress at a terminal.
type status struct {
	text    string      // what the command is at, "" for nothing to say
	showing bool        // the line is on the screen
	timer   *time.Timer // runs from the first progress on
	late    bool        // the command has taken long enough to speak of it
}

// patience is how long a command may take before it tells what it is at.
const patience = 300 * time.Millisecond

// progress tells what a long command is at, in a line that the next one overwrites,
// where standard error is a terminal.
func (s *streams) progress(format string, args ...any) {
	if !terminal.Is(s.err) {
		return
	}
	const width = 78
	text := []rune(terminal.Printable(fmt.Sprintf(format, args...)))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.text = string(text[:min(len(text), width)])
	if s.status.timer == nil {
		s.status.timer = time.AfterFunc(patience, s.speak)
	}
	s.draw()
}

// speak lets progress be seen from now on.
func (s *streams) speak() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.late = true
	s.draw()
}

func (s *streams) draw() {
	s.erase()
	if s.status.late && s.status.text != "" {
		io.WriteString(s.err, s.status.text)
		s.status.showing = true
	}
}

// clear ends the progress that was told last.
func (s *streams) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.text = ""
	s.erase()
}

func (s *streams) erase() {
	if s.status.showing {
		io.WriteString(s.err, "\r\x1b[K")
		s.status.showing = false
	}
}
