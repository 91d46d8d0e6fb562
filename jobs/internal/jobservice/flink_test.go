package jobservice

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"
)

// The options of a job show where the cluster is.
func TestNewFlink(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8081": "http://127.0.0.1:8081", "https://flink/": "https://flink", "[local]": "", "[auto]": "", "": "",
	} {
		options, err := structpb.NewStruct(map[string]any{"beam:option:flink_master:v1": address, "beam:option:parallelism:v1": -1})
		require.NoError(t, err)
		got := newFlink(&jobpb.JobInfo{JobName: "ours", PipelineOptions: options})
		if want == "" {
			require.Nil(t, got)
			continue
		}
		require.Equal(t, &flink{url: want, name: "ours", parallelism: 1}, got)
	}
}

// The status is about the job itself, not about other jobs.
func TestFlinkStatus(t *testing.T) {
	counter := func(step, name string, n byte) map[string]any {
		return map[string]any{
			"urn": "beam:metric:user:sum_int64:v1", "payload": base64.StdEncoding.EncodeToString([]byte{n}),
			"labels": map[string]string{"NAMESPACE": "us", "NAME": name, "PTRANSFORM": step},
		}
	}
	metrics, err := json.Marshal(map[string]any{"metrics": map[string]any{
		"attempted": []any{counter("a", "rows", 5), counter("b", "rows", 7), counter("a", "groups", 1)},
		"committed": []any{counter("a", "rows", 5)},
	}})
	require.NoError(t, err)
	accumulators := map[string]any{"user-task-accumulators": []any{map[string]string{"name": "__metricscontainers", "value": string(metrics)}}}
	theirs := map[string]any{"jid": "t", "name": "theirs", "state": "RUNNING", "tasks": map[string]int{"total": 3, "running": 3}}
	ours := func(tasks map[string]int) []any {
		return []any{theirs, map[string]any{"jid": "o", "name": "ours", "state": "RUNNING", "tasks": tasks}}
	}
	for _, test := range []struct {
		name string
		jobs []any
		want Status
		rows int64
	}{
		{"not submitted", []any{theirs}, Status{Waiting: "Flink to start the job"}, 0},
		{"without slots", ours(map[string]int{"total": 9, "scheduled": 9}),
			Status{Waiting: "task slots: the job needs 4, the cluster has 2, of which 1 are free"}, 0},
		{"running", ours(map[string]int{"total": 9, "running": 2, "finished": 3}), Status{Tasks: 9, Done: 3}, 12},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer, known := map[string]any{
					"/overview":            map[string]int{"slots-total": 2, "slots-available": 1},
					"/jobs/overview":       map[string]any{"jobs": test.jobs},
					"/jobs/o/accumulators": accumulators,
				}[r.URL.Path]
				if !known {
					w.WriteHeader(http.StatusNotFound)
				}
				_ = json.NewEncoder(w).Encode(answer) // a client that is gone needs none
			}))
			defer server.Close()
			got, err := (&flink{url: server.URL, name: "ours", parallelism: 4}).status(t.Context())
			require.NoError(t, err)
			require.Equal(t, test.rows, got.Sum("us", "rows"))
			got.Metrics = nil
			require.Equal(t, test.want, got)
		})
	}
}

// A cluster that does not respond results in an error soon.
func TestFlinkGone(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := (&flink{url: server.URL}).status(t.Context())
	require.EqualError(t, err, "GET "+server.URL+"/jobs/overview: 404 Not Found")
	server.Close()
	_, err = (&flink{url: server.URL}).status(context.Background())
	require.ErrorContains(t, err, "connection refused")
}

// A recognized error that comes back after a restart recurs; other errors, and errors of other
// jobs, do not.
func TestFlinkRecurring(t *testing.T) {
	ours := func(text string) (string, bool) {
		_, message, found := strings.Cut(text, "ours: ")
		return message, found
	}
	for name, c := range map[string]struct {
		failures []string
		want     string
	}{
		"none":           {nil, ""},
		"once":           {[]string{"ours: bad row 3"}, ""},
		"twice":          {[]string{"b ours: bad row 3", "lost", "a ours: bad row 3"}, "a ours: bad row 3"},
		"another":        {[]string{"ours: bad row 3", "ours: bad row 4"}, ""},
		"not ours twice": {[]string{"lost", "lost"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			entries := []map[string]any{}
			for _, text := range c.failures {
				entries = append(entries, map[string]any{"exceptionName": "x", "stacktrace": text})
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer, known := map[string]any{
					"/jobs/overview":     map[string]any{"jobs": []any{map[string]any{"jid": "t", "name": "theirs"}, map[string]any{"jid": "o", "name": "ours"}}},
					"/jobs/o/exceptions": map[string]any{"exceptionHistory": map[string]any{"entries": entries}},
				}[r.URL.Path]
				if !known {
					w.WriteHeader(http.StatusNotFound)
				}
				_ = json.NewEncoder(w).Encode(answer) // a client that is gone needs none
			}))
			defer server.Close()
			got, err := (&flink{url: server.URL, name: "ours"}).recurring(t.Context(), ours)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Empty(t, (&flink{url: "http://127.0.0.1:1", name: "ours"}).awaitRecurring(ctx, ours), "when the job is closed")
}
