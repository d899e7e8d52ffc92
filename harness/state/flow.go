package state

import (
	"fmt"
	"slices"
	"strings"
)

// Delivery tells which of some records a sink connector has delivered, by the
// files that its workers wrote.
type Delivery struct {
	Source
	Connector string
	Wanted    int      // how many records were asked for
	Missing   []string // those of them that are in no file, in the order asked for
	Delivered int      // lines in all the files: more than Wanted where a record came twice
}

// NewDelivery looks the records up in what the files hold, one record a line.
func NewDelivery(connector string, wanted []string, files ...string) Delivery {
	there := map[string]bool{}
	d := Delivery{Connector: connector, Wanted: len(wanted)}
	for _, file := range files {
		for line := range strings.Lines(file) {
			there[strings.TrimSuffix(line, "\n")] = true
			d.Delivered++
		}
	}
	d.Missing = slices.DeleteFunc(slices.Clone(wanted), func(record string) bool { return there[record] })
	return d
}

// Subject names what was read.
func (d Delivery) Subject() string { return "connector " + d.Connector }

func (d Delivery) String() string {
	missing := "none is missing"
	if len(d.Missing) > 0 {
		missing = fmt.Sprintf("%d are missing, first %s", len(d.Missing), d.Missing[0])
	}
	return fmt.Sprintf("connector %s was to deliver %d records: %s; its files have %d lines (read %v)",
		d.Connector, d.Wanted, missing, d.Delivered, d.Source)
}

// Stored tells which of some records a topic holds.
type Stored struct {
	Source
	Topic   string
	Wanted  int      // how many records were asked for
	Missing []string // those of them that it does not hold, in the order asked for
	Records int      // that it holds in all
}

// NewStored looks the records up among all that the topic holds.
func NewStored(topic string, wanted, held []string) Stored {
	there := map[string]bool{}
	for _, record := range held {
		there[record] = true
	}
	missing := slices.DeleteFunc(slices.Clone(wanted), func(record string) bool { return there[record] })
	return Stored{Topic: topic, Wanted: len(wanted), Missing: missing, Records: len(held)}
}

// Subject names what was read.
func (s Stored) Subject() string { return "topic " + s.Topic }

func (s Stored) String() string {
	missing := "none is missing"
	if len(s.Missing) > 0 {
		missing = fmt.Sprintf("%d are missing, first %s", len(s.Missing), s.Missing[0])
	}
	return fmt.Sprintf("topic %s was to hold %d records: %s; it holds %d (read %v)", s.Topic, s.Wanted, missing, s.Records, s.Source)
}

// Produced is what one attempt to produce a record to a partition came to.
type Produced struct {
	Source
	Broker    int // that the partition lives on
	Topic     string
	Partition int
	Acked     bool
	Refusal   string // why not, in the client's words
}

// Subject names what was read.
func (p Produced) Subject() string { return fmt.Sprintf("broker-%d", p.Broker) }

func (p Produced) String() string {
	outcome := "was acknowledged"
	if !p.Acked {
		outcome = "was not acknowledged: " + p.Refusal
	}
	return fmt.Sprintf("a record for %s-%d, on broker-%d, %s (tried %v)", p.Topic, p.Partition, p.Broker, outcome, p.Source)
}

// Acknowledged tells how many records of clients were acknowledged since they began.
type Acknowledged struct {
	Source
	Topic   string
	Records int64
}

// Subject names what was read.
func (a Acknowledged) Subject() string { return "topic " + a.Topic }

func (a Acknowledged) String() string {
	return fmt.Sprintf("%d records for topic %s were acknowledged (counted %v)", a.Records, a.Topic, a.Source)
}
