package witness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// Connectors lists the connectors that a worker knows, in order.
func (c *Connect) Connectors(ctx context.Context, worker topology.Node) ([]string, error) {
	var names []string
	err := c.call(ctx, worker, http.MethodGet, "/connectors", nil, &names)
	slices.Sort(names)
	return names, err
}

// statusAnswer is the answer to GET /connectors/NAME/status.
type statusAnswer struct {
	Name      string    `json:"name"`
	Kind      string    `json:"type"`
	Connector runAnswer `json:"connector"`
	Tasks     []struct {
		ID int `json:"id"`
		runAnswer
	} `json:"tasks"`
}

type runAnswer struct {
	State  string `json:"state"`
	Worker string `json:"worker_id"`
	Trace  string `json:"trace"`
}

// Connector reads the status of a connector and its tasks; absent is a value.
// Workers before 0.10.0.0 do not tell: ErrUnsupported.
func (c *Connect) Connector(ctx context.Context, worker topology.Node, name string) (state.ConnectorView, error) {
	if err := c.since("0.10.0.0", "status of connectors"); err != nil {
		return state.ConnectorView{}, err
	}
	var told statusAnswer
	err := c.call(ctx, worker, http.MethodGet, connectorPath(name, "/status"), nil, &told)
	view := state.ConnectorView{Source: by(worker), Name: name}
	switch {
	case errors.Is(err, ErrNotFound):
		return view, nil
	case err != nil:
		return state.ConnectorView{}, err
	case told.Name != name || told.Connector.State == "":
		return state.ConnectorView{}, fmt.Errorf("read the status of connector %s at %v: the answer is of %q in state %q",
			name, worker, told.Name, told.Connector.State)
	}
	view.Present, view.Kind = true, told.Kind
	view.State, view.Worker, view.Trace = told.Connector.State, told.Connector.Worker, told.Connector.Trace
	for _, task := range told.Tasks {
		view.Tasks = append(view.Tasks, state.TaskView{
			ID:    state.TaskID{Connector: name, Task: task.ID},
			State: task.State, Worker: task.Worker, Trace: task.Trace,
		})
	}
	return view, nil
}

func (c *Connect) since(release, what string) error {
	if c.version.IsZero() || c.version.AtLeast(release) {
		return nil
	}
	return fmt.Errorf("%w: %s came with %s, the workers run %v", ErrUnsupported, what, release, c.version)
}

// Tasks lists the tasks that a connector is configured to have, by its leader's
// last word; ErrNotFound if there is no such connector.
func (c *Connect) Tasks(ctx context.Context, worker topology.Node, name string) ([]state.TaskID, error) {
	var told struct {
		Tasks []struct {
			Connector string `json:"connector"`
			Task      int    `json:"task"`
		} `json:"tasks"`
	}
	if err := c.call(ctx, worker, http.MethodGet, connectorPath(name, ""), nil, &told); err != nil {
		return nil, err
	}
	var tasks []state.TaskID
	for _, task := range told.Tasks {
		tasks = append(tasks, state.TaskID{Connector: task.Connector, Task: task.Task})
	}
	return tasks, nil
}

// Config reads the configuration of a connector; ErrNotFound if there is none.
func (c *Connect) Config(ctx context.Context, worker topology.Node, name string) (map[string]string, error) {
	var config map[string]string
	err := c.call(ctx, worker, http.MethodGet, connectorPath(name, "/config"), nil, &config)
	return config, err
}

// SetConfig makes a connector or replaces its configuration.
func (c *Connect) SetConfig(ctx context.Context, worker topology.Node, name string, config map[string]string) error {
	return c.call(ctx, worker, http.MethodPut, connectorPath(name, "/config"), config, nil)
}

// Delete removes a connector; ErrNotFound if there is none.
func (c *Connect) Delete(ctx context.Context, worker topology.Node, name string) error {
	return c.call(ctx, worker, http.MethodDelete, connectorPath(name, ""), nil, nil)
}

// Restart restarts a connector, not its tasks, and returns when the worker
// says that it was done.
func (c *Connect) Restart(ctx context.Context, worker topology.Node, name string) error {
	if err := c.since("0.10.0.0", "restart of connectors"); err != nil {
		return err
	}
	return c.call(ctx, worker, http.MethodPost, connectorPath(name, "/restart"), nil, nil)
}

// RestartTask restarts one task and returns when the worker says that it was
// done.
func (c *Connect) RestartTask(ctx context.Context, worker topology.Node, task state.TaskID) error {
	if err := c.since("0.10.0.0", "restart of tasks"); err != nil {
		return err
	}
	path := fmt.Sprintf("/tasks/%d/restart", task.Task)
	return c.call(ctx, worker, http.MethodPost, connectorPath(task.Connector, path), nil, nil)
}
