package chat

import (
	"strings"
	"unicode/utf8"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
)

// Config says whom to ask and how (§1). Zero members have the default.
type Config struct {
	// ID of the executor; "" means "openai:" and the configuration digest. A command
	// line uses [DefaultID].
	ID string

	BaseURL          string  // §2
	Model            string  // 1 to 128 bytes without control characters
	CredentialEnv    string  // name of the variable with the key; "" sends no key
	ResponseFormat   string  // [FormatSchema], [FormatObject] or [FormatPrompt]; by default the first
	TimeoutMs        int     // of an attempt, 1 to 600,000; by default 120,000
	MaxResponseBytes int     // of an answer, 1 to 16,777,216; by default 2,097,152
	TokenField       string  // member that bounds the answer's tokens, or [None]; by default "max_tokens"
	Temperature      float64 // 0 to 2
	NoTemperature    bool    // do not send the temperature
	Decide           bool    // also admit decide requests

	// Notify takes the lines for an operator (§9), without line ends. They hold no
	// key, prompt, context or answer. nil drops them.
	Notify func(line string)
}

// The values of [Config.ResponseFormat] (§4.3).
const (
	FormatSchema = "json_schema"
	FormatObject = "json_object"
	FormatPrompt = "prompt"
)

// The values of [Config.TokenField].
const (
	MaxTokens           = "max_tokens"
	MaxCompletionTokens = "max_completion_tokens"
	None                = "none"
)

// MaxResponseBytes is the largest value of [Config.MaxResponseBytes].
const MaxResponseBytes = 16_777_216

const (
	defaultTimeoutMs     = 120_000
	maxTimeoutMs         = 600_000
	defaultResponseBytes = 2_097_152
	maxModel             = 128 // bytes
	maxVariable          = 128 // characters of the name of the key's variable
)

func (c Config) withDefaults() Config {
	if c.ResponseFormat == "" {
		c.ResponseFormat = FormatSchema
	}
	if c.TokenField == "" {
		c.TokenField = MaxTokens
	}
	if c.TimeoutMs == 0 {
		c.TimeoutMs = defaultTimeoutMs
	}
	if c.MaxResponseBytes == 0 {
		c.MaxResponseBytes = defaultResponseBytes
	}
	return c
}

// check reports the first fault, in the order and with the texts of §1.
func (c *Config) check() error {
	switch c.ResponseFormat {
	case FormatSchema, FormatObject, FormatPrompt:
	default:
		return algal.Errorf(algal.ParseFailed, "response-format must be json_schema, json_object, or prompt")
	}
	switch c.TokenField {
	case MaxTokens, MaxCompletionTokens, None:
	default:
		return algal.Errorf(algal.ParseFailed, "token-field must be max_tokens, max_completion_tokens, or none")
	}
	if !(c.Temperature >= 0 && c.Temperature <= 2) {
		return algal.Errorf(algal.ParseFailed, "temperature must be a number in [0, 2] or none")
	}
	if _, err := canon.AsInt(canon.Int(c.TimeoutMs), "executor-timeout-ms", 1, maxTimeoutMs); err != nil {
		return err
	}
	if _, err := canon.AsInt(canon.Int(c.MaxResponseBytes), "max-response-bytes", 1, MaxResponseBytes); err != nil {
		return err
	}
	if c.CredentialEnv != "" && !isVariable(c.CredentialEnv) {
		return algal.Errorf(algal.ParseFailed, "invalid provider credential environment name")
	}
	if !isModel(c.Model) {
		return algal.Errorf(algal.ParseFailed, "invalid provider model identifier")
	}
	return nil
}

func isVariable(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return len(s) <= maxVariable
}

// isModel admits the name of a model, the configured one and the one that a
// server tells.
func isModel(s string) bool {
	control := func(r rune) bool { return r < 0x20 || r >= 0x7F && r <= 0x9F }
	return s != "" && len(s) <= maxModel && utf8.ValidString(s) && !strings.ContainsFunc(s, control)
}

// digest is the configuration digest of §5: equal in every runtime as long as the
// settings that are ours alone have their defaults.
func (c *Config) digest() algal.Digest {
	members := []canon.Member{
		canon.M("baseUrl", canon.String(c.BaseURL)),
		canon.M("credentialEnv", orNull(c.CredentialEnv, "")),
		canon.M("kind", canon.String("openai")),
		canon.M("maxResponseBytes", canon.Int(c.MaxResponseBytes)),
		canon.M("model", canon.String(c.Model)),
		canon.M("responseFormat", canon.String(c.ResponseFormat)),
		canon.M("timeoutMs", canon.Int(c.TimeoutMs)),
	}
	if c.Decide {
		members = append(members, canon.M("decide", canon.Bool(true)))
	}
	switch {
	case c.NoTemperature:
		members = append(members, canon.M("temperature", canon.Null()))
	case c.Temperature != 0:
		members = append(members, canon.M("temperature", c.temperature()))
	}
	if c.TokenField != MaxTokens {
		members = append(members, canon.M("tokenField", orNull(c.TokenField, None)))
	}
	return canon.Object(members...).Digest()
}

// temperature returns the temperature as a value, absent when it is not sent.
func (c *Config) temperature() canon.Value {
	if c.NoTemperature {
		return canon.Value{}
	}
	v, _ := canon.Number(c.Temperature) // check admits finite numbers only
	return v
}

func orNull(s, null string) canon.Value {
	if s == null {
		return canon.Null()
	}
	return canon.String(s)
}
