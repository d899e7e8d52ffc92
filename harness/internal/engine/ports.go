package engine

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
)

// PortsVariable is the environment variable that moves the range from which
// published ports are taken: FIRST-LAST.
const PortsVariable = "KAFKACHAOS_PORTS"

// The default range lies below the ports that Linux hands to outgoing
// connections (32768 and up), so that a port stays free while its node is down.
const firstPort, lastPort = 20000, 32000

// FreePorts finds n ports of 127.0.0.1 that nobody listens on. It begins at a
// random place so that two runs at the same time rarely meet.
func FreePorts(n int) ([]int, error) {
	first, last, err := portRange(os.Getenv(PortsVariable))
	if err != nil {
		return nil, err
	}
	var ports []int
	size := last - first + 1
	start := rand.IntN(size) //nolint:forbidigo // where to begin is no secret and no part of a plan
	for i := 0; i < size && len(ports) < n; i++ {
		port := first + (start+i)%size
		if free(port) {
			ports = append(ports, port)
		}
	}
	if len(ports) < n {
		return nil, fmt.Errorf("find %d free ports on 127.0.0.1: only %d of %d-%d are free; end what holds them, or "+
			"choose another range, for example %s=40000-42000", n, len(ports), first, last, PortsVariable)
	}
	return ports, nil
}

func free(port int) bool {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

func portRange(text string) (first, last int, err error) {
	if text == "" {
		return firstPort, lastPort, nil
	}
	from, to, _ := strings.Cut(text, "-")
	first, errFirst := strconv.Atoi(strings.TrimSpace(from))
	last, errLast := strconv.Atoi(strings.TrimSpace(to))
	if errFirst != nil || errLast != nil || first < 1 || last > 65535 || first > last {
		return 0, 0, fmt.Errorf("read %s=%q: want FIRST-LAST, for example 40000-42000", PortsVariable, text)
	}
	return first, last, nil
}
