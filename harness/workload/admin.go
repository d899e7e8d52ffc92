package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/history"
)

// Administrator is an option of Start: a client that makes topics, changes their
// configuration, and deletes them again. They are its own, named after the
// traffic's topic, and gone in the end if that can be.
//
// Topics can be made from 0.10.1.0 on (KIP-4) and configured from 0.11.0.0 on
// (KIP-133); what a release does not know is left out, and the history says so.
type Administrator struct {
	Name  string        // admin-N if empty
	Every time.Duration // between two changes, 1 s if 0
	Most  int           // topics at once, 5 if 0
	Seed  uint64        // draws what is changed
}

func (a Administrator) apply(t *Traffic) error {
	if a.Every < 0 || a.Most < 0 {
		return fmt.Errorf("make administrator %s: a bound is less than 0", a.Name)
	}
	a.Name = t.name(a.Name, "admin")
	a.Every = cmp.Or(a.Every, time.Second)
	a.Most = cmp.Or(a.Most, 5)
	switch {
	case !t.target.knows("0.10.1.0"):
		t.adapt(a.Name, "no topics can be made by request in Kafka %v: does nothing", t.target.Version)
		return nil
	case !t.target.knows("0.11.0.0"):
		t.adapt(a.Name, "no topics can be configured by request in Kafka %v: makes and deletes some", t.target.Version)
	}
	t.clients = append(t.clients, client{name: a.Name, phase: changes, run: func(ctx, life context.Context) error { return t.administer(ctx, life, a) }})
	return nil
}

// administrator is an administrator's client.
type administrator struct {
	Administrator
	traffic *Traffic
	actor   *history.Actor
	kafka   *kadm.Client
	wire    wire
	topics  []history.Topic // that may be there
	made    int
}

// changeBound is how long a change is tried.
const changeBound = 15 * time.Second

func (t *Traffic) administer(ctx, life context.Context, admin Administrator) error {
	a := &administrator{Administrator: admin, traffic: t}
	kafka, err := newClient(a.Name, append(t.target.options(a.Name, a.wire.dialer(t.target.Dial)), kgo.WithHooks(&a.wire))...)
	if err != nil {
		return err
	}
	defer kafka.Close()
	a.kafka = kadm.NewClient(kafka)
	a.actor = t.history.Start(history.Client{Name: a.Name, Role: history.Administrator})
	draw := rand.New(rand.NewPCG(a.Seed, 0))
	for pause(ctx, a.Every) {
		a.step(life, draw)
	}
	for _, topic := range slices.Clone(a.topics) {
		a.remove(life, topic)
	}
	a.actor.Stopped(len(a.topics) == 0)
	return nil
}

// step changes one thing.
func (a *administrator) step(ctx context.Context, draw *rand.Rand) {
	switch what := draw.IntN(3); {
	case len(a.topics) == 0 || what == 0 && len(a.topics) < a.Most:
		a.create(ctx)
	case what == 1 && a.traffic.target.knows("0.11.0.0"):
		a.configure(ctx, a.topics[draw.IntN(len(a.topics))], time.Duration(1+draw.IntN(48))*time.Hour)
	default:
		a.remove(ctx, a.topics[draw.IntN(len(a.topics))])
	}
}

func (a *administrator) create(ctx context.Context) {
	a.made++
	topic := history.Topic{Name: fmt.Sprintf("%s-%s-%d", a.traffic.topic.Name, a.Name, a.made), Partitions: 1, Replicas: max(1, a.traffic.topic.Replicas)}
	topic.Number = a.traffic.history.Topic(topic)
	a.topics = append(a.topics, topic)
	outcome := a.change(ctx, history.Change{What: "create topic", Topic: topic.Number, Text: topic.Name}, func(ctx context.Context) error {
		_, err := a.kafka.CreateTopic(ctx, 1, int16(topic.Replicas), nil, topic.Name)
		return err
	})
	if outcome == history.Refused {
		a.forget(topic)
	}
}

// configure replaces the configuration of a topic by how long it keeps records.
func (a *administrator) configure(ctx context.Context, topic history.Topic, keep time.Duration) {
	const setting = "retention.ms"
	value := fmt.Sprint(keep.Milliseconds())
	a.change(ctx, history.Change{What: "configure topic", Topic: topic.Number, Text: setting + "=" + value}, func(ctx context.Context) error {
		responses, err := a.kafka.AlterTopicConfigsState(ctx, []kadm.AlterConfig{{Name: setting, Value: &value}}, topic.Name)
		for _, response := range responses {
			err = errors.Join(err, response.Err)
		}
		return err
	})
}

func (a *administrator) remove(ctx context.Context, topic history.Topic) {
	outcome := a.change(ctx, history.Change{What: history.DeleteTopic, Topic: topic.Number, Text: topic.Name}, func(ctx context.Context) error {
		_, err := a.kafka.DeleteTopic(ctx, topic.Name)
		return err
	})
	if outcome != history.Unknown {
		a.forget(topic)
	}
}

func (a *administrator) forget(topic history.Topic) {
	a.topics = slices.DeleteFunc(a.topics, func(one history.Topic) bool { return one == topic })
}

// change has an order carried out and records what came of it.
func (a *administrator) change(ctx context.Context, what history.Change, order func(context.Context) error) history.Outcome {
	ctx, cancel := context.WithTimeout(ctx, changeBound)
	defer cancel()
	given := a.wire.now()
	operation := a.actor.Change(what)
	err := order(ctx)
	outcome := a.wire.ofOrder(given, err)
	if outcome == history.Acked {
		a.traffic.count.changes.Add(1)
	}
	operation.Returned(outcome, err)
	return outcome
}
