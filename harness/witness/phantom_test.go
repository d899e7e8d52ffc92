package witness

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// membersOf asks the fake's coordinator, whichever broker it is.
func membersOf(t *testing.T, client *kgo.Client, group string) map[string]bool {
	t.Helper()
	request := kmsg.NewPtrDescribeGroupsRequest()
	request.Groups = []string{group}
	response, err := request.RequestWith(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]bool{}
	for _, member := range response.Groups[0].Members {
		members[member.MemberID] = true
	}
	return members
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so within 10 s: %s", what)
		}
	}
}

// fakeGroup is a group with one real consumer in it. The witness knows its
// coordinator.
func fakeGroup(t *testing.T, group string) (*Brokers, *kgo.Client) {
	t.Helper()
	cluster, b := fakeBrokers(t, "3.9.2", kfake.SeedTopics(1, "t"))
	b.addresses[0] = "broker-0:9092"
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.ConsumerGroup(group), kgo.ConsumeTopics("t"),
		kgo.HeartbeatInterval(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	eventually(t, "the consumer is in the group", func() bool { return len(membersOf(t, client, group)) == 1 })
	return b, client
}

func TestPhantomJoinsStaysAndLeaves(t *testing.T) {
	for name, obey := range map[string]bool{"obedient": true, "deaf": false} {
		t.Run(name, func(t *testing.T) {
			b, client := fakeGroup(t, "g")
			phantom, err := b.Join(t.Context(), "g", "consumer", obey)
			if err != nil {
				t.Fatal(err)
			}
			if members := membersOf(t, client, "g"); len(members) != 2 || !members[phantom.Member()] {
				t.Errorf("the members are %v, the phantom is %s", members, phantom.Member())
			}
			for range 2 {
				if err := phantom.Leave(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if members := membersOf(t, client, "g"); len(members) != 1 {
				t.Errorf("the members are %v", members)
			}
		})
	}
}

// A second phantom makes the first one join again; thrown out, one comes back.
func TestAnObedientPhantomFollowsItsGroup(t *testing.T) {
	b, client := fakeGroup(t, "g")
	first, err := b.Join(t.Context(), "g", "consumer", true)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Leave(t.Context())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	second, err := b.Join(ctx, "g", "consumer", true)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Leave(t.Context())
	thrownOut := first.Member()
	if err := b.Leave(t.Context(), "g", thrownOut); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all three are in the group", func() bool {
		members := membersOf(t, client, "g")
		return len(members) == 3 && members[first.Member()] && first.Member() != thrownOut
	})
}

func TestAPhantomDoesNotLead(t *testing.T) {
	b, client := fakeGroup(t, "g")
	if phantom, err := b.Join(t.Context(), "nobody's", "connect", true); !errors.Is(err, ErrAlone) {
		t.Errorf("got %v, %v", phantom, err)
	}
	if members := membersOf(t, client, "nobody's"); len(members) != 0 {
		t.Errorf("it left %v behind", members)
	}
}
