package chat

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/algal-vm/algal"
)

// Bounds of the wait that a server may ask for (§8).
const (
	defaultWait = time.Second
	maxWait     = 60 * time.Second
)

// holdback is the time before which the next request is not sent. The run repeats
// an attempt at once, so that somebody else has to wait.
type holdback struct {
	mu    sync.Mutex
	until time.Time
}

func (h *holdback) set(until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = until
}

// wait returns when the next request may be sent. A wait that would not end before
// ctx does fails at once.
func (h *holdback) wait(ctx context.Context) *failure {
	cancelled := final(algal.BudgetExhausted, "request cancelled before dispatch")
	if ctx.Err() != nil {
		return cancelled
	}
	h.mu.Lock()
	until := h.until
	h.mu.Unlock()
	left := time.Until(until)
	if left <= 0 {
		return nil
	}
	if deadline, bounded := ctx.Deadline(); bounded && !until.Before(deadline) {
		return cancelled
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return cancelled
	}
}

// retryAfter reads how long a server asks to wait: seconds, or a date counted from
// the answer's own Date where it has one, since clocks differ.
func retryAfter(header http.Header, now time.Time) time.Duration {
	asked := header.Get("Retry-After")
	if isDigits(asked) {
		seconds, err := strconv.ParseUint(asked, 10, 32)
		if err != nil || seconds > uint64(maxWait/time.Second) {
			return maxWait
		}
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(asked)
	if err != nil {
		return defaultWait
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return min(max(until.Sub(now), 0), maxWait)
}

func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if !isDigit(c) {
			return false
		}
	}
	return s != ""
}
