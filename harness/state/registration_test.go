package state

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

var (
	at   = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	byZK = Source{By: "zk-1", At: at}
)

func broker(data string) ZNode {
	return ZNode{Source: byZK, Path: "/brokers/ids/1", Exists: true, Owner: 0x14fa3fc94706a72,
		Czxid: 0x2f, Created: at.Add(-time.Second), Data: []byte(data)}
}

func TestRegistration(t *testing.T) {
	for name, data := range map[string]string{
		"0.9.0.0": `{"jmx_port":-1,"timestamp":"1796000000000","endpoints":["PLAINTEXT://broker-1:9093"],"host":"broker-1","version":2,"port":9093}`,
		"3.9.2":   `{"features":{},"listener_security_protocol_map":{"PLAINTEXT":"PLAINTEXT"},"endpoints":["PLAINTEXT://broker-1:9093"],"jmx_port":-1,"port":9093,"host":"broker-1","version":5,"timestamp":"1796000000000"}`,
	} {
		got, err := NewRegistration(1, broker(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := Registration{Source: byZK, Broker: 1, Present: true, Session: 0x14fa3fc94706a72, Czxid: 0x2f,
			Created: at.Add(-time.Second), Host: "broker-1", Port: 9093, Endpoints: []string{"PLAINTEXT://broker-1:9093"}, Raw: data}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read %+v, want %+v", name, got, want)
		}
		const line = "broker-1 is registered by session 0x14fa3fc94706a72, czxid 0x2f, created 03:04:04.678," +
			" at PLAINTEXT://broker-1:9093 (read by zk-1 at 03:04:05.678)"
		if got.String() != line {
			t.Errorf("%s: prints as %q", name, got)
		}
	}
}

func TestRegistrationOnlyWithAnotherListenerHasNoHost(t *testing.T) {
	data := `{"endpoints":["SSL://broker-1:9093"],"jmx_port":-1,"port":-1,"host":null,"version":4,"timestamp":"1"}`
	got, err := NewRegistration(1, broker(data))
	if err != nil || got.Host != "" || got.Port != -1 || len(got.Endpoints) != 1 {
		t.Errorf("read %+v, %v", got, err)
	}
}

func TestAbsentRegistrationIsAValue(t *testing.T) {
	got, err := NewRegistration(3, ZNode{Source: byZK, Path: "/brokers/ids/3"})
	if err != nil || got.Present || got.Session != 0 {
		t.Errorf("read %+v, %v", got, err)
	}
	if want := "broker-3 is absent from ZooKeeper (read by zk-1 at 03:04:05.678)"; got.String() != want {
		t.Errorf("prints as %q, want %q", got, want)
	}
}

func TestRegistrationRefuses(t *testing.T) {
	for _, data := range []string{"", "{}", "[]", "null", `{"version":4}`, `{"host":"broker-1","port":"9093"}`, `{"host":"b"`} {
		if got, err := NewRegistration(1, broker(data)); err == nil {
			t.Errorf("%q was read as %v", data, got)
		} else if !strings.Contains(err.Error(), "broker-1") {
			t.Errorf("%q: error %q does not name the broker", data, err)
		}
	}
}

func TestControllerView(t *testing.T) {
	controller := ZNode{Source: byZK, Path: "/controller", Exists: true, Owner: 7, Czxid: 9, Created: at,
		Data: []byte(`{"version":1,"brokerid":2,"timestamp":"1796000000000"}`)}
	epoch := ZNode{Source: byZK, Path: "/controller_epoch", Exists: true, Data: []byte("12")}

	got, err := NewControllerView(controller, epoch)
	want := ControllerView{Source: byZK, Present: true, Broker: 2, Session: 7, Czxid: 9, Created: at, Epoch: 12}
	if err != nil || got != want {
		t.Errorf("read %+v (%v), want %+v", got, err, want)
	}
	if line := got.String(); !strings.HasPrefix(line, "broker-2 is the controller, epoch 12, by session 0x7") {
		t.Errorf("prints as %q", line)
	}

	absent := ZNode{Source: byZK, Path: "/controller"}
	if got, err := NewControllerView(absent, epoch); err != nil || got.Present || got.Epoch != 12 {
		t.Errorf("read %+v (%v) without a controller", got, err)
	}
	if got, err := NewControllerView(absent, ZNode{}); err != nil || got.Epoch != -1 {
		t.Errorf("read %+v (%v) without an epoch", got, err)
	}
	for _, data := range []string{"", "{}", `{"brokerid":"2"}`, `{"version":1}`} {
		controller.Data = []byte(data)
		if got, err := NewControllerView(controller, epoch); err == nil {
			t.Errorf("controller %q was read as %v", data, got)
		}
	}
	epoch.Data = []byte("twelve")
	if got, err := NewControllerView(absent, epoch); err == nil {
		t.Errorf("epoch %q was read as %v", epoch.Data, got)
	}
}
