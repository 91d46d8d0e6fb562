package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// A workflow is what these tests look at in a file of .github/workflows.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Strategy    struct{ Matrix struct{ Step []string } }
		Steps       []step
	}
}

type step struct {
	Run, Uses string
	With      map[string]any
}

func readWorkflow(t *testing.T, name string) (w workflow) {
	text, err := os.ReadFile(".github/workflows/" + name + ".yml")
	require.NoError(t, err)
	require.NoError(t, yaml.Load(text, &w))
	return w
}

// eachStep calls f for the steps of all workflows, and of the actions that they use.
func eachStep(t *testing.T, f func(file string, s step)) {
	for _, name := range []string{"ci", "release"} {
		for _, job := range readWorkflow(t, name).Jobs {
			for _, s := range job.Steps {
				f(name, s)
			}
		}
	}
	for _, file := range []string{"action.yml", ".github/actions/setup/action.yml"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var action struct{ Runs struct{ Steps []step } }
		require.NoError(t, yaml.Load(text, &action))
		require.NotEmpty(t, action.Runs.Steps)
		for _, s := range action.Runs.Steps {
			f(file, s)
		}
	}
}

// TestWorkflowsAreAllTested: the tests below name the workflows and actions that there are.
func TestWorkflowsAreAllTested(t *testing.T) {
	for pattern, known := range map[string][]string{
		".github/workflows/*": {".github/workflows/ci.yml", ".github/workflows/release.yml"},
		".github/actions/*":   {".github/actions/setup"},
	} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.Equal(t, known, found)
	}
}

var usesPattern = regexp.MustCompile(`uses: ([\w/.-]+)@(\S+)(.*)`)

// TestActionsArePinned: a tag can be moved to other code, a hash cannot. Each action has one hash, also in the docs.
func TestActionsArePinned(t *testing.T) {
	pins := map[string]string{}
	for _, file := range []string{".github/workflows/ci.yml", ".github/workflows/release.yml", ".github/actions/setup/action.yml", "action.yml", "docs/operations.md"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, use := range usesPattern.FindAllStringSubmatch(string(text), -1) {
			if use[1] == "beameval/beameval" {
				continue
			}
			require.Regexp(t, `^[0-9a-f]{40}$`, use[2], "%s: %s", file, use[0])
			require.Regexp(t, `^ # v\d+\.\d+\.\d+$`, use[3], "%s: %s", file, use[0])
			if pin, ok := pins[use[1]]; ok {
				require.Equal(t, pin, use[2]+use[3], "%s: %s", file, use[1])
			}
			pins[use[1]] = use[2] + use[3]
		}
	}
	require.Greater(t, len(pins), 6)
}

var expression = regexp.MustCompile(`\$\{\{.*?\}\}`)

// TestWorkflowsOnlyCallMake: what a workflow runs can be run, and is tested, on any machine. Code of others that a job
// runs finds no credentials in the files of the repository.
func TestWorkflowsOnlyCallMake(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	var targets []string
	for _, rule := range regexp.MustCompile(`(?m)^([\w -]+):($|[^=])`).FindAllStringSubmatch(string(makefile), -1) {
		targets = append(targets, strings.Fields(rule[1])...)
	}
	eachStep(t, func(file string, s step) {
		switch command, arguments, _ := strings.Cut(s.Run, " "); {
		case strings.HasPrefix(s.Uses, "actions/checkout@"):
			require.Equal(t, false, s.With["persist-credentials"], file)
		case s.Run == "" || file == "action.yml": // whose scripts have tests of their own
		default:
			require.Equal(t, "make", command, "%s runs %s", file, s.Run)
			for _, word := range strings.Fields(expression.ReplaceAllString(arguments, "compile")) { // steps of CI are tested below
				if !strings.Contains(word, "=") {
					require.Contains(t, targets, word, "%s runs %s", file, s.Run)
				}
			}
		}
	})
}

