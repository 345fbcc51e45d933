package subprocess_test

import (
	"context"
	"fmt"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/subprocess"
)

func Example() {
	answer, err := subprocess.Run(context.Background(), subprocess.Command{
		Argv:      subprocess.Shell(`cat >/dev/null; printf '{"n": 1}'`),
		Input:     canon.Object(canon.M("question", canon.String("how many?"))),
		MaxStdout: subprocess.DefaultStdout,
		TimeoutMs: subprocess.DefaultTimeoutMs,
	})
	fmt.Println(answer, err)
	// Output: {"n":1} <nil>
}
