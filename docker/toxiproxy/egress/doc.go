// Package egress is the proxy server of one node: Toxiproxy's proxies, toxics
// and HTTP interface, with toxics that it lacks, on sockets of our own.
//
// Toxiproxy is used as a library for what it says about toxics: their names,
// streams, attributes and JSON, its registry, its collection of toxics a proxy,
// its errors. Its stock client and command line work against this server. Bytes
// do not go through its chain of goroutines, for these reasons (v2.5.0; tried,
// or read in the source):
//
//   - A toxic cannot be added while a peer does not read, as a paused broker
//     does not: the call never returns and the proxy is lost (tried). Here a
//     change is the replacement of one value and waits for no peer.
//   - Open connections are out of a toxic's reach, so it cannot reset them.
//   - One goroutine accepts and dials, so clients queue behind the dial of a
//     node that is gone.
//   - A removal that cannot write for 5 s drops the bytes in its hands, and
//     the chain's bookkeeping goes wrong for connections that are closing.
//
// Carried are, of Toxiproxy's own toxics: latency; bandwidth; slicer (pieces of
// exactly average_size); limit_data (closes both sides once so many bytes were
// delivered, counted from its addition, or from the beginning of a connection
// that is younger); and timeout with 0, the black hole. That one swallows the
// bytes of its stream, those under way included, and the end of a connection
// too. When it is removed, the connections that it took something from are
// closed, since their streams have a gap; the others go on. Of ours: Hold,
// Reset and SwallowFirst.
//
// What holds for every toxic here: it acts on connections already open and on
// those to come, from the moment the call that adds it returns; bytes keep
// their order; the end of a connection (FIN or RST) travels behind the bytes
// before it, through the same toxics; nothing is random, so toxicity other
// than 1 and jitter are refused.
//
// The package draws nothing, judges nothing and writes no log.
package egress
