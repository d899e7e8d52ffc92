package harness

import (
	"fmt"
	"strings"
	"time"

	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/topology"
)

// mains are the arguments of the Kafka image's entry point, by role.
var mains = map[topology.Role]string{
	topology.ZooKeeper: "zookeeper",
	topology.Broker:    "broker",
	topology.Worker:    "worker",
}

// program says how to run a node whose peers' names lead to its own egress.
func (c *Cluster) program(node topology.Node) (engine.Program, error) {
	program := engine.Program{
		Name:    node.String(),
		Image:   engine.KafkaImage(c.spec.Version(node.Role)),
		Command: []string{mains[node.Role], topology.ConfigFile},
		Env:     map[string]string{"KAFKACHAOS_JVM": strings.Join(c.spec.Java(node), " ")},
		Files:   c.spec.Files(node),
		Folders: map[string]string{},
		Aliases: []string{node.DirectName()},
		Hosts:   map[string]string{},
		Publish: map[int]int{node.Port(): c.ports.direct[node]},
	}
	for _, proxy := range c.spec.Proxies(node) {
		egress, err := c.engine.Reserve(node.EgressName())
		if err != nil {
			return program, err
		}
		program.Hosts[proxy.Link.To.String()] = egress
	}
	if node.Role == topology.Worker {
		c.addPlugins(&program, c.spec.Version(node.Role))
	}
	return program, nil
}

// addPlugins puts each plug-in folder below plugin.path, or, where the release
// does not know that, on the class path.
func (c *Cluster) addPlugins(program *engine.Program, version topology.Version) {
	var jars []string
	for i, folder := range c.spec.Plugins() {
		inside := fmt.Sprintf("%s/%d", topology.PluginFolder, i+1)
		program.Folders[inside] = folder
		jars = append(jars, inside+"/*")
	}
	if len(jars) > 0 && !version.PluginPath() {
		program.Env["KAFKACHAOS_PLUGINS"] = strings.Join(jars, ":")
	}
}

// listening is ample time for a ZooKeeper server that was elected to listen for the
// others, which takes it a fifth of a second (3.8.4, three on two cores). A follower
// that is refused tries five times, a second apart (Learner.connectToLeader); one whose
// connection ends elects anew.
const listening = 2 * time.Second

// egressProgram says how to run the egress of a node.
func (c *Cluster) egressProgram(node topology.Node) engine.Program {
	program := engine.Program{
		Name:    node.EgressName(),
		Image:   engine.ProxyImage(),
		Aliases: []string{node.EgressName()},
		Publish: map[int]int{topology.EgressPort: c.ports.control[node]},
	}
	if node.Role == topology.ZooKeeper {
		program.Command = []string{"-insist=" + listening.String()}
	}
	if node == topology.TheClient {
		for _, proxy := range c.spec.Proxies(node) {
			program.Publish[proxy.Port] = c.ports.faulted[proxy.Link.To]
		}
	}
	return program
}

// allocatePorts finds a free port of this machine for everything published.
func allocatePorts(spec topology.Spec) (ports, error) {
	nodes := spec.Nodes()
	found, err := engine.FreePorts(3*len(nodes) + 1)
	if err != nil {
		return ports{}, err
	}
	next := func() (port int) { port, found = found[0], found[1:]; return port }
	all := ports{map[topology.Node]int{}, map[topology.Node]int{}, map[topology.Node]int{}}
	for _, node := range nodes {
		all.direct[node], all.faulted[node], all.control[node] = next(), next(), next()
	}
	all.control[topology.TheClient] = next()
	return all, nil
}
