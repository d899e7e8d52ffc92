package egress

import (
	"encoding/json"
	"net/http"
)

// Operation is one change of a batch.
type Operation struct {
	Do    string          `json:"do"` // add, update, remove, enable or disable
	Proxy string          `json:"proxy"`
	Name  string          `json:"name,omitempty"`  // of the toxic to update or remove
	Toxic json.RawMessage `json:"toxic,omitempty"` // to add, or to update with
}

// Outcome is what one operation of a batch came to.
type Outcome struct {
	Status int    `json:"status"`          // as HTTP has it: 200, or why not
	Error  string `json:"error,omitempty"` // empty when it was done
}

// batch carries out the operations in order, all of them whatever becomes of
// one, and answers one outcome each. No other change comes in between.
func (s *Server) batch(_ *http.Request, body []byte) (int, any, error) {
	var operations []Operation
	if err := read(body, &operations); err != nil {
		return 0, nil, err
	}
	outcomes := make([]Outcome, len(operations))
	for i, operation := range operations {
		outcomes[i].Status = http.StatusOK
		if err := s.operate(operation); err != nil {
			outcomes[i] = Outcome{Status: statusOf(err), Error: err.Error()}
		}
	}
	return http.StatusOK, outcomes, nil
}

func (s *Server) operate(o Operation) error {
	p, err := s.find(o.Proxy)
	if err != nil {
		return err
	}
	switch o.Do {
	case "add":
		_, err = s.add(p, o.Toxic)
	case "update":
		_, err = s.update(p, o.Name, o.Toxic)
	case "remove":
		err = s.remove(p, o.Name)
	case "enable":
		if err = p.enable(); err != nil {
			err = refuse(http.StatusConflict, "%s", err)
		}
	case "disable":
		p.disable()
	default:
		err = refuse(http.StatusBadRequest, "%s: operation %q is unknown", o.Proxy, o.Do)
	}
	return err
}
