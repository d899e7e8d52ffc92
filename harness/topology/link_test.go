package topology

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestLinksAreThoseThatAreDialled(t *testing.T) {
	spec := mustNew(t, ZooKeepers(3), Brokers(3), Workers(2))
	counts := map[[2]Role]int{}
	for _, link := range spec.Links() {
		counts[[2]Role{link.From.Role, link.To.Role}]++
	}
	want := map[[2]Role]int{
		{ZooKeeper, ZooKeeper}: 6, {Broker, ZooKeeper}: 9, {Broker, Broker}: 6, {Worker, Broker}: 6, {Worker, Worker}: 2,
		{Client, ZooKeeper}: 3, {Client, Broker}: 3, {Client, Worker}: 2,
	}
	for pair, n := range want {
		if counts[pair] != n {
			t.Errorf("%v: %d links, want %d", pair, counts[pair], n)
		}
		delete(counts, pair)
	}
	if len(counts) > 0 {
		t.Errorf("links that nobody dials: %v", counts)
	}
}

func TestEveryListenerOfAnEgressHasAPortOfItsOwn(t *testing.T) {
	spec := mustNew(t, ZooKeepers(5), Brokers(maxNodes), Workers(maxNodes))
	for _, from := range append(spec.Nodes(), TheClient) {
		taken := map[int]string{ProxyPort: "its own API"}
		for _, proxy := range spec.Proxies(from) {
			if other := taken[proxy.Port]; other != "" {
				t.Fatalf("egress of %s: %s and %s both listen on %d", from, proxy.Name, other, proxy.Port)
			}
			taken[proxy.Port] = proxy.Name
		}
	}
}

func TestAQuorumLinkHasTwoProxies(t *testing.T) {
	var names []string
	for _, proxy := range mustNew(t, ZooKeepers(3)).Proxies(ZK(1)) {
		names = append(names, proxy.Name+" "+proxy.Upstream())
	}
	want := []string{"zk-2.election node-zk-2:3882", "zk-2.quorum node-zk-2:2882",
		"zk-3.election node-zk-3:3883", "zk-3.quorum node-zk-3:2883"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if (Spec{}).HasEgress(ZK(1)) {
		t.Error("a single ZooKeeper server has an egress")
	}
}

func TestNamesAreReadBack(t *testing.T) {
	for _, node := range []Node{ZK(1), BrokerNode(12), WorkerNode(3), TheClient} {
		if got, err := ParseNode(node.String()); err != nil || got != node {
			t.Errorf("%s is read as %v, %v", node, got, err)
		}
	}
	for _, text := range []string{"", "broker", "broker-", "broker-0", "broker-01", "broker--1", "client-1", "proxy-1"} {
		if node, err := ParseNode(text); err == nil {
			t.Errorf("%q is read as %v", text, node)
		}
	}
	link := Link{BrokerNode(1), ZK(1)}
	text, err := json.Marshal(link)
	if err != nil || string(text) != `"broker-1→zk-1"` {
		t.Fatalf("written as %s, %v", text, err)
	}
	var back Link
	if err := json.Unmarshal(text, &back); err != nil || back != link {
		t.Errorf("%s is read as %v, %v", text, back, err)
	}
	if ascii, err := ParseLink("broker-1->zk-1"); err != nil || ascii != link {
		t.Errorf("the plain arrow is read as %v, %v", ascii, err)
	}
	for _, text := range []string{"broker-1", "broker-1→", "→zk-1", "broker-1→zk-1→zk-2"} {
		if link, err := ParseLink(text); err == nil {
			t.Errorf("%q is read as %v", text, link)
		}
	}
}

func TestVersionFacts(t *testing.T) {
	tests := []struct {
		version string
		java    int
		scala   string
	}{
		{"0.9.0.0", 11, "2.11"}, {"1.0.2", 11, "2.11"}, {"1.1.0", 11, "2.12"}, {"2.2.0", 11, "2.12"},
		{"2.7.2", 11, "2.12"}, {"2.8.2", 11, "2.13"}, {"3.0.0", 17, "2.13"}, {"3.9.2", 17, "2.13"},
	}
	for _, test := range tests {
		v, err := ParseVersion(test.version)
		if err != nil || v.String() != test.version {
			t.Fatalf("%s is read as %v, %v", test.version, v, err)
		}
		if v.Java() != test.java || v.Scala() != test.scala {
			t.Errorf("%s: Java %d, Scala %s", v, v.Java(), v.Scala())
		}
	}
	if !MustVersion("0.10.2.2").Before(MustVersion("1.0.0")) || MustVersion("0.10.0.0").Before(MustVersion("0.9.0.1")) {
		t.Error("versions are ordered as text")
	}
}
