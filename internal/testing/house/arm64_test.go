//go:build emulator

package house_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// command returns a command with further variables of the environment.
func command(t *testing.T, environment []string, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(t.Context(), name, args...)
	c.Env = append(os.Environ(), environment...)
	return c
}

var forARM64 = []string{"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"}

// fused is an instruction that multiplies and adds and rounds once, in the compiler's listing.
var fused = regexp.MustCompile(`\(([^()]*\.go):(\d+)\)\s+FN?M(ADD|SUB)[SD]\s`)

// TestARM64RoundsTwice: the compiler joins no product and sum in code that computes numbers of
// reports, but where the code says math.FMA.
func TestARM64RoundsTwice(t *testing.T) {
	args := []string{"build", "-gcflags=" + module + "...=-S", "./internal/elementary"}
	for _, folder := range numerical {
		args = append(args, "./"+folder+"/...")
	}
	listing, err := command(t, forARM64, "go", args...).CombinedOutput()
	require.NoError(t, err, string(listing[max(0, len(listing)-2000):]))
	found := fused.FindAllSubmatch(listing, -1)
	require.NotEmpty(t, found, "no listing: elementary says math.FMA")
	for _, at := range found {
		file, line := strings.TrimPrefix(string(at[1]), module), string(at[2]) // -trimpath writes the path of the module
		if code := lineOf(t, file, line); !strings.Contains(code, "math.FMA(") {
			t.Errorf("%s:%s rounds once on arm64; write float64(x*y) for a product: %s", file, line, strings.TrimSpace(code))
		}
	}
}

func lineOf(t *testing.T, file, line string) string {
	n, err := strconv.Atoi(line)
	require.NoError(t, err)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(data))
	for range n {
		require.True(t, lines.Scan())
	}
	return lines.Text()
}

// released is where make dist puts the files for arm64.
const released = "dist/linux/arm64"

// TestARM64WritesTheSameBytes: all files of the reports of the bundled data, and of what is merged from them, are the
// same as on this machine.
func TestARM64WritesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	here, there := filepath.Join(dir, "here"), filepath.Join(released, "beameval")
	out, err := command(t, nil, "go", "build", "-o", here, "./jobs/beameval").CombinedOutput()
	require.NoError(t, err, string(out))
	configs, err := filepath.Glob("testdata/*/config.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, configs)
	for _, config := range configs {
		set := filepath.Base(filepath.Dir(config))
		t.Run(set, func(t *testing.T) {
			reports := []string{filepath.Join(dir, set, "here"), filepath.Join(dir, set, "there")}
			for i, run := range [][]string{{here}, {"qemu-aarch64-static", there}} {
				args := append(run[1:], "evaluate", "--quiet", "--config", config, "--output", reports[i], "--set", "confidence={}", "--set", "output.statistics=true")
				out, err := command(t, nil, run[0], args...).CombinedOutput()
				require.NoError(t, err, string(out))
				out, err = command(t, nil, run[0], append(run[1:], "merge", "--quiet", reports[i], "--output", reports[i]+" merged")...).CombinedOutput()
				require.NoError(t, err, string(out))
			}
			for _, of := range []string{"", " merged"} {
				want, got := files(t, reports[0]+of), files(t, reports[1]+of)
				require.Len(t, got, len(want))
				for name := range want {
					require.True(t, name == "run.json" || want[name] == got[name], "%s%s differs", name, of)
				}
			}
		})
	}
}

// files returns the contents of the files of a report, by name.
func files(t *testing.T, dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	contents := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		contents[e.Name()] = string(data)
	}
	return contents
}
