package engine

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
)

// lastSubnet is what the last network of this process was given, if there was one.
var lastSubnet atomic.Pointer[netip.Prefix]

// createNetwork makes the network of the run with addresses that may be
// reserved. Docker hands out addresses of its own choice only, on a network of
// its own choice. So it is asked for those that it chose for the last run, and if
// that fails, because another run has them, for a network, which tells what is free
// here, and then for the same by name. Another run may take it in between.
func (d *Docker) createNetwork(ctx context.Context) error {
	if last := lastSubnet.Load(); last != nil && d.networkAt(ctx, *last) == nil {
		return nil
	}
	const attempts = 5
	var err error
	for range attempts {
		if err = d.tryNetwork(ctx); err == nil || !taken(err) {
			return err
		}
	}
	return err
}

func (d *Docker) tryNetwork(ctx context.Context) error {
	options := client.NetworkCreateOptions{Driver: "bridge", Labels: d.labels}
	made, err := d.client.NetworkCreate(ctx, d.network, options)
	if err != nil {
		return err
	}
	seen, err := d.client.NetworkInspect(ctx, made.ID, client.NetworkInspectOptions{})
	if err != nil {
		return err
	}
	if _, err := d.client.NetworkRemove(ctx, made.ID, client.NetworkRemoveOptions{}); err != nil {
		return err
	}
	for _, config := range seen.Network.IPAM.Config {
		if config.Subnet.Addr().Is4() {
			return d.networkAt(ctx, config.Subnet)
		}
	}
	return errors.New("the engine gave it no IPv4 addresses")
}

// networkAt makes the network with these addresses.
func (d *Docker) networkAt(ctx context.Context, subnet netip.Prefix) error {
	_, err := d.client.NetworkCreate(ctx, d.network, client.NetworkCreateOptions{Driver: "bridge", Labels: d.labels,
		IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: subnet}}}})
	if err == nil {
		d.subnet = subnet
		lastSubnet.Store(&subnet)
	}
	return err
}

// taken says that the addresses were free a moment ago and are not now.
func taken(err error) bool { return errdefs.IsPermissionDenied(err) || errdefs.IsConflict(err) }

// firstReserved keeps clear of the gateway, which is the first address.
const firstReserved = 10

// Reserve picks the address of the program; the same name gets the same again.
func (d *Docker) Reserve(name string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if address, reserved := d.addresses[name]; reserved {
		return address.String(), nil
	}
	address := d.subnet.Masked().Addr()
	for range firstReserved + len(d.addresses) {
		address = address.Next()
	}
	if !d.subnet.Contains(address.Next()) { // the last one is for broadcasts
		return "", fmt.Errorf("reserve an address for %s: all of %v are taken", name, d.subnet)
	}
	d.addresses[name] = address
	return address.String(), nil
}