// TestCIChecksWhatLands: the steps of .ci/run are jobs on GitHub, but for those that other steps begin with.
func TestCIChecksWhatLands(t *testing.T) {
	script, err := os.ReadFile(".ci/run")
	require.NoError(t, err)
	var lanes []string
	for _, lane := range regexp.MustCompile(`(?m)^lane ([\w -]+?)( &)?$`).FindAllStringSubmatch(string(script), -1) {
		lanes = append(lanes, strings.Fields(lane[1])...)
	}
	jobs := readWorkflow(t, "ci").Jobs["check"].Strategy.Matrix.Step
	require.ElementsMatch(t, lanes, append([]string{"compile", "worker", "demo"}, jobs...))
}

// TestWorkflowsMayDoLittle: a job may read the repository, and nothing else but what is here.
func TestWorkflowsMayDoLittle(t *testing.T) {
	more := map[string]map[string]string{
		"release draft":   {"contents": "write", "id-token": "write", "attestations": "write"},
		"release index":   {"id-token": "write"},
		"release image":   {"contents": "read", "packages": "write", "id-token": "write", "attestations": "write"},
		"release publish": {"contents": "write"},
	}
	for _, name := range []string{"ci", "release"} {
		w := readWorkflow(t, name)
		require.Equal(t, map[string]string{"contents": "read"}, w.Permissions, name)
		require.NotEmpty(t, w.Jobs)
		for job, is := range w.Jobs {
			require.Equal(t, more[name+" "+job], is.Permissions, "%s %s", name, job)
		}
	}
}

// TestSetupHasTheGoOfTheModule: workflows build with the newest patch of the version that go.mod names.
func TestSetupHasTheGoOfTheModule(t *testing.T) {
	module, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(module))
	require.NotNil(t, version)
	versions := map[string]any{}
	eachStep(t, func(file string, s step) {
		if strings.HasPrefix(s.Uses, "actions/setup-go@") {
			versions[file] = s.With["go-version"]
		}
	})
	require.Equal(t, map[string]any{".github/actions/setup/action.yml": version[1]}, versions)
}

// A form is an issue form as GitHub takes it; the tests know the fields that ours have.
type form struct {
	Name, Description string
	Labels            []string
	Body              []field
}

type field struct {
	Type, ID   string
	Attributes struct {
		Label, Value, Description, Placeholder, Render string
		Options                                        []string
	}
	Validations struct{ Required bool }
}

// TestIssueFormsAreWhole: GitHub shows no form with a mistake, and tells nobody.
func TestIssueFormsAreWhole(t *testing.T) {
	files, err := filepath.Glob(".github/ISSUE_TEMPLATE/*.yml")
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(file string) bool { return filepath.Base(file) == "config.yml" })
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var f form
		require.NoError(t, yaml.Load(text, &f, yaml.WithKnownFields(true)), file)
		require.NotEmpty(t, f.Name, file)
		require.NotEmpty(t, f.Description, file)
		require.True(t, slices.ContainsFunc(f.Body, func(f field) bool { return f.Validations.Required }), file)
		ids := map[string]bool{}
		for _, field := range f.Body {
			requireWhole(t, file, field)
			require.False(t, field.ID != "" && ids[field.ID], "%s: two fields %s", file, field.ID)
			ids[field.ID] = true
		}
	}
}

func requireWhole(t *testing.T, file string, f field) {
	require.Contains(t, []string{"markdown", "input", "textarea", "dropdown"}, f.Type, file)
	text := f.Type == "markdown"
	require.Equal(t, text, f.Attributes.Value != "", "%s: %+v", file, f)
	require.Equal(t, text, f.Attributes.Label == "", "%s: %+v", file, f)
	require.Equal(t, text, f.ID == "", "%s: %+v", file, f)
	require.Equal(t, f.Type == "dropdown", len(f.Attributes.Options) > 0, "%s: %+v", file, f)
}
