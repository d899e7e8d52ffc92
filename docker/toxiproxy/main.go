// Command toxiproxy is the proxy server of a cluster: one egress for each node, at an
// address of its own. It serves Toxiproxy's HTTP interface for each egress below the
// node's name, and writes nothing but errors.
//
//	toxiproxy [-port 8474] [NODE=ADDRESS[,INSIST]]...
//
// INSIST is how long upstreams of that node that refuse are dialled again, such as 2s.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"kafkachaos/docker/toxiproxy/egress"
)

func main() {
	port := flag.String("port", "8474", "port that the API listens on")
	flag.Parse()
	log.SetFlags(log.LstdFlags | log.LUTC | log.Lmicroseconds)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	var config net.ListenConfig
	questions, err := config.ListenPacket(ctx, "udp", nameServer)
	if err == nil {
		go knowNothing(ctx, questions)
		err = run(ctx, net.JoinHostPort("", *port), flag.Args())
	}
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, api string, descriptions []string) error {
	nodes := map[string]*egress.Server{}
	for _, description := range descriptions {
		node, server, err := parse(description)
		if err != nil {
			return err
		}
		if err := own(server.Address); err != nil {
			return fmt.Errorf("listen for %s: %w", node, err)
		}
		nodes[node] = server
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", api)
	if err != nil {
		return err
	}
	return serve(ctx, listener, nodes)
}

// parse reads NODE=ADDRESS[,INSIST].
func parse(description string) (node string, server *egress.Server, err error) {
	node, at, _ := strings.Cut(description, "=")
	at, insist, insists := strings.Cut(at, ",")
	server = egress.New()
	server.Address, err = netip.ParseAddr(at)
	if err == nil && insists {
		server.Insist, err = time.ParseDuration(insist)
	}
	if err == nil && node == "" {
		err = errors.New("it names no node")
	}
	if err != nil {
		return "", nil, fmt.Errorf("read %q: want NODE=ADDRESS[,INSIST]: %w", description, err)
	}
	return node, server, nil
}

// serve answers until ctx is over, and takes every proxy down with it.
func serve(ctx context.Context, listener net.Listener, nodes map[string]*egress.Server) error {
	mux := http.NewServeMux()
	for node, proxies := range nodes {
		defer proxies.Close()
		mux.Handle("/"+node+"/", http.StripPrefix("/"+node, proxies.Handler()))
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
