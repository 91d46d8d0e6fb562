package evaluate

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"
	df "google.golang.org/api/dataflow/v1b3"
)

// beamProgram is a program of Beam that knows nothing of evaluations: it runs a pipeline with the flags of
// Beam.
func beamProgram() {
	flag.Parse()
	beam.Init()
	p, s := beam.NewPipelineWithRoot()
	beam.Create(s, 1)
	if _, err := beam.Run(context.Background(), "dataflow", p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// own is the only field that evaluate adds. It says which report the job writes.
const own = "labels." + runLabel

// graphHash is the only field that differs, because the jobs run different graphs.
const graphHash = "environment.sdkPipelineOptions.options.pipelineProtoHash"

// A job is the one that Beam's SDK makes for the same flags, field by field.
func TestDataflowJobOfSDK(t *testing.T) {
	t.Parallel()
	for _, flags := range []string{
		"",
		"--machine_type=n2-standard-8 --num_workers=4 --max_num_workers=20 --autoscaling_algorithm=THROUGHPUT_BASED --number_of_worker_harness_threads=4 --disk_size_gb=50 --disk_type=pd-ssd " +
			"--worker_zone=europe-west1-b --network=n --subnetwork=s --no_use_public_ips --service_account_email=a@b --dataflow_kms_key=k --flexrs_goal=FLEXRS_COST_OPTIMIZED " +
			"--dataflow_service_options=enable_prime --experiments=shuffle_mode=service --sdk_container_image=image:1 --temp_location=gs://bucket/temp --resource_hints=min_ram=16GB",
		`--min_cpu_platform=Intel --worker_region=europe-west4 --disk_provisioned_iops=4000 --disk_provisioned_throughput_mibps=200 --cpu_profiling=gs://bucket/p --element_processing_timeout=1h ` +
			`--teardown_policy=TEARDOWN_ALWAYS --labels={"team":"search"} --sdk_harness_container_image_override=.*go_sdk.*,mirror/sdk:1`,
	} {
		c := newCloud(t)
		c.states = []string{"JOB_STATE_RUNNING"}
		c.upload("preds.parquet", people)
		ours := c.job(append(strings.Fields(flags), "--quiet", "--async", "--job_name=nightly")...)
		code, _, stderr := finish(t, ours)
		require.Zero(t, code, stderr)

		theirs := c.command()
		for _, arg := range ours.Args[1:] {
			if !strings.HasPrefix(arg, "--input=") && !strings.HasPrefix(arg, "--output=") && arg != "--quiet" {
				theirs.Args = append(theirs.Args, arg)
			}
		}
		theirs.Env = append(theirs.Env, role+"="+beamFor)
		code, _, stderr = finish(t, theirs)
		require.Zero(t, code, stderr)

		require.Len(t, c.jobs, 2)
		got, want := fields(t, c.jobs[0]), fields(t, c.jobs[1])
		require.NotEmpty(t, want["environment.workerPools.0.packages.0.sha256"])
		require.NotEmpty(t, got[own])
		require.NotEqual(t, want[graphHash], got[graphHash])
		delete(got, own)
		got[graphHash] = want[graphHash]
		require.Equal(t, want, got)
	}
}

// fields returns the text of each field of a job, by its path. Names with a time do not depend on it.
func fields(t *testing.T, job *df.Job) map[string]string {
	text, err := json.Marshal(job)
	require.NoError(t, err)
	var tree any
	require.NoError(t, json.Unmarshal(text, &tree))
	all := make(map[string]string)
	var walk func(path []string, value any)
	walk = func(path []string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, inner := range value {
				walk(append(slices.Clip(path), name), inner)
			}
		case []any:
			for i, inner := range value {
				name := fmt.Sprint(i)
				if named, ok := inner.(map[string]any); ok && named["key"] != nil { // in random order
					name = fmt.Sprint(named["key"])
				}
				walk(append(slices.Clip(path), name), inner)
			}
		default:
			all[strings.Join(path, ".")] = regexp.MustCompile(`go-\d+-\d+`).ReplaceAllString(fmt.Sprint(value), "go-N")
		}
	}
	walk(nil, tree)
	return all
}
