package scenarios

import (
	"context"
	"maps"
	"time"

	. "github.com/onsi/ginkgo/v2"

	. "kafkachaos/assertions"
	"kafkachaos/assertions/invariant"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
	"kafkachaos/scenarios/incident"
)

// pipeline is traffic through connectors: a source with one task sends the lines
// of a file to a topic, to which a producer sends as well, and a sink with a task
// a partition writes all of it to files.
type pipeline struct {
	*traffic
	source, sink connector
}

// connector is one that fails and blocks on cue.
type connector struct {
	cluster *harness.Cluster
	name    string
	file    string
	cue     string // the file that it takes its cues from
	config  map[string]string
}

const (
	pipelineWorkers = 3
	pipelineTasks   = 3 + 1
	lineBatch       = time.Second // the source gets lines this often
)

// ShareConnect is the cluster that the pipelines run on.
func ShareConnect(ctx context.Context) *harness.Cluster {
	GinkgoHelper()
	folder, err := harness.CueConnectors(ctx)
	judge(incident.Environment, err)
	const plain = "org.apache.kafka.connect.storage.StringConverter" // what the producer sends is no JSON
	return Share(ctx, topology.Brokers(3), topology.Workers(pipelineWorkers), consumersGiveUpSoon,
		topology.Plugins(folder), topology.Configure(topology.Worker, "plugin.discovery", "service_load"),
		topology.Configure(topology.Worker, "key.converter", plain), topology.Configure(topology.Worker, "value.converter", plain))
}

// Pipeline starts a pipeline and lets records flow through it.
func Pipeline(ctx SpecContext, cluster *harness.Cluster) *pipeline {
	GinkgoHelper()
	return PipelineOn(ctx, cluster, spread(cluster, pipelineTasks-1))
}

// PipelineOn is Pipeline with these replicas for each partition of its topic.
func PipelineOn(ctx SpecContext, cluster *harness.Cluster, replicas [][]int) *pipeline {
	GinkgoHelper()
	p := &pipeline{source: cued(cluster, "source"), sink: cued(cluster, "sink")}
	p.traffic = Traffic(ctx, cluster, history.Topic{Name: "orders", MinInSync: 2}, replicas,
		history.Terms{Before: enough, During: some, After: enough}, workload.Patience{Final: settling + redelivery},
		workload.Producer{Rate: 100, Linger: 2 * moment},
		workload.Source{Name: p.source.name, Path: p.source.file, Append: onAll(cluster), Rate: 10, Every: lineBatch},
		workload.Sink{Name: p.sink.name, Path: p.sink.file, Files: filesOf(cluster), Every: 5 * time.Second})
	topic := p.topic()
	p.source.config = workload.FileSource(p.source.name, p.source.file, topic)
	p.source.config["connector.class"] = "kafkachaos.CueSource"
	p.sink.config = workload.FileSink(p.sink.name, p.sink.file, topic, pipelineTasks-1)
	p.sink.config["connector.class"] = "kafkachaos.CueSink"
	for _, c := range []connector{p.source, p.sink} {
		c.config["cue"] = c.cue
		c.Put(ctx)
	}
	Premise(ctx, settling, cluster.ConnectGroup, ShareTheWork(pipelineWorkers, pipelineTasks), "before the fault")
	atRest(ctx, cluster)
	Premise(ctx, recovery, p.sink.Delivered, HaveDelivered(enough), "before the fault")
	p.Flow(ctx, enough)
	return p
}

func cued(cluster *harness.Cluster, role string) connector {
	name := recordOf(cluster).own(role)
	return connector{cluster: cluster, name: name, file: "/tmp/" + name + ".txt", cue: "/tmp/" + name + ".cue"}
}

// Put makes the connector as it is configured, and with these settings besides.
func (c connector) Put(ctx context.Context, settings ...string) {
	GinkgoHelper()
	config := maps.Clone(c.config)
	for i := 0; i < len(settings); i += 2 {
		config[settings[i]] = settings[i+1]
	}
	judge(incident.Environment, c.cluster.Rig().Connect.SetConfig(ctx, c.name, config), "making connector "+c.name)
}

// Owners reads who runs the tasks.
func (c connector) Owners(ctx context.Context) (state.TaskOwners, error) {
	return c.cluster.TaskOwners(ctx, c.name)
}

// Delivered reads how much a sink has written, on the workers that run.
func (c connector) Delivered(ctx context.Context) (state.Delivery, error) {
	return c.cluster.Delivered(ctx, c.name, c.file, nil)
}

