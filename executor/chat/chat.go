// Package chat answers effect requests by one HTTP request each to an endpoint of
// the OpenAI-compatible chat completions form (provider-chat.md).
//
// The endpoint is the host's choice alone: no program, route or answer changes it.
// Every form of answer is asked for as a JSON object with the single member value,
// and nothing is repaired but one code fence around it. An attempt is at most one
// request over a connection of its own, and what the host cannot know of a request
// that was sent is marked uncertain. The executor repeats nothing; after 429 and
// 503 it holds back its next request for as long as the server asks.
//
// The key is read from an environment variable at the attempt and stands in one
// request header and nowhere else. An answer that repeats it is refused.
//
// Verification, resumed prefixes and evidence never come here: they replay
// receipts. The tools of a cell are not offered, since the request does not name
// them; an author's prompt may.
package chat

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/algal-vm/algal"
	"github.com/algal-vm/algal/canon"
	"github.com/algal-vm/algal/runtime"
)

// DefaultID is the executor's id on a command line (§3).
const DefaultID = "default"

// Executor asks one endpoint for one model.
type Executor struct {
	config      Config // with defaults in place
	description runtime.Description
	endpoint    *url.URL
	hold        holdback

	// What tests replace.
	dialer net.Dialer
	proxy  func(*http.Request) (*url.URL, error)
	roots  *x509.CertPool // nil: those of the system
}

// New returns the executor of a configuration. A configuration out of its bounds
// is PARSE_FAILED with a text of §1, which repeats no value: a URL may hold a
// secret.
func New(config Config) (*Executor, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, err
	}
	endpoint, err := parseEndpoint(config.BaseURL)
	if err != nil {
		return nil, err
	}
	digest := config.digest()
	e := &Executor{config: config, endpoint: endpoint, proxy: proxyFor}
	e.description = runtime.Description{
		ID:            config.ID,
		Kinds:         []runtime.EffectKind{runtime.EffectAgent, runtime.EffectClassifier},
		Cacheable:     true,
		Retryable:     true,
		Identity:      string(digest),
		Configuration: digest,
	}
	if config.ID == "" {
		e.description.ID = "openai:" + string(digest)
	}
	if config.Decide {
		e.description.Kinds = append(e.description.Kinds, runtime.EffectDecide)
	}
	return e, nil
}

// Describe returns the executor's description. Its identity is the configuration
// digest, so that another endpoint or model misses the memos of this one.
func (e *Executor) Describe() runtime.Description { return e.description }

// Call makes one attempt (§7). The usage that the server tells is kept also of an
// answer that is refused: the tokens are spent.
func (e *Executor) Call(ctx context.Context, request *runtime.Request) (runtime.Answer, error) {
	metadata := runtime.Metadata{Configuration: e.description.Configuration}
	r := e.attempt(ctx, request)
	metadata.Usage = r.usage
	if r.failure == nil {
		return runtime.Answer{Output: r.output, Metadata: metadata}, nil
	}
	metadata.NotRetryable = r.failure.final
	e.report(request.CellID, r.failure.err, &r.notice)
	return runtime.Answer{Metadata: metadata}, r.failure.err
}

// result is what became of an attempt.
type result struct {
	output  canon.Value
	usage   canon.Value // absent when the server told nothing
	failure *failure    // nil with an output
	notice  notice
}

// failure is a failed attempt in one of the three classes of §7.
type failure struct {
	err   *algal.Error // marked uncertain in class U
	final bool         // class N: the same request would fail again
}

// repeatable is class R: settled, and the cell's retry may issue it again.
func repeatable(code algal.Code, text string) *failure {
	return &failure{err: algal.Errorf(code, "%s", provider+text)}
}

// final is class N: settled for good.
func final(code algal.Code, text string) *failure {
	f := repeatable(code, text)
	f.final = true
	return f
}

// uncertain is class U: the server may have done the work.
func uncertain(code algal.Code, text string) *failure {
	f := repeatable(code, text)
	f.err.Uncertain = true
	return f
}

// provider begins almost every text.
const provider = "Chat Completions provider "

func (e *Executor) attempt(ctx context.Context, request *runtime.Request) (r result) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(e.config.TimeoutMs)*time.Millisecond)
	defer cancel()
	body, key, failed := e.prepare(request)
	if failed == nil {
		failed = e.hold.wait(ctx)
	}
	var text string
	if failed == nil {
		r.notice.key = key
		text, failed = e.exchange(ctx, body, key, &r.notice)
	}
	if failed != nil {
		r.failure = failed
		return r
	}
	e.read(text, key, &r)
	return r
}

// prepare makes everything that a request needs before a connection is opened.
func (e *Executor) prepare(request *runtime.Request) ([]byte, secret, *failure) {
	if !e.description.Admits(request.Kind) {
		return nil, "", final(algal.EffectUnbound, `cannot serve effect kind "`+string(request.Kind)+`"`)
	}
	key, failed := readKey(e.config.CredentialEnv)
	if failed != nil {
		return nil, "", failed
	}
	body := e.config.body(request)
	if body.Size() > maxRequestBytes {
		return nil, "", final(algal.BudgetExhausted, "request exceeds byte limit")
	}
	return body.AppendCanonical(make([]byte, 0, body.Size())), key, nil
}
