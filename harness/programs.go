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
		egress, err := c.egressAddress(node)
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

// proxyName is what the server of all proxies is called.
const proxyName = "proxies"

// proxyProgram says how to run the server of all proxies: the egress of each node at
// an address of its own. That of the client is the server's own, to which published
// ports lead. One server serves all nodes, since each container that is started and
// removed costs half a second of a processor (Docker 20.10, which runs its own program
// thrice to set up a network).
func (c *Cluster) proxyProgram() (engine.Program, error) {
	program := engine.Program{
		Name:       proxyName,
		Image:      engine.ProxyImage(),
		Publish:    map[int]int{topology.ProxyPort: c.ports.control},
		OwnNetwork: true,
	}
	for _, node := range append(c.spec.Nodes(), topology.TheClient) {
		if !c.spec.HasEgress(node) {
			continue
		}
		address, err := c.egressAddress(node)
		if err != nil {
			return program, err
		}
		egress := node.String() + "=" + address
		if node.Role == topology.ZooKeeper {
			egress += "," + listening.String()
		}
		program.Command = append(program.Command, egress)
	}
	for _, proxy := range c.spec.Proxies(topology.TheClient) {
		program.Publish[proxy.Port] = c.ports.faulted[proxy.Link.To]
	}
	return program, nil
}

// egressAddress is where the proxies of that node listen, and from where they dial.
func (c *Cluster) egressAddress(of topology.Node) (string, error) {
	switch {
	case !c.spec.HasEgress(of):
		return "", fmt.Errorf("%s has no egress in this cluster", of)
	case of == topology.TheClient:
		return c.engine.Reserve(proxyName)
	}
	return c.engine.Reserve("egress of " + of.String())
}

// allocatePorts finds a free port of this machine for everything published.
func allocatePorts(spec topology.Spec) (ports, error) {
	nodes := spec.Nodes()
	found, err := engine.FreePorts(2*len(nodes) + 1)
	if err != nil {
		return ports{}, err
	}
	next := func() (port int) { port, found = found[0], found[1:]; return port }
	all := ports{map[topology.Node]int{}, map[topology.Node]int{}, next()}
	for _, node := range nodes {
		all.direct[node], all.faulted[node] = next(), next()
	}
	return all, nil
}
