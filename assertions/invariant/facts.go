package invariant

import (
	"kafkachaos/harness/history"
)

// mostPartitions bounds how many all topics may claim to have.
const mostPartitions = 100_000

func (j *Judge) topic(t history.Topic) error {
	switch {
	case t.Partitions < 0 || t.Partitions > mostPartitions-len(j.partitions):
		return wrong("topic %s has %d partitions", t.Name, t.Partitions)
	case t.Number == len(j.topics)+1:
		fresh := &topic{Topic: t}
		fresh.undecided = j.partition(fresh, -1)
		j.topics = append(j.topics, fresh)
	case t.Number < 1 || t.Number > len(j.topics):
		return wrong("topic %s has number %d after %d topics", t.Name, t.Number, len(j.topics))
	}
	known := j.topics[t.Number-1]
	t.Unclean = t.Unclean || known.Unclean // what was not promised once is not for the run
	t.MinInSync = min(t.MinInSync, known.MinInSync)
	known.Topic = t
	for len(known.partitions) < t.Partitions {
		known.partitions = append(known.partitions, j.partition(known, len(known.partitions)))
	}
	return nil
}

func (j *Judge) partition(of *topic, number int) *partition {
	p := &partition{index: len(j.partitions), topic: of, number: number, flow: idle}
	j.partitions = append(j.partitions, p)
	return p
}

// find returns a partition that the history has told of.
func (j *Judge) find(p history.Partition) (*partition, error) {
	if p.Topic < 1 || p.Topic > len(j.topics) {
		return nil, wrong("there is no topic %d", p.Topic)
	}
	t := j.topics[p.Topic-1]
	if p.Number == -1 {
		return t.undecided, nil
	}
	if p.Number < 0 || p.Number >= len(t.partitions) {
		return nil, wrong("topic %s has no partition %d", t.Name, p.Number)
	}
	return t.partitions[p.Number], nil
}

func (j *Judge) client(c history.Client) error {
	if c.Number != len(j.clients)+1 || c.Number > mostClients {
		return wrong("client %s has number %d after %d clients", c.Name, c.Number, len(j.clients))
	}
	fresh := &client{Client: c, furthest: -1}
	if c.Group != "" {
		if j.groups[c.Group] == nil {
			j.groups[c.Group] = &group{}
		}
		fresh.group = j.groups[c.Group]
	}
	for _, number := range c.Topics {
		if number < 1 || number > len(j.topics) {
			return wrong("client %s is about topic %d, which there is not", c.Name, number)
		}
	}
	j.clients = append(j.clients, fresh)
	return nil
}

// who returns the client of an event.
func (j *Judge) who(e *history.Event) (*client, error) {
	if e.Client < 1 || e.Client > len(j.clients) {
		return nil, wrong("client %d never started", e.Client)
	}
	return j.clients[e.Client-1], nil
}

func (j *Judge) setTerms(t history.Terms) error {
	j.demanded = [lawCount]bool{}
	for _, name := range t.Demand {
		law, err := ParseLaw(name)
		if err != nil {
			return wrong("the terms demand what is no law: %w", err)
		}
		j.demanded[law] = true
	}
	j.terms = t
	return nil
}

func (j *Judge) change(c *history.Change) error {
	if c.What != history.DeleteTopic || c.Topic == 0 {
		return nil
	}
	if c.Topic < 0 || c.Topic > len(j.topics) {
		return wrong("topic %d is deleted, which there is not", c.Topic)
	}
	j.topics[c.Topic-1].deleted = true
	return nil
}
