package egress_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kafkachaos/docker/toxiproxy/egress"
)

// The cost of an idle proxy is what these say of "proxy" less what they say of
// "direct".

// BenchmarkRoundTrip is one small request and its answer.
func BenchmarkRoundTrip(b *testing.B) {
	eachWay(b, func(b *testing.B, client, server net.Conn) {
		go io.Copy(server, server)
		ball := make([]byte, 100)
		for b.Loop() {
			if _, err := client.Write(ball); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(client, ball); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkThroughput is one connection sending as fast as it can.
func BenchmarkThroughput(b *testing.B) {
	eachWay(b, func(b *testing.B, client, server net.Conn) {
		block := make([]byte, 64<<10)
		b.SetBytes(int64(len(block)))
		go func() {
			for {
				if _, err := client.Write(block); err != nil {
					return
				}
			}
		}()
		got := make([]byte, len(block))
		for b.Loop() {
			if _, err := io.ReadFull(server, got); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func eachWay(b *testing.B, run func(b *testing.B, client, server net.Conn)) {
	for _, way := range []string{"direct", "proxy"} {
		b.Run(way, func(b *testing.B) {
			upstream, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer upstream.Close()
			address := upstream.Addr().String()
			if way == "proxy" {
				address = proxied(b, address)
			}
			client, err := net.Dial("tcp", address)
			if err != nil {
				b.Fatal(err)
			}
			defer client.Close()
			server, err := upstream.Accept()
			if err != nil {
				b.Fatal(err)
			}
			defer server.Close()
			run(b, client, server)
		})
	}
}

func proxied(b *testing.B, upstream string) string {
	server := egress.New()
	b.Cleanup(server.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	answer := httptest.NewRecorder()
	server.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/proxies",
		strings.NewReader(`{"name":"p","listen":"`+address+`","upstream":"`+upstream+`"}`)))
	if answer.Code >= 300 {
		b.Fatal(answer.Body)
	}
	return address
}
