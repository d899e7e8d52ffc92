package egress

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"
)

// Server is the proxies of one node.
type Server struct {
	// Address is where its proxies listen that name no other, and from where all of
	// them dial, so that upstreams tell nodes apart. The zero one leaves it to the
	// system. It holds for proxies made later.
	Address netip.Addr
	// Insist is how long an upstream that refuses connections is dialled again before
	// its client is told. It holds for proxies made later; 0 is at once. A client
	// cannot be refused by a proxy, which has accepted it by then: one that takes a
	// refusal for "not yet" and an end for "no longer" needs the proxy to wait.
	Insist time.Duration

	stock *toxiproxy.ApiServer
	ages  atomic.Uint64

	mu      sync.Mutex // one change at a time; a change waits for no peer
	proxies map[string]*proxy
}

// New makes a server without proxies. Close it.
func New() *Server {
	return &Server{
		stock:   toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		proxies: map[string]*proxy{},
	}
}

// Close disables every proxy and with that closes every socket but the API's.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.proxies {
		p.disable()
	}
}

// refuse makes an error that says which HTTP status it is.
func refuse(status int, format string, args ...any) error {
	return &toxiproxy.ApiError{Message: fmt.Sprintf(format, args...), StatusCode: status}
}

// about puts the subject in front of one of Toxiproxy's errors and keeps its
// status.
func about(subject string, err error) error {
	status := http.StatusInternalServerError
	if api := (*toxiproxy.ApiError)(nil); errors.As(err, &api) {
		status = api.StatusCode
	}
	return refuse(status, "%s: %s", subject, err)
}

// The methods below need the server's lock.

func (s *Server) find(name string) (*proxy, error) {
	if p := s.proxies[name]; p != nil {
		return p, nil
	}
	return nil, about(name, toxiproxy.ErrProxyNotFound)
}

// at is where to listen: at the server's own address, unless another is named.
func (s *Server) at(listen string) string {
	if !s.Address.IsValid() {
		return listen
	}
	return hosted(listen, s.Address.String())
}

// hosted is the address to listen at, with that host if it names none.
func hosted(listen, host string) string {
	named, port, err := net.SplitHostPort(listen)
	if err != nil || named != "" && !net.ParseIP(named).IsUnspecified() {
		return listen
	}
	return net.JoinHostPort(host, port)
}

// create makes a proxy and enables it. An equal one that exists is left as it
// is, another of its name replaced.
func (s *Server) create(name, listen, upstream string, enabled bool) (*proxy, error) {
	if name == "" || upstream == "" {
		return nil, about(fmt.Sprintf("proxy %q with upstream %q", name, upstream), toxiproxy.ErrMissingField)
	}
	listen = s.at(listen)
	if old := s.proxies[name]; old != nil {
		if old.record.Listen == listen && old.record.Upstream == upstream {
			return old, nil
		}
		old.disable()
	}
	p := s.newProxy(toxiproxy.NewProxy(s.stock, name, listen, upstream))
	if enabled {
		if err := p.enable(); err != nil {
			return nil, refuse(http.StatusConflict, "%s", err)
		}
	}
	s.proxies[name] = p
	return p, nil
}

func (s *Server) add(p *proxy, description []byte) (*toxics.ToxicWrapper, error) {
	if err := check(description); err != nil {
		return nil, refuse(http.StatusBadRequest, "%s: %s", p.record.Name, err)
	}
	toxic, err := p.record.Toxics.AddToxicJson(bytes.NewReader(description))
	if err != nil {
		return nil, about(p.record.Name, err)
	}
	p.added[toxic.Name] = s.ages.Add(1)
	p.follow()
	return toxic, nil
}

// update changes attributes of a toxic; those that are not named stay.
func (s *Server) update(p *proxy, name string, description []byte) (*toxics.ToxicWrapper, error) {
	toxic := p.record.Toxics.GetToxic(name)
	if toxic == nil {
		return nil, about(p.record.Name+": "+name, toxiproxy.ErrToxicNotFound)
	}
	before, err := json.Marshal(toxic)
	if err != nil {
		return nil, about(p.record.Name+": "+name, err)
	}
	_, err = p.record.Toxics.UpdateToxicJson(name, bytes.NewReader(description))
	if err == nil {
		var after []byte
		if after, err = json.Marshal(toxic); err == nil {
			err = check(after)
		}
	}
	if err != nil {
		_, undo := p.record.Toxics.UpdateToxicJson(name, bytes.NewReader(before))
		return nil, refuse(http.StatusBadRequest, "%s: %s", p.record.Name, errors.Join(err, undo))
	}
	p.follow()
	return toxic, nil
}

func (s *Server) remove(p *proxy, name string) error {
	if err := p.record.Toxics.RemoveToxic(context.Background(), name); err != nil {
		return about(p.record.Name+": "+name, err)
	}
	delete(p.added, name)
	p.follow()
	return nil
}

// heal takes every toxic off and enables the proxy.
func (s *Server) heal(p *proxy) error {
	p.record.Toxics.ResetToxics(context.Background())
	clear(p.added)
	p.follow()
	if err := p.enable(); err != nil {
		return refuse(http.StatusConflict, "%s", err)
	}
	return nil
}

// view is a proxy as Toxiproxy's API shows it.
type view struct {
	*toxiproxy.Proxy
	Toxics []toxics.Toxic `json:"toxics"`
}

func (p *proxy) view() view { return view{p.record, p.record.Toxics.GetToxicArray()} }
