package egress

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/Shopify/toxiproxy/v2"
)

// biggest request that the API reads: a thousand proxies, or operations.
const maxBody = 1 << 20

// Handler is the HTTP interface: Toxiproxy's own, so far as its client and its
// command line use it, and
//
//	POST /batch        changes, in order, in one round trip
//	POST /probe        one connection through a proxy, from beside it
//	GET  /connections  what each proxy carries
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	route := func(pattern string, locked func(*http.Request, []byte) (int, any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, locked) })
	}
	route("GET /version", func(*http.Request, []byte) (int, any, error) {
		return http.StatusOK, map[string]string{"version": toxiproxy.Version}, nil
	})
	route("GET /proxies", s.index)
	route("POST /proxies", s.createOne)
	route("POST /populate", s.populate)
	route("POST /reset", s.reset)
	route("GET /proxies/{proxy}", s.onProxy(s.show))
	route("POST /proxies/{proxy}", s.onProxy(s.change))
	route("PATCH /proxies/{proxy}", s.onProxy(s.change))
	route("DELETE /proxies/{proxy}", s.onProxy(s.delete))
	route("GET /proxies/{proxy}/toxics", s.onProxy(s.toxicIndex))
	route("POST /proxies/{proxy}/toxics", s.onProxy(s.toxicAdd))
	route("GET /proxies/{proxy}/toxics/{toxic}", s.onProxy(s.toxicShow))
	route("POST /proxies/{proxy}/toxics/{toxic}", s.onProxy(s.toxicUpdate))
	route("PATCH /proxies/{proxy}/toxics/{toxic}", s.onProxy(s.toxicUpdate))
	route("DELETE /proxies/{proxy}/toxics/{toxic}", s.onProxy(s.toxicRemove))
	route("POST /batch", s.batch)
	route("GET /connections", s.connections)
	mux.HandleFunc("POST /probe", s.probe)
	return mux
}

// answer reads the body, runs one handler under the lock and writes what it
// returns. The answer is made under the lock, too: it shows live toxics.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, locked func(*http.Request, []byte) (int, any, error)) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		respond(w, 0, nil, refuse(http.StatusBadRequest, "read request: %s", err))
		return
	}
	s.mu.Lock()
	if r.Context().Err() != nil { // who asked has given up, and may be undoing it
		s.mu.Unlock()
		return
	}
	status, value, err := locked(r, body)
	var text []byte
	if err == nil && value != nil {
		text, err = json.Marshal(value)
	}
	s.mu.Unlock()
	respond(w, status, text, err)
}

func respond(w http.ResponseWriter, status int, text []byte, err error) {
	if err != nil {
		status, text = statusOf(err), errorText(err)
	}
	if len(text) > 0 {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	w.Write(text)
}

func statusOf(err error) int {
	if api := (*toxiproxy.ApiError)(nil); errors.As(err, &api) {
		return api.StatusCode
	}
	return http.StatusInternalServerError
}

func errorText(err error) []byte {
	text, _ := json.Marshal(toxiproxy.ApiError{Message: err.Error(), StatusCode: statusOf(err)})
	return text
}

// read decodes a request's body.
func read(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return about(err.Error(), toxiproxy.ErrBadRequestBody)
	}
	return nil
}

func (s *Server) onProxy(handle func(*proxy, *http.Request, []byte) (int, any, error)) func(*http.Request, []byte) (int, any, error) {
	return func(r *http.Request, body []byte) (int, any, error) {
		p, err := s.find(r.PathValue("proxy"))
		if err != nil {
			return 0, nil, err
		}
		return handle(p, r, body)
	}
}
