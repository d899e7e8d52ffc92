package egress

import "net/http"

// Traffic is what a proxy carries. Bytes and connections are counted since the
// proxy was made.
type Traffic struct {
	Open   int   `json:"open"`   // connections now
	Opened int64 `json:"opened"` // connections in all
	Failed int64 `json:"failed"` // connections whose upstream could not be reached
	Up     Flow  `json:"up"`
	Down   Flow  `json:"down"`
}

// Flow is the bytes of one stream of a proxy.
type Flow struct {
	Delivered int64 `json:"delivered"`
	Swallowed int64 `json:"swallowed"` // by toxics, or since the receiver was gone
	Waiting   int64 `json:"waiting"`   // now, in the proxy
}

func (s *Server) connections(*http.Request, []byte) (int, any, error) {
	all := make(map[string]Traffic, len(s.proxies))
	for name, p := range s.proxies {
		all[name] = p.traffic()
	}
	return http.StatusOK, all, nil
}

func (p *proxy) traffic() Traffic {
	return Traffic{
		Open: len(p.connections()), Opened: p.opened.Load(), Failed: p.failed.Load(),
		Up: p.count[0].flow(), Down: p.count[1].flow(),
	}
}

func (c *counters) flow() Flow {
	return Flow{c.delivered.Load(), c.swallowed.Load(), c.waiting.Load()}
}
