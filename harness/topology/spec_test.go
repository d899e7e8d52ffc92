package topology

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func mustNew(t *testing.T, options ...Option) Spec {
	t.Helper()
	spec, err := New(options...)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestZeroSpecIsTheDefault(t *testing.T) {
	zero, made := Spec{}, mustNew(t)
	if zero.String() != made.String() || zero.String() != "1 zk 3.9.2, 3 broker 3.9.2, fast profile" {
		t.Errorf("zero Spec is %q, New() is %q", zero, made)
	}
	if zero.File(BrokerNode(1)) != made.File(BrokerNode(1)) {
		t.Error("zero Spec renders another broker than New()")
	}
}

func TestOptionsThatCannotBeAreRefusedByName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plugin.jar")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		options []Option
		want    string
	}{
		"no broker":          {[]Option{Brokers(0)}, "0 brokers"},
		"too many brokers":   {[]Option{Brokers(51)}, "51 brokers"},
		"no ZooKeeper":       {[]Option{ZooKeepers(0)}, "0 ZooKeeper"},
		"even ensemble":      {[]Option{ZooKeepers(2)}, "majority"},
		"servers go by IP":   {[]Option{Kafka("3.5.2"), ZooKeepers(3)}, "past their proxies"},
		"negative workers":   {[]Option{Workers(-1)}, "-1 workers"},
		"no version":         {[]Option{Kafka("latest")}, `"latest"`},
		"before Connect":     {[]Option{Kafka("0.8.2.2")}, "begins with 0.9.0.0"},
		"without ZooKeeper":  {[]Option{Kafka("4.0.0")}, "no ZooKeeper"},
		"three old parts":    {[]Option{Kafka("0.9.0")}, "four numbers"},
		"four new parts":     {[]Option{VersionOf(Worker, "3.9.2.0")}, "role worker"},
		"unknown profile":    {[]Option{Use(7)}, "profile 7"},
		"owned key":          {[]Option{Configure(Broker, "broker.id", "7")}, "broker.id of role broker: the harness owns"},
		"owned server line":  {[]Option{ConfigureNode(ZK(1), "server.2", "x")}, "server.2 of role zk"},
		"unknown role":       {[]Option{Configure("proxy", "a", "b")}, `role "proxy"`},
		"JVM of no role":     {[]Option{JVM("proxy", "-Xmx1g")}, `role "proxy"`},
		"version of no role": {[]Option{VersionOf(Client, "3.9.2")}, `role "client"`},
		"two keys in one":    {[]Option{Configure(Broker, "broker.id:7", "8")}, "no configuration key"},
		"two lines":          {[]Option{Configure(Broker, "a", "b\nbroker.id=7")}, "more than one line"},
		"no key":             {[]Option{Configure(Broker, " ", "b")}, "no configuration key"},
		"node that is not":   {[]Option{ConfigureNode(BrokerNode(4), "a", "b")}, "configure broker-4"},
		"replicas of none":   {[]Option{Configure(Broker, "default.replication.factor", "4")}, "only 3 brokers"},
		"in-sync of none":    {[]Option{Brokers(1), ConfigureNode(BrokerNode(1), "min.insync.replicas", "2")}, "broker-1"},
		"worker replicas":    {[]Option{Workers(1), Configure(Worker, "status.storage.replication.factor", "9")}, "worker-1"},
		"no plug-in folder":  {[]Option{Plugins("/no/such/folder")}, "/no/such/folder"},
		"plug-in file alone": {[]Option{Plugins(file)}, "it is a file"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := New(test.options...); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v: want one with %q", err, test.want)
			}
		})
	}
}

func TestOverridesWinInOrder(t *testing.T) {
	spec := mustNew(t, Brokers(2), Configure(Broker, "zookeeper.session.timeout.ms", "9000"),
		ConfigureNode(BrokerNode(2), "zookeeper.session.timeout.ms", "12000"))
	for node, want := range map[Node]string{BrokerNode(1): "9000", BrokerNode(2): "12000"} {
		if got := spec.Config(node)["zookeeper.session.timeout.ms"]; got != want {
			t.Errorf("%s: session time-out %s, want %s", node, got, want)
		}
	}
}

func TestProductionLeavesKafkasTimeouts(t *testing.T) {
	spec := mustNew(t, Workers(1), Use(Production))
	for _, setting := range append(fastSettings[:len(fastSettings):len(fastSettings)], spec.newerSettings()...) {
		node := Node{setting.Role, 1}
		if value, set := spec.Config(node)[setting.Key]; set {
			t.Errorf("%s: %s=%s is set", node, setting.Key, value)
		}
	}
}

func TestServersOfAnyEnsembleKnowTheirLimits(t *testing.T) {
	for _, profile := range []Profile{Fast, Production} {
		config := mustNew(t, ZooKeepers(3), Use(profile)).Config(ZK(3))
		for _, limit := range []string{"initLimit", "syncLimit"} { // QuorumPeerConfig.checkValidity
			if config[limit] == "" {
				t.Errorf("%s profile: no %s", profile, limit)
			}
		}
	}
}

