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
	flag.Parse()
	log.SetFlags(log.LstdFlags | log.LUTC | log.Lmicroseconds)
	if err := serve(net.JoinHostPort(*host, *port)); err != nil {
		log.Fatal(err)
	}
}

// serve runs until SIGTERM or SIGINT.
func serve(address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	proxies := egress.New()
	defer proxies.Close()
	server := &http.Server{Addr: address, Handler: proxies.Handler(), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
