package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"golang.org/x/sync/errgroup"
)

// Docker runs programs as containers, one network a run.
type Docker struct {
	run       string
	labels    map[string]string
	client    *client.Client
	provider  *testcontainers.DockerProvider
	network   string       // its name
	subnet    netip.Prefix // its addresses
	mu        sync.Mutex
	addresses map[string]netip.Addr // that are reserved, by the names of programs
	processes []*dockerProcess
}

var _ Engine = (*Docker)(nil)

// Open makes the network of a run. The Docker is returned with an error too,
// whenever there may be something to close.
func Open(ctx context.Context, run string) (*Docker, error) {
	cli, err := dockerClient(ctx)
	if err != nil {
		return nil, err
	}
	provider, err := testcontainers.NewDockerProvider(testcontainers.WithLogger(log.NewNoopLogger()))
	if err != nil {
		return nil, fmt.Errorf("open the container engine: %w", err)
	}
	d := &Docker{run: run, labels: labelsOf(run), client: cli, provider: provider, network: "kafkachaos-" + run,
		addresses: map[string]netip.Addr{}}
	if err := ctx.Err(); err != nil {
		return d, err
	}
	whole, cancel := wholly(ctx)
	defer cancel()
	if err := d.createNetwork(whole); err != nil {
		return d, fmt.Errorf("create network %s: %w", d.network, err)
	}
	return d, nil
}

// makeBound is how long the engine may take to make one thing.
const makeBound = 30 * time.Second

// wholly is for orders that make something. The engine carries an order out also
// when nobody waits for its answer any more, so an interrupted one could make
// its thing after Close has looked for it.
func wholly(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), makeBound)
}

// configureTestcontainers comes before the first use of it, which reads its
// configuration for good. It would pull an image of its own for clean-up, from a
// registry that need not be there; labels and Sweep do that work here.
var configureTestcontainers = sync.OnceFunc(func() {
	_ = os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true") // fails for malformed names only
	log.SetDefault(log.NewNoopLogger())
})

// Create makes a container of the program, at the address that is reserved for
// it, if one is.
func (d *Docker) Create(ctx context.Context, program Program) (Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("create %s: %w", program.Name, err)
	}
	whole, cancel := wholly(ctx)
	defer cancel()
	name := fmt.Sprintf("kafkachaos-%s-%s", d.run, program.Name)
	made, err := d.provider.CreateContainer(whole, d.request(name, program))
	if made == nil {
		return nil, fmt.Errorf("create %s: %w", program.Name, explain(err))
	}
	p := &dockerProcess{name: program.Name, id: made.GetContainerID(), client: d.client}
	d.mu.Lock()
	d.processes = append(d.processes, p)
	d.mu.Unlock()
	if err != nil {
		return p, fmt.Errorf("create %s: %w", program.Name, explain(err))
	}
	for inside, folder := range program.Folders {
		if err := p.copyIn(ctx, folder, inside); err != nil {
			return p, fmt.Errorf("copy %s into %s: %w", folder, program.Name, err)
		}
	}
	return p, nil
}

func (d *Docker) request(name string, program Program) testcontainers.ContainerRequest {
	request := testcontainers.ContainerRequest{
		Name:           name,
		Image:          program.Image,
		Cmd:            program.Command,
		Env:            program.Env,
		Labels:         maps.Clone(d.labels), // the library writes its own into it, and containers are made side by side
		Networks:       []string{d.network},
		NetworkAliases: map[string][]string{d.network: program.Aliases},
		ConfigModifier: func(config *container.Config) { config.Hostname = program.Name },
		EndpointSettingsModifier: func(settings map[string]*network.EndpointSettings) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if address, reserved := d.addresses[program.Name]; reserved {
				settings[d.network].IPAMConfig = &network.EndpointIPAMConfig{IPv4Address: address}
			}
		},
		HostConfigModifier: func(host *container.HostConfig) {
			host.PortBindings = bindings(program.Publish)
			if program.OwnNetwork {
				host.CapAdd = append(host.CapAdd, "NET_ADMIN")
				host.DNS = []netip.Addr{netip.MustParseAddr("127.0.0.1")}
			} else {
				host.DNSOptions = brief
			}
			for name, address := range program.Hosts {
				host.ExtraHosts = append(host.ExtraHosts, name+":"+address)
			}
			slices.Sort(host.ExtraHosts)
		},
	}
	for port := range program.Publish {
		request.ExposedPorts = append(request.ExposedPorts, strconv.Itoa(port)+"/tcp")
	}
	for path, text := range program.Files {
		request.Files = append(request.Files, testcontainers.ContainerFile{
			Reader: strings.NewReader(text), ContainerFilePath: path, FileMode: 0o644})
	}
	return request
}

