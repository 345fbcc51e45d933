package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/durable"
	"github.com/algal-vm/algal/expr"
)

func newExprCommand(with *shared) *cobra.Command {
	return group(&cobra.Command{
		Use:   "expr COMMAND",
		Short: "Evaluate and check expressions",
		Long:  `Evaluates and checks expressions of algal.expr.v1, one request a line.`,
		Example: `  algal expr eval requests.jsonl
  algal expr check requests.jsonl`,
	}, newExprEvalCommand(with), newExprCheckCommand(with))
}

type exprOptions struct {
	file   string // "" or "-" for standard input
	answer func(request string) string
}

func newExprEvalCommand(with *shared) *cobra.Command {
	return exprCommand(with, &exprOptions{answer: expr.EvalRequest}, &cobra.Command{
		Use:   "eval [FILE|-]",
		Short: "Evaluate expressions, one request a line",
		Long: `Reads requests {"program","env","fuel"}, one a line, from FILE or standard input, and answers
each by one line: {"fuel","ok":true,"value"} or {"err","fuel","ok":false}. Blank lines are
skipped.`,
		Example: `  echo '{"program":["add",1,2],"env":{}}' | algal expr eval`,
	})
}

func newExprCheckCommand(with *shared) *cobra.Command {
	return exprCommand(with, &exprOptions{answer: expr.CheckRequest}, &cobra.Command{
		Use:   "check [FILE|-]",
		Short: "Check expressions, one request a line",
		Long: `Reads requests {"program","names"}, one a line, from FILE or standard input, and answers each
by one line: {"ok":true} or {"err","ok":false}. Blank lines are skipped.`,
		Example: `  echo '{"program":["get","x"],"names":["x"]}' | algal expr check`,
	})
}

func exprCommand(with *shared, o *exprOptions, cmd *cobra.Command) *cobra.Command {
	cmd.Args = positional("[FILE|-]")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.file = argument(args, 0)
		return runExpr(cmd.Context(), with.streams, o)
	}
	return cmd
}

func runExpr(_ context.Context, s *streams, o *exprOptions) error {
	in := s.in
	if o.file != "" && o.file != stdinName {
		f, err := openRegular(o.file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	lines := bufio.NewReaderSize(in, 64<<10)
	out := bufio.NewWriterSize(s.out, 64<<10)
	err := answerLines(lines, out, o.answer)
	if failed := out.Flush(); failed != nil && err == nil {
		err = algal.Errorf(algal.IOFailed, "standard output: %v", durable.Cause(failed))
	}
	return err
}

// answerLines answers each line. Answers are held back only while more requests are
// at hand, so that a conversation works.
func answerLines(lines *bufio.Reader, out *bufio.Writer, answer func(string) string) error {
	for {
		line, err := readLine(lines)
		if line = strings.Trim(line, " \t\r\n"); line != "" {
			out.WriteString(answer(line))
			out.WriteByte('\n') // the error of either stays with out
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if lines.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return algal.Errorf(algal.IOFailed, "standard output: %v", durable.Cause(err))
			}
		}
	}
}

// maxLine bounds a request in bytes, without its line end.
const maxLine = canon.MaxBytes

// readLine returns the next line; io.EOF comes with the last one.
func readLine(r *bufio.Reader) (string, error) {
	var line strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		if line.Write(part); line.Len() > maxLine+1 || line.Len() == maxLine+1 && !endsLine(part) {
			return "", algal.Errorf(algal.BudgetExhausted, "expression request exceeds %d bytes", maxLine)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, err == io.EOF:
			return line.String(), err
		default:
			return "", algal.Errorf(algal.IOFailed, "expression requests: %v", durable.Cause(err))
		}
	}
}

func endsLine(part []byte) bool { return len(part) > 0 && part[len(part)-1] == '\n' }

// openRegular opens a file that is read in parts. It never waits for a FIFO.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, algal.Errorf(algal.ParseFailed, "%s: %v", absolute(path), durable.Cause(err))
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = algal.Errorf(algal.BudgetExhausted, "expression requests: regular file byte bound")
		err = about(err, "%s is not a regular file", absolute(path))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
