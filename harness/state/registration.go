package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Registration is what ZooKeeper holds of one broker: the ephemeral node
// /brokers/ids/N, or its absence.
type Registration struct {
	Source
	Broker  int
	Present bool // the fields below are zero when it is absent

	Session   SessionID // the session that owns the node (ephemeralOwner)
	Czxid     int64     // the transaction that created the node
	Created   time.Time // by the clock of ZooKeeper
	Host      string
	Port      int
	Endpoints []string // such as PLAINTEXT://broker-1:9093
	Raw       string   // the node's data
}

// Subject names what was read.
func (r Registration) Subject() string { return fmt.Sprintf("broker-%d", r.Broker) }

func (r Registration) String() string {
	if !r.Present {
		return fmt.Sprintf("broker-%d is absent from ZooKeeper (read %v)", r.Broker, r.Source)
	}
	return fmt.Sprintf("broker-%d is registered by session %v, czxid 0x%x, created %s, at %s (read %v)",
		r.Broker, r.Session, uint64(r.Czxid), clock(r.Created), strings.Join(r.Endpoints, ","), r.Source)
}

// NewRegistration reads the registration of a broker out of /brokers/ids/N. An
// absent node is an absent registration, data that Kafka would not have
// written is an error.
func NewRegistration(broker int, node ZNode) (Registration, error) {
	r := Registration{Source: node.Source, Broker: broker, Present: node.Exists}
	if !node.Exists {
		return r, nil
	}
	var data struct {
		Host      *string  `json:"host"`
		Port      int      `json:"port"`
		Endpoints []string `json:"endpoints"`
	}
	if err := json.Unmarshal(node.Data, &data); err != nil {
		return Registration{}, fmt.Errorf("parse registration of broker-%d %q: %w", broker, node.Data, err)
	}
	if len(data.Endpoints) == 0 && data.Host == nil {
		return Registration{}, fmt.Errorf("parse registration of broker-%d %q: no endpoint", broker, node.Data)
	}
	if data.Host != nil {
		r.Host = *data.Host
	}
	r.Port, r.Endpoints, r.Raw = data.Port, data.Endpoints, string(node.Data)
	r.Session, r.Czxid, r.Created = node.Owner, node.Czxid, node.Created
	return r, nil
}

// ControllerView is what ZooKeeper holds of the controller: /controller and
// /controller_epoch.
type ControllerView struct {
	Source
	Present bool // some broker is the controller; else the next four are zero
	Broker  int
	Session SessionID
	Czxid   int64
	Created time.Time

	Epoch int // counts the elections; -1 when there was none yet
}

func (c ControllerView) String() string {
	if !c.Present {
		return fmt.Sprintf("no broker is the controller, epoch %d (read %v)", c.Epoch, c.Source)
	}
	return fmt.Sprintf("broker-%d is the controller, epoch %d, by session %v, czxid 0x%x, created %s (read %v)",
		c.Broker, c.Epoch, c.Session, uint64(c.Czxid), clock(c.Created), c.Source)
}

// NewControllerView reads the controller out of its two nodes.
func NewControllerView(controller, epoch ZNode) (ControllerView, error) {
	c := ControllerView{Source: controller.Source, Present: controller.Exists, Epoch: -1}
	if epoch.Exists {
		if err := json.Unmarshal(epoch.Data, &c.Epoch); err != nil {
			return ControllerView{}, fmt.Errorf("parse %s %q: %w", epoch.Path, epoch.Data, err)
		}
	}
	if !controller.Exists {
		return c, nil
	}
	var data struct {
		Broker *int `json:"brokerid"`
	}
	err := json.Unmarshal(controller.Data, &data)
	if err == nil && data.Broker == nil {
		err = errors.New("no brokerid")
	}
	if err != nil {
		return ControllerView{}, fmt.Errorf("parse %s %q: %w", controller.Path, controller.Data, err)
	}
	c.Broker = *data.Broker
	c.Session, c.Czxid, c.Created = controller.Owner, controller.Czxid, controller.Created
	return c, nil
}

func clock(t time.Time) string { return t.Format("15:04:05.000") }
