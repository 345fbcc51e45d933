package chat_test

import (
	"context"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
)

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// counter is a server that counts connections.
type counter struct {
	address string
	n       atomic.Int32
}

func tcpCounter(t testing.TB) *counter {
	c := &counter{}
	c.address = tcp(t, func(net.Conn) { c.n.Add(1) })
	return c
}

func (c *counter) count() int { return int(c.n.Load()) }

func contextOf(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}
