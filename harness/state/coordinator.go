package state

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
)

// Coordinator is who coordinates a group, as one broker says.
type Coordinator struct {
	Source
	Group  string
	Broker int
}

func (c Coordinator) String() string {
	return fmt.Sprintf("group %s is coordinated by broker-%d (read %v)", c.Group, c.Broker, c.Source)
}

// GroupPartition is the partition of __consumer_offsets that holds a group, of
// so many partitions; its leader is the group's coordinator
// (GroupMetadataManager.partitionFor: the absolute value of Java's hash, 0 for
// the one that has none, modulo the number of partitions).
func GroupPartition(group string, partitions int) int {
	hash := javaHash(group)
	switch {
	case hash == math.MinInt32:
		hash = 0
	case hash < 0:
		hash = -hash
	}
	return int(hash) % partitions
}

// javaHash is java.lang.String.hashCode.
func javaHash(text string) int32 {
	var hash int32
	for _, unit := range utf16.Encode([]rune(text)) {
		hash = 31*hash + int32(unit)
	}
	return hash
}

// ConnectorGroup is the consumer group of a sink connector
// (SinkUtils.consumerGroupId).
func ConnectorGroup(connector string) string { return "connect-" + connector }

// ConnectorOnPartition finds a connector name, the prefix with a number behind
// it, whose consumer group lives on the wanted partition of __consumer_offsets.
// The wanted partition must be one of them.
func ConnectorOnPartition(prefix string, wanted, partitions int) (string, error) {
	if wanted < 0 || wanted >= partitions {
		return "", fmt.Errorf("find a connector name on partition %d: there are %d partitions", wanted, partitions)
	}
	// Names that differ in the last digits only reach every partition soon.
	for number := range 1000 * partitions {
		name := prefix + "-" + strconv.Itoa(number)
		if GroupPartition(ConnectorGroup(name), partitions) == wanted {
			return name, nil
		}
	}
	return "", fmt.Errorf("find a connector name on partition %d of %d: none of %s-0 and up lives there", wanted, partitions, prefix)
}
