package egress

import (
	"net"
	"testing"
	"time"
)

// A connection that was reset before anything was sent is closed to every question,
// also to the one that takes the end of the stream for an answer.
func TestAResetThatComesBeforeTheQuestionIsNoAnswer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for want := range waits {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		far, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		far.(*net.TCPConn).SetLinger(0)
		far.Close()
		time.Sleep(20 * time.Millisecond) // until the reset is there
		var answer Answer
		Question{Send: []byte("ruok"), Want: want}.exchange(conn.(*net.TCPConn), &answer)
		if answer.Answered || !answer.Closed {
			t.Errorf("%s: %+v, want closed", want, answer)
		}
		conn.Close()
	}
}
