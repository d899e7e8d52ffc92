// Package mesh is the directed links of a running cluster: it fills each
// node's egress with its proxies, puts toxics on links and takes them off,
// probes links, and tells what is on them.
//
// It speaks HTTP itself. Toxiproxy's client takes no context and has no
// time-out, so a call to an egress that hangs would never return, and it knows
// neither batches nor probes.
//
// The package decides nothing: what is put on which link, and for how long, is
// the business of package faults, whose Links interface *Mesh satisfies.
package mesh
