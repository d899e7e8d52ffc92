package topology

// Facts that hang on a Kafka version, each with its source. They stand here
// and nowhere else.

// Java is the major version of the Java runtime that the release is run on.
// ZooKeeper clients 3.4.13 and 3.4.14 (Kafka 2.0 to 2.3) cannot resolve host
// names on Java 14 and later (ZOOKEEPER-3779), and Connect before 2.0 misses
// javax.activation there, so older releases run on 11, the last long-term
// release that suits them.
func (v Version) Java() int {
	if v.AtLeast("3.0.0") {
		return 17
	}
	return 11
}

// RelocatesClassData says whether the release's Java maps archives of class data at
// a random address unless ArchiveRelocationMode is 0: 17 does (JDK-8294323), 11 has
// no such option and does not start with it. It is a matter of reading an archive,
// not of making it: one made either way is mapped as asked (17.0.15).
func (v Version) RelocatesClassData() bool { return v.Java() >= 17 }

// Scala is the Scala line of the kafka_<scala> artefact: the newest that each
// release was published for.
func (v Version) Scala() string {
	switch {
	case v.AtLeast("2.8.0"):
		return "2.13"
	case v.AtLeast("1.1.0"):
		return "2.12"
	}
	return "2.11"
}

// ListenersConfig says whether a worker takes "listeners" for its REST
// address (KIP-208, 1.1.0); before, it is "rest.port".
func (v Version) ListenersConfig() bool { return v.AtLeast("1.1.0") }

// PluginPath says whether a worker isolates plug-ins by "plugin.path"
// (KIP-146, 0.11.0.0); before, they stand on the class path.
func (v Version) PluginPath() bool { return v.AtLeast("0.11.0.0") }

// PluginDiscovery says whether a worker can find plug-ins by service files
// alone, without scanning the class path (KIP-898, 3.6.0).
func (v Version) PluginDiscovery() bool { return v.AtLeast("3.6.0") }

// JMXReporterCanBeOff says whether metrics can do without being shown by JMX
// (auto.include.jmx.reporter, KIP-830, 3.4.0).
func (v Version) JMXReporterCanBeOff() bool { return v.AtLeast("3.4.0") }

// ClientsPushMetrics says whether clients ask brokers which of their metrics to send
// them, unless they are told not to (enable.metrics.push, KIP-714, 3.7.0).
func (v Version) ClientsPushMetrics() bool { return v.AtLeast("3.7.0") }

// ApiVersions says whether a broker answers the ApiVersions request (KIP-35,
// 0.10.0.0).
func (v Version) ApiVersions() bool { return v.AtLeast("0.10.0.0") }

// MetadataErrorsAreOfLeaders says whether an error of a partition in a broker's
// metadata means that it has no leader that can be asked. Before, one that has a
// leader comes with an error as well (9, REPLICA_NOT_AVAILABLE) for as long as the
// broker of any replica is away (MetadataCache of 0.9.0.0; KAFKA-3306, 0.10.0.0).
func (v Version) MetadataErrorsAreOfLeaders() bool { return v.AtLeast("0.10.0.0") }

// Idempotence says whether producers can be idempotent and transactional and
// records carry headers (KIP-98, KIP-82, 0.11.0.0).
func (v Version) Idempotence() bool { return v.AtLeast("0.11.0.0") }

// LeaderEpochs says whether a follower asks its leader up to where their logs agree,
// rather than to cut off what it did not hear to be safe, which may be acknowledged
// records (KIP-101, 0.11.0.0).
func (v Version) LeaderEpochs() bool { return v.AtLeast("0.11.0.0") }

// IncrementalRebalance says whether Connect rebalances incrementally, with
// scheduled.rebalance.max.delay.ms (KIP-415, 2.3.0).
func (v Version) IncrementalRebalance() bool { return v.AtLeast("2.3.0") }

// HearsOfConfigsAtOnce says whether workers read at once what was written of
// connectors and tasks. The consumers of 0.9.0.0 leave a fetch with the broker for
// half a second unless there is a kilobyte to read (fetch.min.bytes; KAFKA-3170,
// 0.9.0.1), so the leader takes 4 s to write the tasks of a connector. Each rebalance
// meanwhile has the connector's worker order the same again, and each of these
// orders, when its turn comes, makes the workers rebalance once more.
func (v Version) HearsOfConfigsAtOnce() bool { return v.AtLeast("0.9.0.1") }

// JoinsUndisturbed says whether a worker that is asked something by REST while it
// joins its group learns what it was given all the same. Before, the question wakes
// its herder up, which then neither runs anything nor says that it lives
// (KAFKA-3528, 0.10.0.0).
func (v Version) JoinsUndisturbed() bool { return v.AtLeast("0.10.0.0") }

// ServersGoByName says whether the ZooKeeper of the release calls its fellow servers
// by the names that it is configured with. From 3.5 on (Kafka 2.4.0) a server tells
// the others at which address it hears of elections, and those with a higher number
// call back there, past every proxy; since 3.8.2 (Kafka 3.6.0) what it tells is the
// name (ZOOKEEPER-3860).
func (v Version) ServersGoByName() bool { return !v.AtLeast("2.4.0") || v.AtLeast("3.6.0") }

// NamedTaskThreads says whether the threads of a worker tell which task they run:
// those of 0.9 did (WorkerSinkTaskThread), those of the pool that came with
// 0.10.0.0 do since KAFKA-7880 (2.3.0).
func (v Version) NamedTaskThreads() bool { return !v.AtLeast("0.10.0.0") || v.AtLeast("2.3.0") }

// TellsStatus says whether workers tell by REST how connectors and their tasks are,
// and restart them when they are told to (KAFKA-3093, KAFKA-3506, 0.10.0.0).
func (v Version) TellsStatus() bool { return v.AtLeast("0.10.0.0") }

// FiltersRecords says whether workers can drop records on their way, by
// transformations with predicates (KIP-585, 2.6.0).
func (v Version) FiltersRecords() bool { return v.AtLeast("2.6.0") }

// SessionOfBrokers is zookeeper.session.timeout.ms by default, in seconds: 18 since
// KIP-537 (2.5.0).
func (v Version) SessionOfBrokers() int {
	if v.AtLeast("2.5.0") {
		return 18
	}
	return 6
}
