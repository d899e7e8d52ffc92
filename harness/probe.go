package harness

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"kafkachaos/harness/state"
)

// ControllerProbe is a question to the controller: a fresh topic with as many
// partitions as there are registered brokers, each on all of them and led by
// another one. A controller that serves has it led within a second.
type ControllerProbe struct {
	cluster *Cluster
	topic   string
	brokers []int
	asked   time.Time
}

// ProbeController asks: it makes the topic through ZooKeeper, over the witness
// plane, as every release understands it. Where no broker is registered there is
// nobody to be asked, which is an error.
func (c *Cluster) ProbeController(ctx context.Context) (*ControllerProbe, error) {
	live, err := c.witness.ZooKeeper.LiveBrokers(ctx)
	if err != nil {
		return nil, fmt.Errorf("probe the controller: %w", err)
	}
	placed, err := state.Spread(live, max(1, len(live)), len(live))
	if err != nil {
		return nil, fmt.Errorf("probe the controller: %w", err)
	}
	probe := &ControllerProbe{cluster: c, topic: "probe-" + strings.ToLower(rand.Text()[:10]), brokers: live, asked: time.Now()}
	if err := c.witness.Admin.CreateTopic(ctx, probe.topic, placed, nil); err != nil {
		return nil, fmt.Errorf("probe the controller: %w", err)
	}
	return probe, nil
}

// Topic is the topic that the question is.
func (p *ControllerProbe) Topic() string { return p.topic }

// Read reads how far the controller got with the question by now, as each of the
// brokers sees it. It is shaped for polling. A broker that gives no view makes it
// an error.
func (p *ControllerProbe) Read(ctx context.Context) (state.ControllerService, error) {
	service := state.ControllerService{Topic: p.topic, Partitions: len(p.brokers)}
	var err error
	if service.Controller, err = p.cluster.Controller(ctx); err == nil {
		service.Views, err = p.cluster.views(ctx, p.brokers)
	}
	if err != nil {
		return state.ControllerService{}, fmt.Errorf("read what became of topic %s: %w", p.topic, err)
	}
	service.Source = state.Source{By: "ZooKeeper and the brokers", At: time.Now()}
	service.Waited = service.At.Sub(p.asked)
	return service, nil
}

// serveBound is how long ControllerServes waits: ten times what the controller
// of a small cluster needs for a topic.
const serveBound = 10 * time.Second

// ControllerServes asks the controller with a fresh probe and reads the outcome:
// as soon as it is well, or what it is after 10 s, or when ctx is over. To wait
// longer, poll the Read of one ProbeController.
func (c *Cluster) ControllerServes(ctx context.Context) (state.ControllerService, error) {
	probe, err := c.ProbeController(ctx)
	if err != nil {
		return state.ControllerService{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, serveBound)
	defer cancel()
	var last state.ControllerService
	err = until(bounded, "topic "+probe.topic+" to be led", func(ctx context.Context) error {
		service, err := probe.Read(ctx)
		if err != nil {
			return err
		}
		last = service
		if !service.Controller.Present || len(service.Unserved())+len(service.Rivals()) > 0 {
			return fmt.Errorf("%v", service)
		}
		return nil
	})
	if !last.At.IsZero() {
		return last, nil // what it is, good or bad
	}
	return last, err
}

// views reads the cluster as each of these brokers sees it, side by side.
func (c *Cluster) views(ctx context.Context, brokers []int) ([]state.BrokerView, error) {
	views := make([]state.BrokerView, len(brokers))
	group, grouped := errgroup.WithContext(ctx)
	for i, broker := range brokers {
		group.Go(func() (err error) {
			views[i], err = c.witness.Brokers.View(grouped, broker)
			return err
		})
	}
	return views, group.Wait()
}
