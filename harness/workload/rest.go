package workload

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Connect is a Connect worker that orders are given to. It passes them on to the
// leader of its group.
type Connect struct {
	URL    string       // such as http://127.0.0.1:40083
	Client *http.Client // http.DefaultClient if nil
}

// errAgain is what a worker answers while it cannot say: asked again it may.
var errAgain = errors.New("the workers are rebalancing, or not up yet")

// errAnswered is what a worker answers once and for all.
var errAnswered = errors.New("the worker refused")

// Put makes a connector, or gives it another configuration. While the workers
// rebalance it asks again, until ctx ends.
func (c Connect) Put(ctx context.Context, name string, config map[string]string) error {
	return c.order(ctx, http.MethodPut, "/connectors/"+url.PathEscape(name)+"/config", config)
}

// Delete ends a connector.
func (c Connect) Delete(ctx context.Context, name string) error {
	return c.order(ctx, http.MethodDelete, "/connectors/"+url.PathEscape(name), nil)
}

func (c Connect) order(ctx context.Context, method, path string, body any) error {
	for {
		err := c.ask(ctx, method, path, body)
		if !errors.Is(err, errAgain) {
			return err
		}
		if !pause(ctx, soonest) {
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}

// restBound is how long one order may take: the leader gives it to its group in
// turn.
const restBound = 30 * time.Second

func (c Connect) ask(ctx context.Context, method, path string, body any) error {
	ctx, cancel := context.WithTimeout(ctx, restBound)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	client := cmp.Or(c.Client, http.DefaultClient)
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer response.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(response.Body, 200))
	switch code := response.StatusCode; {
	case code < 300:
		return nil
	case code == http.StatusConflict, code >= 500:
		return fmt.Errorf("%s %s: %w: %d %s", method, path, errAgain, code, said)
	default:
		return fmt.Errorf("%s %s: %w: %d %s", method, path, errAnswered, code, said)
	}
}

// FileSource is the configuration of a connector that sends each line of a file
// to a topic. It has one task.
func FileSource(name, path, topic string) map[string]string {
	return map[string]string{"name": name, "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
		"tasks.max": "1", "file": path, "topic": topic}
}

// FileSink is the configuration of a connector that writes each record of a topic
// to a line of a file, on whichever worker runs the task.
func FileSink(name, path, topic string, tasks int) map[string]string {
	return map[string]string{"name": name, "connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
		"tasks.max": strconv.Itoa(tasks), "file": path, "topics": topic}
}
