package topology

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Folders inside a node's container.
const (
	ConfigFile   = "/etc/kafkachaos/config.properties"
	DataFolder   = "/var/lib/kafkachaos"
	PluginFolder = "/opt/kafka/plugins"
)

// Files are all files that the node needs, by their paths in its container.
func (s Spec) Files(node Node) map[string]string {
	files := map[string]string{ConfigFile: s.File(node)}
	if node.Role == ZooKeeper && s.Count(ZooKeeper) > 1 {
		files[DataFolder+"/myid"] = strconv.Itoa(node.ID)
	}
	return files
}

// File is the text of the node's configuration file: Config, one key a line,
// in order.
func (s Spec) File(node Node) string {
	config := s.Config(node)
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(config)) {
		fmt.Fprintf(&text, "%s=%s\n", key, config[key])
	}
	return text.String()
}

// Config is the node's whole configuration: the profile's settings, then the
// role's overrides, then the node's, then the keys that the harness owns.
func (s Spec) Config(node Node) map[string]string {
	config := map[string]string{}
	for _, setting := range s.Settings() {
		if setting.Role == node.Role {
			config[setting.Key] = setting.Value
		}
	}
	maps.Copy(config, s.roleConfig[node.Role])
	maps.Copy(config, s.nodeConfig[node])
	switch node.Role {
	case ZooKeeper:
		s.placeZooKeeper(config, node)
	case Broker:
		s.placeBroker(config, node)
	case Worker:
		s.placeWorker(config, node)
	}
	return config
}

// Java is the node's Java options: ours, then those that were asked for.
func (s Spec) Java(node Node) (options []string) {
	for _, ours := range s.JavaOptions(node.Role) {
		options = append(options, ours.Option)
	}
	return append(options, s.jvm[node.Role]...)
}

func (s Spec) placeZooKeeper(config map[string]string, node Node) {
	config["dataDir"] = DataFolder
	config["clientPort"] = strconv.Itoa(node.Port())
	if s.Count(ZooKeeper) == 1 {
		return
	}
	config["quorumListenOnAllIPs"] = "true"
	for _, peer := range s.NodesOf(ZooKeeper) {
		config[fmt.Sprintf("server.%d", peer.ID)] = fmt.Sprintf("%s:%d:%d", peer, quorumPort+peer.ID, electionPort+peer.ID)
	}
}

func (s Spec) placeBroker(config map[string]string, node Node) {
	config["broker.id"] = strconv.Itoa(node.ID)
	config["listeners"] = fmt.Sprintf("PLAINTEXT://0.0.0.0:%d", node.Port())
	config["log.dirs"] = DataFolder
	config["zookeeper.connect"] = s.addresses(ZooKeeper)
	config["advertised.listeners"] = "PLAINTEXT://" + node.Address()
	if !s.Version(Broker).AtLeast("0.10.0.0") {
		// advertised.listeners is known to 0.9 too, but its port check needs these.
		config["advertised.host.name"] = node.String()
		config["advertised.port"] = strconv.Itoa(node.Port())
	}
}

func (s Spec) placeWorker(config map[string]string, node Node) {
	config["bootstrap.servers"] = s.addresses(Broker)
	config["group.id"] = ConnectGroup
	config["config.storage.topic"] = ConfigTopic
	config["offset.storage.topic"] = OffsetTopic
	config["status.storage.topic"] = StatusTopic
	config["rest.advertised.host.name"] = node.String()
	if s.Version(Worker).ListenersConfig() {
		config["listeners"] = fmt.Sprintf("http://0.0.0.0:%d", node.Port())
	} else {
		config["rest.port"] = strconv.Itoa(node.Port())
	}
	if s.Version(Worker).PluginPath() {
		config["plugin.path"] = PluginFolder
	}
}

func (s Spec) addresses(role Role) string {
	var all []string
	for _, node := range s.NodesOf(role) {
		all = append(all, node.Address())
	}
	return strings.Join(all, ",")
}
