package topology

import "strconv"

// Profile chooses the time-outs of a cluster.
type Profile int

const (
	// Fast has time-outs that suit short runs. Every deviation from Kafka's
	// defaults is listed in fastSettings and newerSettings.
	Fast Profile = iota
	// Production leaves Kafka's own time-outs.
	Production
)

func (p Profile) String() string {
	if p == Production {
		return "production"
	}
	return "fast"
}

// Setting is one configuration key that the harness sets, and the reason.
type Setting struct {
	Role  Role
	Key   string
	Value string
	Why   string
}

// Settings lists what the profile sets in this cluster, beside the keys that
// the harness owns: first what every profile needs, then the deviations.
func (s Spec) Settings() []Setting {
	settings := s.commonSettings()
	if s.profile == Fast {
		settings = append(settings, fastSettings...)
		settings = append(settings, s.newerSettings()...)
	}
	return settings
}

// newerSettings are the deviations of the Fast profile that not every release knows.
func (s Spec) newerSettings() (settings []Setting) {
	for _, role := range []Role{Broker, Worker} {
		if s.Version(role).JMXReporterCanBeOff() {
			settings = append(settings, Setting{role, "auto.include.jmx.reporter", "false",
				"nobody reads JMX here, and at start it takes a bean for every group of metrics"})
		}
	}
	worker := s.Version(Worker)
	if worker.ClientsPushMetrics() {
		settings = append(settings, Setting{Worker, "enable.metrics.push", "false",
			"its clients, which are told this too, would ask a broker each at start for metrics that nobody wants"})
	}
	if worker.PluginDiscovery() && len(s.plugins) == 0 {
		settings = append(settings, Setting{Worker, "plugin.discovery", "service_load",
			"scanning the class path for plug-ins costs a second at start; Kafka's own declare themselves"})
	}
	return settings
}

// commonSettings make a cluster of this size run at all.
func (s Spec) commonSettings() []Setting {
	replication := strconv.Itoa(s.Replication())
	inSync := strconv.Itoa(min(2, s.Count(Broker)))
	fewer := "as Kafka's default, or the number of brokers where there are fewer"
	return []Setting{
		{ZooKeeper, "maxClientCnxns", "0", "all connections of one node come from one address, its egress"},
		{ZooKeeper, "admin.enableServer", "false", "nobody asks it, and its port would have to be kept free"},
		{ZooKeeper, "4lw.commands.whitelist", "*", "the witness reads sessions and roles by these commands"},
		{ZooKeeper, "maxSessionTimeout", "60000", "a session may be as long as a scenario asks for"},
		{ZooKeeper, "initLimit", "10", "has no default; the usual ten ticks for a follower to join"},
		{ZooKeeper, "syncLimit", "5", "has no default; the usual five ticks for a follower to lag"},
		{Broker, "offsets.topic.replication.factor", replication, fewer},
		{Broker, "transaction.state.log.replication.factor", replication, fewer},
		{Broker, "transaction.state.log.min.isr", inSync, fewer},
		{Worker, "config.storage.replication.factor", replication, fewer},
		{Worker, "offset.storage.replication.factor", replication, fewer},
		{Worker, "status.storage.replication.factor", replication, fewer},
		{Worker, "key.converter", "org.apache.kafka.connect.json.JsonConverter", "has no default"},
		{Worker, "value.converter", "org.apache.kafka.connect.json.JsonConverter", "has no default"},
		{Worker, "key.converter.schemas.enable", "false", "plain JSON values are easier to trace"},
		{Worker, "value.converter.schemas.enable", "false", "plain JSON values are easier to trace"},
		{Worker, "internal.key.converter", "org.apache.kafka.connect.json.JsonConverter", "has no default before 2.0"},
		{Worker, "internal.value.converter", "org.apache.kafka.connect.json.JsonConverter", "has no default before 2.0"},
		{Worker, "internal.key.converter.schemas.enable", "false", "has no default before 2.0"},
		{Worker, "internal.value.converter.schemas.enable", "false", "has no default before 2.0"},
	}
}

// fastSettings is every deviation of the Fast profile from Kafka's defaults, in all
// releases.
var fastSettings = []Setting{
	{ZooKeeper, "tickTime", "500", "sessions are checked every tick and may be as short as two; 2000 or 3000 by default"},
	{ZooKeeper, "minSessionTimeout", "1000", "two ticks"},
	{ZooKeeper, "forceSync", "no", "a write waits for the disk by default, and readings wait behind it; a killed process loses nothing by it"},
	{Broker, "zookeeper.session.timeout.ms", "6000", "the default until 2.5, 18 s since; an expiry is to take seconds"},
	{Broker, "zookeeper.connection.timeout.ms", "30000", "brokers start beside ZooKeeper, not after it"},
	{Broker, "offsets.topic.num.partitions", "5", "50 by default; fewer leaders to elect at start"},
	{Broker, "transaction.state.log.num.partitions", "5", "50 by default; fewer leaders to elect at start"},
	{Broker, "delete.topic.enable", "true", "false by default before 1.0; topics are deleted under faults"},
	{Broker, "group.initial.rebalance.delay.ms", "0", "3 s by default, at every start of a group"},
	{Broker, "log.cleaner.dedupe.buffer.size", "2097152", "128 MiB by default, half of the heap and half of a start"},
	{Broker, "controller.socket.timeout.ms", "6000", "30 s by default; what a controller that resigned left unanswered, such as who is in sync, is asked again after it (not from 2.7.0 to 3.3.1: KAFKA-14392)"},
	{Broker, "controlled.shutdown.retry.backoff.ms", "500", "5 s by default, for every refused attempt to hand over leaders"},
	{Worker, "heartbeat.interval.ms", "500", "members hear of a rebalance at a heartbeat; 3 s by default"},
	{Worker, "session.timeout.ms", "6000", "10 s by default; the least that brokers allow"},
	{Worker, "rebalance.timeout.ms", "10000", "60 s by default; twice a task's time to stop"},
	{Worker, "scheduled.rebalance.max.delay.ms", "2000", "5 min by default; not 0, which is a path of its own (KAFKA-15693)"},
	{Worker, "worker.unsync.backoff.ms", "5000", "5 min by default, for a worker that could not read the configurations"},
	{Worker, "offset.flush.interval.ms", "1000", "60 s by default; sinks and sources commit this often"},
	{Worker, "offset.storage.partitions", "1", "25 by default; fewer leaders to elect at start"},
	{Worker, "status.storage.partitions", "1", "5 by default; fewer leaders to elect at start"},
}
