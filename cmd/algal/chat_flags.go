package main

import (
	"github.com/spf13/pflag"

	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/executor/chat"
)

// chatFlags configure the executor for chat completions (provider-chat.md §1).
type chatFlags struct {
	baseURL        string
	model          string
	credentialEnv  string
	responseFormat string
	maxResponse    string
	tokenField     string
	temperature    string
	decide         bool
}

func (c *chatFlags) declare(flags *pflag.FlagSet) {
	textFlag(flags, &c.baseURL, "base-url", "answer effects by chat completions of the server at `URL`")
	textFlag(flags, &c.model, "model", "`NAME` of the model at --base-url")
	textFlag(flags, &c.credentialEnv, "credential-env", "environment variable `NAME` that holds the key of --base-url")
	textFlag(flags, &c.responseFormat, "response-format", "`FORMAT` that answers are asked for in: json_schema (default), json_object, prompt")
	textFlag(flags, &c.maxResponse, "max-response-bytes", "refuse answers of more than `N` bytes (default 2097152)")
	textFlag(flags, &c.tokenField, "token-field", "`FIELD` that limits the answer: max_tokens (default), max_completion_tokens, none")
	textFlag(flags, &c.temperature, "temperature", "temperature `T` from 0 (default) to 2, or none")
	switchFlag(flags, &c.decide, "chat-decide", "let the model answer decide cells too")
}

// check holds the flags to each other. other says that a provider that answers by
// default is given too. No text repeats a value: a URL may hold a secret.
func (c *chatFlags) check(other bool) error {
	whole := c.baseURL != "" && c.model != ""
	if !whole {
		return c.checkWithout()
	}
	if other {
		return usage("choose one default executor; --base-url cannot be combined with another provider")
	}
	if err := oneOf(c.responseFormat, "response-format", chat.FormatSchema, chat.FormatObject, chat.FormatPrompt); err != nil {
		return err
	}
	if err := oneOf(c.tokenField, "token-field", chat.MaxTokens, chat.MaxCompletionTokens, chat.None); err != nil {
		return err
	}
	_, _, err := c.readTemperature()
	return err
}

// checkWithout refuses what has a meaning only with an endpoint and a model.
func (c *chatFlags) checkWithout() error {
	if c.baseURL != "" || c.model != "" {
		return usage("--base-url and --model must be supplied together")
	}
	if c.credentialEnv != "" || c.responseFormat != "" {
		return usage("--credential-env and --response-format require --base-url and --model")
	}
	for _, own := range []struct {
		flag  string
		given bool
	}{
		{"max-response-bytes", c.maxResponse != ""},
		{"token-field", c.tokenField != ""},
		{"temperature", c.temperature != ""},
		{"chat-decide", c.decide},
	} {
		if own.given {
			return usage("--%s requires --base-url and --model", own.flag)
		}
	}
	return nil
}

// readTemperature returns the temperature, or that none is to be sent.
func (c *chatFlags) readTemperature() (temperature float64, none bool, err error) {
	switch c.temperature {
	case "":
		return 0, false, nil
	case chat.None:
		return 0, true, nil
	}
	v, err := canon.Parse(c.temperature, canon.Limits{})
	if err != nil || !v.Is(canon.KindNumber) || v.Float() < 0 || v.Float() > 2 {
		return 0, false, usage("--temperature must be a number in [0, 2] or none")
	}
	return v.Float(), false, nil
}

// open returns the executor of checked flags, nil when there is none.
func (c *chatFlags) open(timeoutMs int, notify func(format string, args ...any)) (*chat.Executor, error) {
	if c.baseURL == "" {
		return nil, nil
	}
	temperature, noTemperature, err := c.readTemperature()
	if err != nil {
		return nil, err
	}
	maxResponse, err := integer(c.maxResponse, "max-response-bytes", 1, 16_777_216)
	if err != nil {
		return nil, err
	}
	return chat.New(chat.Config{
		ID:               chat.DefaultID,
		BaseURL:          c.baseURL,
		Model:            c.model,
		CredentialEnv:    c.credentialEnv,
		ResponseFormat:   c.responseFormat,
		TimeoutMs:        timeoutMs,
		MaxResponseBytes: maxResponse,
		TokenField:       c.tokenField,
		Temperature:      temperature,
		NoTemperature:    noTemperature,
		Decide:           c.decide,
		Notify:           func(line string) { notify("%s", line) },
	})
}