func TestEverySettingHasAReason(t *testing.T) {
	seen := map[string]bool{}
	for _, setting := range mustNew(t, Workers(1)).Settings() {
		key := string(setting.Role) + " " + setting.Key
		if setting.Why == "" || seen[key] {
			t.Errorf("%s: no reason, or set twice", key)
		}
		seen[key] = true
	}
	for _, option := range mustNew(t).JavaOptions(Broker) {
		if option.Why == "" {
			t.Errorf("%s: no reason", option.Option)
		}
	}
}

func TestConfigurationFollowsTheVersion(t *testing.T) {
	old := mustNew(t, Workers(1), Kafka("0.9.0.1"))
	middle := mustNew(t, Workers(1), Kafka("1.0.1"))
	latest := mustNew(t, Workers(1))
	tests := []struct {
		spec  Spec
		node  Node
		key   string
		value string // empty for absent
	}{
		{old, BrokerNode(1), "advertised.host.name", "broker-1"},
		{latest, BrokerNode(1), "advertised.host.name", ""},
		{latest, BrokerNode(1), "advertised.listeners", "PLAINTEXT://broker-1:9093"},
		{old, WorkerNode(1), "rest.port", "18083"},
		{old, WorkerNode(1), "listeners", ""},
		{old, WorkerNode(1), "plugin.path", ""},
		{middle, WorkerNode(1), "plugin.path", PluginFolder},
		{middle, WorkerNode(1), "plugin.discovery", ""},
		{latest, WorkerNode(1), "listeners", "http://0.0.0.0:18083"},
		{latest, WorkerNode(1), "plugin.discovery", "service_load"},
		{mustNew(t, Workers(1), Plugins(t.TempDir())), WorkerNode(1), "plugin.discovery", ""},
		{middle, BrokerNode(1), "auto.include.jmx.reporter", ""},
		{latest, BrokerNode(1), "auto.include.jmx.reporter", "false"},
		{latest, WorkerNode(1), "auto.include.jmx.reporter", "false"},
		{mustNew(t, Workers(1), Kafka("3.6.1")), WorkerNode(1), "enable.metrics.push", ""},
		{latest, WorkerNode(1), "enable.metrics.push", "false"},
		{latest, BrokerNode(1), "enable.metrics.push", ""},
	}
	for _, test := range tests {
		if got := test.spec.Config(test.node)[test.key]; got != test.value {
			t.Errorf("%s: %s %s=%q, want %q", test.spec, test.node, test.key, got, test.value)
		}
	}
}

func TestJavaOptionsSuitTheJavaOfTheRole(t *testing.T) {
	spec := mustNew(t, Kafka("3.9.2"), VersionOf(Worker, "2.8.2"), Workers(1), JVM(Broker, "-Xmx1g"))
	for node, want := range map[Node]bool{ZK(1): true, BrokerNode(1): true, WorkerNode(1): false} {
		options := spec.Java(node)
		unlocked := slices.Index(options, "-XX:+UnlockDiagnosticVMOptions")
		mode := slices.Index(options, "-XX:ArchiveRelocationMode=0")
		if (unlocked >= 0 && mode > unlocked) != want || (mode >= 0) != want {
			t.Errorf("%s has %v", node, options)
		}
	}
	if options := spec.Java(BrokerNode(1)); options[len(options)-1] != "-Xmx1g" {
		t.Errorf("the options asked for are not the last of %v", options)
	}
}

func TestEnsembleKnowsItsServers(t *testing.T) {
	config := mustNew(t, ZooKeepers(3)).Config(ZK(2))
	want := map[string]string{"server.1": "zk-1:2881:3881", "server.2": "zk-2:2882:3882", "server.3": "zk-3:2883:3883"}
	for key, value := range want {
		if config[key] != value {
			t.Errorf("%s=%q, want %q", key, config[key], value)
		}
	}
	if files := mustNew(t, ZooKeepers(3)).Files(ZK(2)); files[DataFolder+"/myid"] != "2" {
		t.Errorf("zk-2 has the files %v", files)
	}
	if alone := mustNew(t).Config(ZK(1)); alone["server.1"] != "" {
		t.Errorf("a single server has server.1=%s", alone["server.1"])
	}
}

func TestFileIsTheConfigurationInOrder(t *testing.T) {
	spec := mustNew(t)
	lines := strings.Split(strings.TrimSpace(spec.File(ZK(1))), "\n")
	config := maps.Clone(spec.Config(ZK(1)))
	for i, line := range lines {
		if i > 0 && lines[i-1] >= line {
			t.Errorf("%q does not follow %q", line, lines[i-1])
		}
		key, value, _ := strings.Cut(line, "=")
		if config[key] != value {
			t.Errorf("%q is not in the configuration", line)
		}
		delete(config, key)
	}
	if len(config) > 0 {
		t.Errorf("not in the file: %v", config)
	}
}
