package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ConnectGroup is the group that the workers form.
const ConnectGroup = "connect-cluster"

// ConnectTopics are the internal topics of the workers, with the partitions
// that each has. They are made before the workers start: two workers that make
// them at the same time lose 10 s to a back-off.
const (
	ConfigTopic = "connect-configs"
	OffsetTopic = "connect-offsets"
	StatusTopic = "connect-status"
)

// owned lists the keys that place a node in the cluster and that only the
// harness can know.
var owned = map[Role][]string{
	ZooKeeper: {"clientPort", "clientPortAddress", "secureClientPort", "dataDir", "dataLogDir", "server",
		"quorumListenOnAllIPs"},
	Broker: {"broker.id", "broker.id.generation.enable", "listeners", "listener.security.protocol.map",
		"inter.broker.listener.name", "advertised.listeners", "advertised.host.name", "advertised.port", "host.name",
		"port", "zookeeper.connect", "log.dir", "log.dirs", "process.roles", "node.id", "controller.quorum.voters"},
	Worker: {"bootstrap.servers", "group.id", "listeners", "rest.port", "rest.host.name", "rest.advertised.host.name",
		"rest.advertised.port", "rest.advertised.listener", "plugin.path", "config.storage.topic",
		"offset.storage.topic", "status.storage.topic"},
}

// checkRole refuses a role that no process of the cluster plays.
func checkRole(role Role) error {
	if _, known := owned[role]; !known {
		return fmt.Errorf("no role %q: want zk, broker or worker", role)
	}
	return nil
}

// checkSetting refuses what the harness owns, and what a properties file would
// not read as one key and its value.
func checkSetting(role Role, key, value string) error {
	if err := checkRole(role); err != nil {
		return fmt.Errorf("configure %s: %w", key, err)
	}
	if strings.TrimSpace(key) == "" || strings.ContainsAny(key, "=:\\#!\r\n\t ") {
		return fmt.Errorf("configure role %s: %q is no configuration key", role, key)
	}
	if strings.ContainsAny(value, "\r\n") {
		return fmt.Errorf("configure %s of role %s: %q is more than one line", key, role, value)
	}
	first, _, _ := strings.Cut(key, ".")
	if slices.Contains(owned[role], key) || role == ZooKeeper && first == "server" {
		return fmt.Errorf("configure %s of role %s: the harness owns this key, because the links depend on it; "+
			"leave it out", key, role)
	}
	return nil
}

// replicated lists the keys whose value may not exceed the number of brokers.
var replicated = []string{
	"offsets.topic.replication.factor", "transaction.state.log.replication.factor", "default.replication.factor",
	"min.insync.replicas", "transaction.state.log.min.isr", "config.storage.replication.factor",
	"offset.storage.replication.factor", "status.storage.replication.factor",
}

func (s Spec) checkReplication(node Node) error {
	config := s.Config(node)
	for _, key := range replicated {
		n, err := strconv.Atoi(config[key])
		if err == nil && n > s.Count(Broker) {
			return fmt.Errorf("configure %s: %s=%d, but there are only %d brokers", node, key, n, s.Count(Broker))
		}
	}
	return nil
}
