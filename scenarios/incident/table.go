package incident

import "kafkachaos/assertions"

// All are the incidents that the scenarios are tried on.
func All() []Incident { return all }

var all = []Incident{
	{
		ID:       "A",
		Title:    "a rebalance kills the worker of a sink that cannot commit",
		Affected: []Releases{{Brokers: "0.9.0.0"}},
		Cured:    []Releases{{Brokers: "0.10.0.0"}, {Brokers: "3.9.2"}},
		Scenario: "A worker survives a rebalance while its sink cannot commit",
		Finding:  Finding{assertions.Alive, `worker-\d+`},
		References: []string{
			"reported of Confluent 2.0.0; seen on 0.9.0.0 and 0.9.0.1",
			"ConcurrentModificationException in KafkaConsumer.acquire ← WorkerSinkTask.close ← DistributedHerder.onRevoked; the process exits with 1",
		},
	},
	{
		ID:       "B",
		Title:    "after a second expired session a broker never comes back",
		Affected: []Releases{{Brokers: "2.1.0"}},
		Cured:    []Releases{{Brokers: "2.2.0"}, {Brokers: "3.9.2"}},
		Scenario: "A broker that is the controller registers again after a second expired session, with a write in flight when its link dropped",
		Finding:  Finding{assertions.RegisteredAnew, `broker-\d+`},
		References: []string{
			"seen on 2.1.0 and 2.1.1, not on 2.0.1",
			"NullPointerException in ZooKeeperClient.processResult; zk-session-expiry-handler0 waits for controller-event-thread, which waits in ZooKeeperClient.handleRequests",
		},
	},
	{
		ID:       "C",
		Title:    "tasks of a dead worker are never given away",
		Affected: []Releases{{Brokers: "3.9.2", Workers: "3.6.0"}},
		Cured:    []Releases{{Brokers: "3.9.2", Workers: "3.6.1"}},
		Scenario: "Tasks of a dead worker move to a worker that lives",
		Finding:  Finding{assertions.EachTaskOnce, `connector .+`},
		References: []string{
			"KAFKA-15693, with scheduled.rebalance.max.delay.ms=0",
		},
	},
	{
		ID:       "D",
		Title:    "a bounced broker is forgotten by the controller",
		Affected: []Releases{{Brokers: "2.1.1"}},
		Cured:    []Releases{{Brokers: "2.2.0"}},
		Scenario: "A broker that bounced while the controller was paused serves again",
		Finding:  Finding{assertions.ServesProduces, `broker-\d+`},
		References: []string{
			"KAFKA-7235",
		},
	},
	{
		ID:       "E",
		Title:    "a task that could not stop can never start again",
		Affected: []Releases{{Brokers: "3.9.2", Workers: "1.0.0"}},
		Cured:    []Releases{{Brokers: "3.9.2", Workers: "1.0.1"}},
		Scenario: "A task that could not stop starts again",
		Finding:  Finding{assertions.RecordsFlow, `connector .+`},
		References: []string{
			"KAFKA-6252: the new task fails, “A metric named … already exists”",
		},
	},
	{
		ID:       "F",
		Title:    "a controller in name only",
		Affected: []Releases{{Brokers: "0.10.1.1"}},
		Cured:    []Releases{{Brokers: "0.10.2.0"}},
		Scenario: "A controller that was expired twice serves",
		Finding:  Finding{assertions.ControllerServes, `the controller`},
		References: []string{
			"KAFKA-4229",
		},
	},
	{
		ID:       "G",
		Title:    "a broker that slept while it was given a replica follows in no other",
		Affected: []Releases{{Brokers: "3.6.1"}, {Brokers: "3.9.2"}},
		Cured:    []Releases{{Brokers: "3.5.2"}}, // not affected yet; there is no cure: 3.9 is the last line with ZooKeeper
		Scenario: "Replicas finish their move to a broker that slept when it began",
		Finding:  Finding{assertions.InSync, `the cluster`},
		References: []string{
			"found here: not on 2.1.1, 2.8.2, 3.4.1 and 3.5.2, on 3.6.1, 3.7.2, 3.8.1 and 3.9.2; akin to KAFKA-9769, whose cure catches ZooKeeperClientException and not KeeperException",
			"the order to follow a new partition fails with SessionExpiredException in LogManager.fetchTopicConfigOverrides and leaves the partition without a log; " +
				"the order for all partitions, after the broker has registered again, fails as a whole with “Log for partition … is not available on broker …”",
		},
	},
	{
		ID:       "H",
		Title:    "a broker that finds its session over while it reads what changed ends itself",
		Affected: []Releases{{Brokers: "2.8.2"}},
		Cured:    []Releases{{Brokers: "3.9.2"}},
		Scenario: "A broker whose session is ended registers again after expiries faster than it can register",
		Finding:  Finding{assertions.Running, `broker-1`},
		References: []string{
			"KAFKA-14887: SessionExpiredException for /feature; “Failed to process feature ZK node change event. The broker will eventually exit.”; the process exits with 1",
			"by the sources it came with KIP-584 (2.7.0) and went with 3.6.0; seen on 2.8.2",
		},
	},
}