const (
	unhurried = 250 * time.Millisecond // between two readings that workers or the engine have work with

	scheduledDelay   = 2 * time.Second  // scheduled.rebalance.max.delay.ms
	rebalanceTimeout = 10 * time.Second // rebalance.timeout.ms
	// A worker that went without a word is missed after its session. What it ran is
	// given away when the delay is over, by which it may come back, in a rebalance
	// that waits for those who have tasks to stop, for the rebalance time-out at most.
	settling = workerSession + scheduledDelay + rebalanceTimeout
)

// FlowsThrough expects that records come out of the sink.
func (p *pipeline) FlowsThrough(ctx context.Context, explain ...any) {
	GinkgoHelper()
	before := Read(ctx, p.sink.Delivered)
	soon(ctx, redelivery, unhurried, p.sink.Delivered, HaveDelivered(before.Delivered+enough), explain...)
}

// CarriedBy expects that so many workers have the work and that records flow.
func (p *pipeline) CarriedBy(ctx context.Context, workers int, explain ...any) {
	GinkgoHelper()
	soon(ctx, settling, unhurried, p.cluster.ConnectGroup, ShareTheWork(workers, pipelineTasks), explain...)
	p.FlowsThrough(ctx, explain...)
}

// GivenToStrangers reads how many tasks members have that are no workers.
func (p *pipeline) GivenToStrangers(ctx context.Context) (tasks int, err error) {
	group, err := p.cluster.ConnectGroup(ctx)
	for _, member := range group.Members {
		if _, known := member.Node(); !known {
			tasks += len(member.Tasks)
		}
	}
	return tasks, err
}

// Settled expects what holds of workers at any time once they had the time to
// settle: all are alive, they share the work, and each task runs once. What has
// gone through then is judged: nothing is lost.
func (p *pipeline) Settled(ctx SpecContext) {
	GinkgoHelper()
	p.Whole(ctx)
	p.Judged(ctx)
}

// Judged is that of the traffic, with the laws about connectors.
func (p *pipeline) Judged(ctx SpecContext) {
	GinkgoHelper()
	p.traffic.Judged(ctx, invariant.SourceGap, invariant.SinkGap, invariant.SinkReordered, invariant.TwoOwners)
}

// Survives expects every worker to be alive.
func (p *pipeline) Survives(ctx context.Context, within time.Duration, explain ...any) {
	GinkgoHelper()
	for _, worker := range p.cluster.Workers() {
		soon(ctx, within, unhurried, worker.Liveness, surviving(), explain...)
	}
}

// Whole is Settled without the judging.
func (p *pipeline) Whole(ctx SpecContext) {
	GinkgoHelper()
	By("waiting for the workers to settle")
	// A worker that was killed is a member of the group for a session longer, with what
	// it ran: only who is alive again, and so has joined anew, shares anything.
	p.Survives(ctx, settling)
	soon(ctx, settling, unhurried, p.cluster.ConnectGroup, ShareTheWork(pipelineWorkers, pipelineTasks))
	for _, c := range []connector{p.source, p.sink} {
		soon(ctx, redelivery, unhurried, c.Owners, RunEachTaskOnce())
	}
	expectWhole(ctx, p.cluster)
}

// Other is a second sink of one task, beside the pipeline, whose files are not
// judged. Nothing is done yet.
func (p *pipeline) Other(role string) connector {
	other := cued(p.cluster, role)
	other.config = workload.FileSink(other.name, other.file, p.topic(), 1)
	other.config["connector.class"], other.config["cue"] = p.sink.config["connector.class"], other.cue
	return other
}

// Remove ends the connector for good, and sees that it is gone.
func (c connector) Remove(ctx context.Context) {
	GinkgoHelper()
	judge(incident.Environment, remove(ctx, c.cluster, c.name), "removing connector "+c.name)
}

// Doom orders to remove the connector, which may be a while about it.
func (c connector) Doom(ctx context.Context) {
	GinkgoHelper()
	err := insist(ctx, gently, func(ctx context.Context) error { return orderRemoval(ctx, c.cluster, c.name) })
	judge(incident.Environment, err, "ordering to remove connector "+c.name)
}

// Failures reads the traces of what REST calls failed of the connector and its
// tasks.
func (c connector) Failures(ctx context.Context) (traces []string, err error) {
	view, err := c.cluster.Witness().Connect.Connector(ctx, topology.WorkerNode(1), c.name)
	for _, task := range append(view.Tasks, state.TaskView{State: view.State, Trace: view.Trace}) {
		if task.State == "FAILED" {
			traces = append(traces, task.Trace)
		}
	}
	return traces, err
}
