package mesh_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"kafkachaos/docker/toxiproxy/egress"
	"kafkachaos/harness/internal/mesh"
	"kafkachaos/harness/topology"
)

var (
	broker1, broker2  = topology.BrokerNode(1), topology.BrokerNode(2)
	zk1, zk2, worker1 = topology.ZK(1), topology.ZK(2), topology.WorkerNode(1)
	toZK              = topology.Link{From: broker1, To: zk1}
	toBroker          = topology.Link{From: broker1, To: broker2}
	toWorker          = topology.Link{From: topology.TheClient, To: worker1}
	quorum            = topology.Link{From: zk1, To: zk2}
)

// patience is for what should come; a probe that should get nothing waits for
// silence.
const (
	patience = 5 * time.Second
	silence  = 80 * time.Millisecond
)

// open makes a mesh over real servers in this process, one for each node that
// dials, with a pretended node at the end of each link.
func open(t testing.TB, links ...topology.Link) *mesh.Mesh {
	t.Helper()
	apis := map[topology.Node]string{}
	proxies := map[topology.Link][]mesh.Proxy{}
	for _, link := range links {
		if apis[link.From] == "" {
			apis[link.From] = serve(t)
		}
		proxies[link] = lines(t, link)
	}
	m, err := filled(t.Context(), apis, proxies)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// filled makes a mesh whose egresses have their proxies.
func filled(ctx context.Context, apis map[topology.Node]string, links map[topology.Link][]mesh.Proxy) (*mesh.Mesh, error) {
	m, err := mesh.New(apis, links)
	for node := range apis {
		if err == nil {
			err = m.Fill(ctx, node)
		}
	}
	return m, err
}

func serve(t testing.TB) string {
	server := egress.New()
	api := httptest.NewServer(server.Handler())
	t.Cleanup(func() {
		server.Close()
		api.Close()
	})
	return api.Listener.Addr().String()
}

func lines(t testing.TB, link topology.Link) []mesh.Proxy {
	name := link.To.String()
	if link.From.Role == topology.ZooKeeper {
		return []mesh.Proxy{
			{Name: name + ".quorum", Listen: "127.0.0.1:0", Upstream: pretend(t, refuse)},
			{Name: name + ".election", Listen: "127.0.0.1:0", Upstream: pretend(t, election)},
		}
	}
	answer := map[topology.Role]func(net.Conn){
		topology.ZooKeeper: ruok, topology.Broker: listGroups, topology.Worker: root,
	}[link.To.Role]
	return []mesh.Proxy{{Name: name, Listen: "127.0.0.1:0", Upstream: pretend(t, answer)}}
}

// pretend listens as a node that answers so.
func pretend(t testing.TB, answer func(net.Conn)) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				answer(conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func refuse(net.Conn) {}

// ruok answers as ZooKeeper does, and closes.
func ruok(conn net.Conn) {
	word := make([]byte, 4)
	if io.ReadFull(conn, word); string(word) == "ruok" {
		io.WriteString(conn, "imok")
	}
}

// election reads the 8 bytes that a greeting begins with, and gives up when
// they do not come.
func election(conn net.Conn) {
	if _, err := io.ReadFull(conn, make([]byte, 8)); err == nil {
		io.WriteString(conn, "a greeting was taken for true")
		io.Copy(io.Discard, conn)
	}
}

// listGroups answers that request, with error 0 and no group; whatever else is
// closed, as 0.9 does.
func listGroups(conn net.Conn) {
	for {
		header := make([]byte, 12)
		if _, err := io.ReadFull(conn, header); err != nil {
			return
		}
		rest := int64(binary.BigEndian.Uint32(header)) - 8
		id := make([]byte, max(rest, 0))
		if _, err := io.ReadFull(conn, id); err != nil || binary.BigEndian.Uint32(header[4:]) != 16<<16 ||
			int64(binary.BigEndian.Uint16(id)) != rest-2 {
			return
		}
		answer := append([]byte{0, 0, 0, 10}, header[8:12]...)
		conn.Write(append(answer, 0, 0, 0, 0, 0, 0))
	}
}

func root(conn net.Conn) {
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil || request.URL.Path != "/" || request.Host != worker1.Address() {
		return
	}
	io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"version\":\"3.9\"}")
	io.Copy(io.Discard, conn)
}

// within is a context that ends a test which hangs.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}
