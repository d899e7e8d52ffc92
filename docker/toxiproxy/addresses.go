package main

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
)

// own sees to it that the address is one of this network's own: it is added beside the
// one whose subnet it is of, unless it is there. That takes the right to administer the
// network.
func own(address netip.Addr) error {
	there, err := netlink.AddrList(nil, netlink.FAMILY_V4)
	if err != nil {
		return fmt.Errorf("list addresses: %w", err)
	}
	index, mask := 0, net.IPMask(nil)
	for _, has := range there {
		switch {
		case has.IP.Equal(address.AsSlice()):
			return nil
		case has.Contains(address.AsSlice()):
			index, mask = has.LinkIndex, has.Mask
		}
	}
	if index == 0 {
		return fmt.Errorf("add %v: no interface is in its subnet, only %v", address, there)
	}
	link, err := netlink.LinkByIndex(index)
	if err == nil {
		err = netlink.AddrAdd(link, &netlink.Addr{IPNet: &net.IPNet{IP: address.AsSlice(), Mask: mask}})
	}
	if err != nil {
		return fmt.Errorf("add %v: %w", address, err)
	}
	return nil
}
