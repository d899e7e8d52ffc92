package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestServeAnswersUntilItIsToldToStop(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, 0) }()
	response, err := http.Post("http://"+listener.Addr().String()+"/proxies", "",
		strings.NewReader(`{"name":"p","listen":"127.0.0.1:0","upstream":"127.0.0.1:1"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var made struct{ Listen string }
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || made.Listen == "" {
		t.Fatalf("made %+v, %v", made, err)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it did not stop")
	}
	if conn, err := net.Dial("tcp", made.Listen); err == nil {
		conn.Close()
		t.Error("a proxy outlived its server")
	}
}

func TestATakenAddressIsAnError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := run(t.Context(), listener.Addr().String(), 0); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("error %v", err)
	}
}
