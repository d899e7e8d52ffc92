package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kafkachaos/harness/topology"
)

// Audit says what faults have left behind, all of it: an injection that is still
// active, a link that is cut or has a toxic, a process that is paused or kept
// slow, a link that does not answer a probe. A node that has ended is no
// leftover by itself; links towards it are read, and not probed. The error is
// ErrNotHealed, also for what could not be read.
func Audit(ctx context.Context, rig *Rig) error {
	var errs []error
	for _, injection := range rig.Active() {
		errs = append(errs, fmt.Errorf("%v is %s", injection, injection.Phase()))
	}
	ended, err := auditNodes(ctx, rig)
	errs = append(errs, err)
	if rig.Links != nil {
		errs = append(errs, auditLinks(ctx, rig, ended))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("audit: %w: %w", ErrNotHealed, err)
	}
	return nil
}

// auditNodes reads every process, and tells which have ended.
func auditNodes(ctx context.Context, rig *Rig) (ended map[topology.Node]bool, err error) {
	ended = map[topology.Node]bool{}
	if rig.Nodes == nil {
		return ended, nil
	}
	var errs []error
	for _, node := range rig.Layout.Nodes {
		if node.Role == topology.Client {
			continue
		}
		process, err := rig.Nodes.Process(ctx, node)
		ended[node] = process.State == Exited
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("read process of %v: %w", node, err))
		case process.State == Paused:
			errs = append(errs, fmt.Errorf("%v is paused", node))
		case process.Cores != 0:
			errs = append(errs, fmt.Errorf("%v is limited to %v cores", node, process.Cores))
		}
	}
	return ended, errors.Join(errs...)
}

func auditLinks(ctx context.Context, rig *Rig, ended map[topology.Node]bool) error {
	return each(rig.Layout.Links, func(link topology.Link) error {
		if err := readClean(ctx, rig, link); err != nil || ended[link.To] {
			return err
		}
		echo, err := rig.Links.Probe(ctx, link, Hearing)
		if err == nil && !echo.Answered {
			err = errors.New(echo.String())
		}
		return named(fmt.Sprintf("probe %v", link), err)
	})
}

// readClean asks the proxy, where that can be asked.
func readClean(ctx context.Context, rig *Rig, link topology.Link) error {
	reader, ok := rig.Links.(LinkReader)
	if !ok {
		return nil
	}
	state, err := reader.ReadLink(ctx, link)
	switch {
	case err != nil:
		return fmt.Errorf("read %v: %w", link, err)
	case !state.Enabled:
		return fmt.Errorf("%v is cut", link)
	case len(state.Toxics) > 0:
		return fmt.Errorf("%v has %s", link, strings.Join(state.Toxics, ", "))
	}
	return nil
}
