package main

import (
	"context"
	"net"
)

// nameServer is asked for the names that the engine's own name server does not know,
// such as that of a node that has ended.
const nameServer = "127.0.0.1:53"

// knowNothing answers every question for a name at once, until ctx is over: there is
// none. Name servers of the machine would be asked otherwise, and each that is silent
// or loses a question would hold the dial to a dead node for 5 s (seen).
func knowNothing(ctx context.Context, questions net.PacketConn) {
	stop := context.AfterFunc(ctx, func() { questions.Close() })
	defer stop()
	message := make([]byte, 512)
	for {
		n, asker, err := questions.ReadFrom(message)
		if err != nil {
			return
		}
		if answer := noSuchName(message[:n]); answer != nil {
			_, _ = questions.WriteTo(answer, asker)
		}
	}
}

// noSuchName turns a question into the answer that there is no such name; nil if it is
// none (RFC 1035, 4.1.1).
func noSuchName(message []byte) []byte {
	const header, isAnswer, recursive, noName = 12, 0x80, 0x80, 3
	if len(message) < header || message[2]&isAnswer != 0 {
		return nil
	}
	message[2] |= isAnswer
	message[3] = recursive | noName
	return message
}
