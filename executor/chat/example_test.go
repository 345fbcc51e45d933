package chat_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/chat"
	"github.com/algal-vm/algal/runtime"
)

func Example() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"choices":[{"message":{"content":"{\"value\":\"yes\"}"}}],"model":"small"}`)
	}))
	defer provider.Close()
	executor, err := chat.New(chat.Config{BaseURL: provider.URL + "/v1", Model: "small"})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := executor.Call(context.Background(), &runtime.Request{
		CellID:         "ask",
		Kind:           runtime.EffectAgent,
		MaxOutputBytes: 1000,
		Record: canon.Object(
			canon.M("context", canon.Object()),
			canon.M("output", canon.Object(canon.M("kind", canon.String("text")))),
			canon.M("prompt", canon.String("Is the sky blue?")),
		),
	})
	fmt.Println(answer.Output, answer.Usage, err)
	// Output: "yes" {"model":"small"} <nil>
}
