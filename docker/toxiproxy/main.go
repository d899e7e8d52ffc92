// Command toxiproxy is the proxy server of one node. It serves Toxiproxy's HTTP
// interface and writes nothing but errors.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"kafkachaos/docker/toxiproxy/egress"
)

func main() {
	host := flag.String("host", "0.0.0.0", "address that the API listens on")
	port := flag.String("port", "8474", "port that the API listens on")
	insist := flag.Duration("insist", 0, "how long upstreams that refuse are dialled again")
	flag.Parse()
	log.SetFlags(log.LstdFlags | log.LUTC | log.Lmicroseconds)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	err := run(ctx, net.JoinHostPort(*host, *port), *insist)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address string, insist time.Duration) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return serve(ctx, listener, insist)
}

// serve answers until ctx is over, and takes every proxy down with it.
func serve(ctx context.Context, listener net.Listener, insist time.Duration) error {
	proxies := egress.New()
	proxies.Insist = insist
	defer proxies.Close()
	server := &http.Server{Handler: proxies.Handler(), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
