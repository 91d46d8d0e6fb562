package house_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const notice = "NOTICE"

// programs are what a release has, and platforms what it is built for: modules differ.
var (
	programs  = []string{"./jobs/beameval", "github.com/apache/beam/sdks/v2/go/container"}
	platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}
)

// legal are the files of a module that whoever passes it on must pass on, too.
var legal = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents|ftl)([-.].*)?$`)

// refused is the text of a licence that a module offers as an alternative, and beameval does not choose.
const refused = "gpl.txt"

// chosen says which licence was chosen of several, and names authors whose licence wants it.
var chosen = map[string]string{
	"github.com/golang/freetype": "beameval takes it under the FreeType License, not under the GNU General Public License.",
	"github.com/ajstarks/svgo":   "SVGo by Anthony Starks, unchanged, under the Creative Commons Attribution 4.0 International License.",
}

// TestNotice: NOTICE has the texts of the licences of everything that is linked.
func TestNotice(t *testing.T) {
	want := noticeText(t)
	if *update {
		require.NoError(t, os.WriteFile(notice, want, 0o644))
	}
	got, err := os.ReadFile(notice)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), "NOTICE is not that of the linked modules: go test ./internal/testing/house -run TestNotice -update writes it")
}

// linked is a package of a module that is linked.
type linked struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// noticeText lists the modules, and then each text once, with the modules whose it is.
func noticeText(t *testing.T) []byte {
	texts := map[string][]string{} // the modules by text
	modules := map[string]bool{}
	add := func(module, file string) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		text := strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n"))
		if !slices.Contains(texts[text], module) {
			texts[text] = append(texts[text], module)
		}
		modules[module] = true
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	add("Go's standard library", filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	for _, p := range linkedPackages(t) {
		for _, file := range legalFiles(t, p) {
			add(p.Module.Path+" "+p.Module.Version, file)
		}
		require.Contains(t, modules, p.Module.Path+" "+p.Module.Version, "no licence in %s", p.Module.Dir)
	}
	var b bytes.Buffer
	b.WriteString("beameval\nCopyright 2026 the authors of beameval\n\nIts programs link the modules below, under the licences that follow.\n\n")
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		b.WriteString("  " + module + "\n")
		path, _, _ := strings.Cut(module, " ")
		if choice := chosen[path]; choice != "" {
			b.WriteString("    " + choice + "\n")
		}
	}
	var parts []string
	for text, of := range texts {
		slices.Sort(of)
		parts = append(parts, fmt.Sprintf("\n%s\n%s\n\n%s\n", strings.Repeat("-", 80), strings.Join(of, "\n"), text))
	}
	slices.Sort(parts)
	b.WriteString(strings.Join(parts, ""))
	return b.Bytes()
}

// linkedPackages returns the packages of other modules that programs link on some platform.
func linkedPackages(t *testing.T) (list []linked) {
	for _, platform := range platforms {
		system, processor, _ := strings.Cut(platform, "/")
		c := exec.Command("go", append([]string{"list", "-deps", "-tags", "disable_grpc_modules", "-json=Dir,Module"}, programs...)...)
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
		c.Stderr = os.Stderr
		out, err := c.Output()
		require.NoError(t, err)
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			var p linked
			err := decoder.Decode(&p)
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			if p.Module != nil && !p.Module.Main {
				list = append(list, p)
			}
		}
	}
	return list
}

// legalFiles returns those beside a package and above it, up to its module, and in the folders
// that modules have for them.
func legalFiles(t *testing.T, p linked) (files []string) {
	look := func(dir string, all bool) {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			if e.Type().IsRegular() && filepath.Ext(e.Name()) != ".go" && e.Name() != refused && (all || legal.MatchString(e.Name())) {
				files = append(files, filepath.Join(dir, e.Name()))
			}
		}
	}
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		look(dir, false)
		if dir == p.Module.Dir {
			break
		}
	}
	if _, err := os.Stat(filepath.Join(p.Module.Dir, "licenses")); err == nil {
		look(filepath.Join(p.Module.Dir, "licenses"), true)
	}
	return files
}
