package egress

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/Shopify/toxiproxy/v2"
)

// The handlers of Toxiproxy's own routes. All run under the server's lock.

func (s *Server) index(*http.Request, []byte) (int, any, error) {
	all := make(map[string]view, len(s.proxies))
	for name, p := range s.proxies {
		all[name] = p.view()
	}
	return http.StatusOK, all, nil
}

// wanted is a proxy as a request describes it; what it leaves out stays.
type wanted struct {
	Name, Listen, Upstream string
	Enabled                *bool
}

func (s *Server) make(w wanted) (*proxy, error) {
	return s.create(w.Name, w.Listen, w.Upstream, w.Enabled == nil || *w.Enabled)
}

func (s *Server) createOne(_ *http.Request, body []byte) (int, any, error) {
	var w wanted
	if err := read(body, &w); err != nil {
		return 0, nil, err
	}
	if s.proxies[w.Name] != nil {
		return 0, nil, about(w.Name, toxiproxy.ErrProxyAlreadyExists)
	}
	p, err := s.make(w)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, p.view(), nil
}

// populate makes every proxy of a list that is not there yet; each error is
// told, and one does not keep the others from being made.
func (s *Server) populate(_ *http.Request, body []byte) (int, any, error) {
	var list []wanted
	if err := read(body, &list); err != nil {
		return 0, nil, err
	}
	var made []view
	var failed []error
	for _, w := range list {
		p, err := s.make(w)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		made = append(made, p.view())
	}
	if err := errors.Join(failed...); err != nil {
		return 0, nil, about("populate", err)
	}
	return http.StatusCreated, map[string]any{"proxies": made}, nil
}

func (s *Server) reset(*http.Request, []byte) (int, any, error) {
	var failed []error
	for _, p := range s.proxies {
		failed = append(failed, s.heal(p))
	}
	if err := errors.Join(failed...); err != nil {
		return 0, nil, about("reset", err)
	}
	return http.StatusNoContent, nil, nil
}

func (s *Server) show(p *proxy, _ *http.Request, _ []byte) (int, any, error) {
	return http.StatusOK, p.view(), nil
}

// change enables, disables or moves a proxy.
func (s *Server) change(p *proxy, _ *http.Request, body []byte) (int, any, error) {
	enabled := p.record.Enabled
	w := wanted{Listen: p.record.Listen, Upstream: p.record.Upstream, Enabled: &enabled}
	if err := read(body, &w); err != nil {
		return 0, nil, err
	}
	w.Listen = s.at(w.Listen)
	if w.Listen != p.record.Listen || w.Upstream != p.record.Upstream {
		p.disable()
		p.record.Listen, p.record.Upstream = w.Listen, w.Upstream
	}
	if !*w.Enabled {
		p.disable()
	} else if err := p.enable(); err != nil {
		return 0, nil, refuse(http.StatusConflict, "%s", err)
	}
	return http.StatusOK, p.view(), nil
}

func (s *Server) delete(p *proxy, _ *http.Request, _ []byte) (int, any, error) {
	p.disable()
	delete(s.proxies, p.record.Name)
	return http.StatusNoContent, nil, nil
}

func (s *Server) toxicIndex(p *proxy, _ *http.Request, _ []byte) (int, any, error) {
	return http.StatusOK, p.record.Toxics.GetToxicArray(), nil
}

func (s *Server) toxicAdd(p *proxy, _ *http.Request, body []byte) (int, any, error) {
	toxic, err := s.add(p, named(body))
	return http.StatusOK, toxic, err
}

// named gives a toxic without a name Toxiproxy's default, <type>_<stream>.
func named(description []byte) []byte {
	var told map[string]any
	if json.Unmarshal(description, &told) != nil || (told["name"] != nil && told["name"] != "") {
		return description
	}
	kind, _ := told["type"].(string)
	dir, _ := told["stream"].(string)
	if dir == "" {
		dir = "downstream"
	}
	told["name"] = kind + "_" + dir
	text, _ := json.Marshal(told)
	return text
}

func (s *Server) toxicShow(p *proxy, r *http.Request, _ []byte) (int, any, error) {
	toxic := p.record.Toxics.GetToxic(r.PathValue("toxic"))
	if toxic == nil {
		return 0, nil, about(r.PathValue("toxic"), toxiproxy.ErrToxicNotFound)
	}
	return http.StatusOK, toxic, nil
}

func (s *Server) toxicUpdate(p *proxy, r *http.Request, body []byte) (int, any, error) {
	toxic, err := s.update(p, r.PathValue("toxic"), body)
	return http.StatusOK, toxic, err
}

func (s *Server) toxicRemove(p *proxy, r *http.Request, _ []byte) (int, any, error) {
	return http.StatusNoContent, nil, s.remove(p, r.PathValue("toxic"))
}
