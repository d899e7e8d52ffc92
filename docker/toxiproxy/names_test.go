package main

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"
)

func TestNoNameIsKnown(t *testing.T) {
	questions, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { knowNothing(ctx, questions); close(ended) }()
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", questions.LocalAddr().String())
	}}
	begun := time.Now()
	_, err = resolver.LookupHost(ctx, "node-broker-1.")
	if unknown := (*net.DNSError)(nil); !errors.As(err, &unknown) || !unknown.IsNotFound || time.Since(begun) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
	stop()
	<-ended
}

func TestOnlyQuestionsAreAnswered(t *testing.T) {
	answer := []byte{0, 1, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}
	for _, message := range [][]byte{nil, make([]byte, 11), answer} {
		if got := noSuchName(message); got != nil {
			t.Errorf("%v is answered by %v", message, got)
		}
	}
}