// brief is how nodes ask for a name. Who is asked for others than the network's is this
// machine's name server, and one that loses a question takes 5 s by default, twice; a
// start of 0.9.0.0 took as much longer (seen). To deny them all is no way: a connector
// may need a name of the outside.
var brief = []string{"timeout:1", "attempts:1"}

func bindings(publish map[int]int) network.PortMap {
	ports := network.PortMap{}
	for inside, outside := range publish {
		ports[network.MustParsePort(strconv.Itoa(inside)+"/tcp")] = []network.PortBinding{
			{HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: strconv.Itoa(outside)}}
	}
	return ports
}

// Version says which engine this is, and of which version.
func (d *Docker) Version(ctx context.Context) (string, error) {
	told, err := d.client.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return "", fmt.Errorf("ask the engine for its version: %w", err)
	}
	return fmt.Sprintf("Docker %s on %s/%s", told.Version, told.Os, told.Arch), nil
}

// Close removes every container of the run, whatever its state, and then the
// network. What was made by a Create that still runs is found by its label.
func (d *Docker) Close(ctx context.Context) error {
	if d == nil {
		return nil
	}
	d.closeShells()
	return removeRun(ctx, d.client, d.run)
}

func (d *Docker) closeShells() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.processes {
		p.closeShell()
	}
}

// Keep renames the run's containers, because labels cannot be changed.
func (d *Docker) Keep(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.processes {
		p.closeShell()
		_, err := d.client.ContainerRename(ctx, p.id, client.ContainerRenameOptions{
			NewName: fmt.Sprintf("%s%s-%s", keptPrefix, d.run, p.name)})
		if err != nil {
			return fmt.Errorf("keep %s: %w", p.name, err)
		}
	}
	return nil
}

// removeRun removes the containers and the network that carry the run's label.
func removeRun(ctx context.Context, cli *client.Client, run string) error {
	filters := make(client.Filters).Add("label", labelRun+"="+run)
	containers, err := cli.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
	if err != nil {
		return fmt.Errorf("list the containers of run %s: %w", run, err)
	}
	errs := make([]error, len(containers.Items))
	var group errgroup.Group
	group.SetLimit(8)
	for i, item := range containers.Items {
		group.Go(func() error {
			errs[i] = remove(ctx, cli, item)
			return nil
		})
	}
	_ = group.Wait() // each error is in errs
	networks, err := cli.NetworkList(ctx, client.NetworkListOptions{Filters: filters})
	if err != nil {
		errs = append(errs, fmt.Errorf("list the networks of run %s: %w", run, err))
	}
	for _, item := range networks.Items {
		if _, err := cli.NetworkRemove(ctx, item.ID, client.NetworkRemoveOptions{}); err != nil && !gone(err) {
			errs = append(errs, fmt.Errorf("remove network %s: %w", item.Name, err))
		}
	}
	return errors.Join(errs...)
}

// remove thaws a paused container first: some engines cannot end a frozen one.
// One that another process is removing already is left to it.
func remove(ctx context.Context, cli *client.Client, item container.Summary) error {
	if item.State == container.StatePaused {
		_, _ = cli.ContainerUnpause(ctx, item.ID, client.ContainerUnpauseOptions{})
	}
	_, err := cli.ContainerRemove(ctx, item.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if err != nil && !gone(err) && !errdefs.IsConflict(err) {
		return fmt.Errorf("remove container %s: %w", strings.TrimPrefix(strings.Join(item.Names, ","), "/"), err)
	}
	return nil
}
