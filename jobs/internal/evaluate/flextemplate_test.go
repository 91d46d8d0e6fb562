package evaluate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// flagsOfGcloud are the flags in the reference of gcloud, for its two commands in docs/dataflow.md.
var flagsOfGcloud = map[string]string{
	"build": `additional-experiments additional-user-labels cloud-build-service-account dataflow-kms-key disable-public-ips enable-streaming-engine env
		flex-template-base-image gcs-log-dir go-binary-path image image-gcr-path image-repository-cert-path image-repository-password-secret-id
		image-repository-username-secret-id jar max-workers metadata-file network num-workers print-only project py-path sdk-language service-account-email
		staging-location subnetwork temp-location worker-machine-type worker-region worker-zone yaml-image yaml-pipeline-path`,
	"run": `additional-experiments additional-pipeline-options additional-user-labels dataflow-kms-key disable-public-ips enable-streaming-engine
		enable-turnkey-alerts flexrs-goal launcher-machine-type launcher-vm-timeout-secs max-workers network num-workers parameters project region service-account-email staging-location
		subnetwork temp-location template-file-gcs-location transform-name-mappings update worker-machine-type worker-region worker-zone`,
}

// The commands for a Flex Template have flags that gcloud documents. What they build and run is a program
// that takes the parameters, with the flags that Google's launcher adds, and makes a job of them.
func TestFlexTemplate(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../../docs/dataflow.md")
	require.NoError(t, err)
	given := make(map[string]map[string]string) // by command
	for _, line := range strings.Split(strings.ReplaceAll(string(docs), "\\\n", " "), "\n") {
		words := strings.Fields(line)
		if len(words) < 4 || strings.Join(words[:3], " ") != "gcloud dataflow flex-template" {
			continue
		}
		known := strings.Fields(flagsOfGcloud[words[3]])
		require.NotEmpty(t, known, line)
		values := make(map[string]string)
		for i, word := range words {
			if name, ok := strings.CutPrefix(word, "--"); ok {
				require.Contains(t, known, name, line)
				values[name] = words[i+1]
			}
		}
		given[words[3]] = values
	}
	build, run := given["build"], given["run"]
	require.Equal(t, "GO", build["sdk-language"])
	require.Equal(t, "GO", build["flex-template-base-image"])
	require.Equal(t, "FLEX_TEMPLATE_GO_BINARY="+filepath.Base(build["go-binary-path"]), build["env"], "gcloud puts it into /template")
	require.Contains(t, string(docs), "go build -tags disable_grpc_modules -trimpath -ldflags '-s -w' -o "+build["go-binary-path"]+" ./jobs/evaluate")

	c := newCloud(t)
	c.upload("preds.parquet", people)
	args := []string{"--runner=DataflowRunner", "--job_name=evaluate-1", "--template_location=gs://bucket/staging/template_launches/1/job_object",
		"--project=project", "--region=region", "--staging_location=gs://bucket/staging", "--temp_location=gs://bucket/tmp", "--dataflow_endpoint=" + c.url + "/",
		"--worker_binary=" + thisBinary(t)}
	_, text, _ := strings.Cut(string(docs), "```json\n")
	text, _, _ = strings.Cut(text, "```")
	var metadata struct{ Parameters []struct{ Name string } }
	require.NoError(t, json.Unmarshal([]byte(text), &metadata))
	values := map[string]string{"input": "gs://bucket/preds.parquet", "output": "gs://bucket/report", "task": "binary", "set": "slices=[[country]]"}
	require.Len(t, metadata.Parameters, len(values))
	for _, p := range metadata.Parameters {
		require.NotEmpty(t, values[p.Name], p.Name)
		args = append(args, "--"+p.Name+"="+values[p.Name])
	}
	for _, given := range regexp.MustCompile(`(?:^|,)(\w+)=`).FindAllStringSubmatch(run["parameters"], -1) {
		require.NotEmpty(t, values[given[1]], given[1])
	}
	code, stdout, stderr := finish(t, c.command(args...))
	require.Zero(t, code, stderr)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "the template is in gs://bucket/staging/template_launches/1/job_object, and nothing was submitted")
	require.Empty(t, c.jobs)
	require.Contains(t, string(c.content("staging/template_launches/1/job_object")), `"name":"evaluate-1"`)
}
