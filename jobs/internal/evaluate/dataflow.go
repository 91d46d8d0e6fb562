package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	"golang.org/x/oauth2/google"
	df "google.golang.org/api/dataflow/v1b3"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/pipeline"
)

// A job for Dataflow is checked before anything is uploaded: first what only this program knows,
// then everything that the dry run of Beam checks.

// checkDataflow validates flags without looking at the input.
func checkDataflow(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %v", patience))
	defer cancel()
	var problems []error
	refuse := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	project, err := checkCredentials(ctx)
	if err != nil {
		problems = append(problems, err)
	}
	if *gcpopts.Project == "" {
		*gcpopts.Project = project
	}
	*gcpopts.Region = gcpopts.GetRegion(ctx)
	if *gcpopts.Project == "" {
		refuse("runner dataflow needs --project: set it to the Google Cloud project that pays for the job")
	}
	if *gcpopts.Region == "" {
		refuse("runner dataflow needs --region: set it to where the data is, for example europe-west1")
	}
	for _, name := range []string{"staging_location", "temp_location", "template_location", "cpu_profiling"} {
		place := flag.Lookup(name).Value.String()
		if place != "" && !legalPlace.MatchString(place) {
			refuse("--%s: %q is no place in Cloud Storage: set it to gs://bucket/path", name, place)
		}
	}
	if name := *jobopts.JobName; name != "" && !legalJobName.MatchString(name) {
		refuse("--job_name: %q: expected lower-case letters, digits and '-', beginning with a letter and not ending with '-'", name)
	}
	if environment := *jobopts.EnvironmentType; environment != "" && !strings.EqualFold(environment, "docker") {
		refuse("--environment_type: Dataflow runs workers in containers, not as %s: leave it out", environment)
	}
	if flag.Lookup("update").Value.String() == "true" {
		refuse("--update is for streaming jobs, and an evaluation is none: leave it out")
	}
	for _, override := range jobopts.SdkHarnessContainerImageOverrides {
		if !strings.Contains(override, ",") {
			refuse("--sdk_harness_container_image_override: %q: expected a pattern and an image, separated by a comma", override)
		}
	}
	if err := checkLabels(flag.Lookup("labels").Value.String()); err != nil {
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// patience limits the time for obtaining a token from credentials, and for gcloud to name a region.
const patience = 30 * time.Second

// checkCredentials returns the project of the default credentials, which may be "", or an error if
// they do not work: later, each of many requests would wait for a token. A dry run needs no
// credentials, and fails only if there are some that do not work.
func checkCredentials(ctx context.Context) (project string, err error) {
	type answer struct {
		project string
		err     error
	}
	answers := make(chan answer, 1)
	go func() { // may take longer than the context allows
		found, err := google.FindDefaultCredentials(ctx, df.CloudPlatformScope)
		if err != nil && dryRun() {
			answers <- answer{}
			return
		}
		if err != nil {
			answers <- answer{err: err}
			return
		}
		_, err = found.TokenSource.Token()
		answers <- answer{found.ProjectID, err}
	}()
	var a answer
	select {
	case a = <-answers:
	case <-ctx.Done():
		a.err = fmt.Errorf("%w; check the network", context.Cause(ctx))
	}
	if a.err != nil {
		return "", fmt.Errorf("the credentials give no token: %w; %s", a.err, toAuthenticate)
	}
	return a.project, nil
}

const toAuthenticate = "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account's key"

// Google Cloud's rules for names. The lengths of labels are checked separately: a regular
// expression that counts letters of every alphabet takes 8 ms and 8 MB to compile, at the start of
// each process.
var (
	legalPlace      = regexp.MustCompile(`^gs://[^/]+(/|$)`)
	legalJobName    = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	legalLabelKey   = regexp.MustCompile(`^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]*$`)
	legalLabelValue = regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}_-]*$`)
)

const longestLabel = 63 // letters in a key or a value

func checkLabels(text string) error {
	labels, err := parseLabels(text)
	if err != nil {
		return fmt.Errorf(`--labels: %q: %w; expected JSON such as {"team": "search"}`, text, err)
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		value := labels[key]
		if max(utf8.RuneCountInString(key), utf8.RuneCountInString(value)) > longestLabel ||
			!legalLabelKey.MatchString(key) || !legalLabelValue.MatchString(value) {
			return fmt.Errorf("--labels: %q: %q: expected at most %d lower-case letters, digits, '_' and '-' each, and a letter first in %[1]q", key, value, longestLabel)
		}
	}
	return nil
}

func parseLabels(text string) (map[string]string, error) {
	labels := make(map[string]string)
	if text == "" {
		return labels, nil
	}
	err := json.Unmarshal([]byte(text), &labels)
	return labels, err
}

// prepareDataflow sets the name and labels of the job of a plan, or returns what is wrong with the
// plan.
func prepareDataflow(ctx context.Context, plan *pipeline.Plan) error {
	if err := onlyRemote(plan); err != nil {
		return err
	}
	// Beam creates a missing bucket, and uploads files before it may turn out that the account
	// lacks permission.
	staging := flag.Lookup("staging_location").Value.String()
	if err := files.CheckOutput(ctx, files.Join(staging, plan.ID)); err != nil {
		return fmt.Errorf("--staging_location: %w", err)
	}
	if *jobopts.JobName == "" {
		*jobopts.JobName = jobName(plan)
	}
	given := flag.Lookup("labels").Value
	labels, err := parseLabels(given.String())
	if err != nil {
		return err
	}
	labels[runLabel] = strings.ToLower(plan.ID)
	all, err := json.Marshal(labels)
	if err != nil {
		return err
	}
	return given.Set(string(all))
}

// onlyRemote returns an error if a file that workers read or write is on this machine.
func onlyRemote(plan *pipeline.Plan) error {
	var problems []error
	refuse := func(name, advice string) {
		problems = append(problems, fmt.Errorf("%s is on local disk, which Dataflow's workers do not have: %s", name, advice))
	}
	if i := slices.IndexFunc(plan.Files, files.Local); i >= 0 {
		refuse("input "+plan.Files[i], "copy the files to gs://bucket/… and evaluate them there")
	}
	if name := plan.LabelsFile(); name != "" && files.Local(name) {
		refuse("labels_file "+name, "copy it to gs://bucket/… and name it there, as it is too large to be sent with the job")
	}
	if files.Local(plan.Output()) {
		refuse("output "+plan.Output(), "set --output to gs://bucket/…")
	}
	return errors.Join(problems...)
}

// runLabel is the label of a job that holds the id in run.json.
const runLabel = "beameval_run"

// jobName returns a unique name that shows which report the job writes.
func jobName(plan *pipeline.Plan) string {
	words := notInNames.Split(strings.ToLower(plan.Output()), -1)
	of := strings.Join(words[min(len(words), 2):], "-") // without gs and the bucket
	name := "beameval-" + of[max(0, len(of)-40):] + "-" + strings.ToLower(plan.ID[:8])
	return notInNames.ReplaceAllString(name, "-")
}

var notInNames = regexp.MustCompile("[^a-z0-9]+")

// draftDataflow returns the job that Beam would submit, as JSON, or Beam's objections to it. It
// makes no requests: in a dry run, Beam makes some only to warn about costs, and with a context,
// which is cancelled here.
func draftDataflow(p *beam.Pipeline) (job string, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dry := flag.Lookup("dry_run").Value
	defer dry.Set(dry.String())
	if err := dry.Set("true"); err != nil {
		return "", err
	}
	var draft lastMessage
	log.SetLogger(&draft)
	defer quietLogs()
	defer func() {
		if r := recover(); r != nil { // Beam rejects some flags by a panic
			err = fmt.Errorf("%v", r)
		}
	}()
	if _, err := dataflow.Execute(ctx, p); err != nil {
		return "", errors.New(story(err.Error()))
	}
	return draft.text, nil
}

// lastMessage is a logger that keeps the last message, which in a dry run is the job.
type lastMessage struct{ text string }

func (l *lastMessage) Log(_ context.Context, _ log.Severity, _ int, message string) {
	l.text = message
}
