package monitor_test

import (
	"bytes"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report/document"
)

// few has one night, which the burn-in takes.
func few() *monitor.Monitor {
	nights := nightsOf(1, -1)
	s := series(nights, "roc_auc", nil, nil, 1, 99, 0)
	s.Reason = "burn-in: 1 of 14 nights"
	return &monitor.Monitor{Task: "binary", Metrics: []string{"roc_auc"}, NightsToFalseAlarm: 365, BurnIn: 14, Nights: nights, Series: []monitor.Series{s}}
}

// each has values that are hard to write, one value without a monitor, and one monitor of each kind.
func each() *monitor.Each {
	e := &monitor.Each{Key: "model", NightsToFalseAlarm: 365, Skipped: []monitor.Skipped{{Report: "reports/dt=2026-11-19", Reason: "its path has no value of model, such as model=a"}}}
	for _, one := range []struct {
		value string
		m     *monitor.Monitor
	}{{"../A b", few()}, {"a", decay()}, {"broken", nil}, {"caf\xe9/<b>", hostile()}, {"empty", monitors["nothing"]()}, {"模型-7", monitors["calm"]()}} {
		if one.m == nil {
			e.LeaveOut(one.value, errors.New("none of 3 reports can be read"))
		} else {
			e.Add(one.value, one.m)
		}
	}
	return e
}

// pages are the links of the index.
var pages = []string{"model=..~2FA~20b/monitor.html", "model=a/monitor.html", "model=caf~E9~2F~3Cb~3E/monitor.html", "model=empty/monitor.html", "model=%E6%A8%A1%E5%9E%8B-7/monitor.html"}

func TestGoldenEach(t *testing.T) {
	f := &reporttest.Files{}
	require.NoError(t, monitor.WriteEach(each(), f.Create))
	require.Equal(t, monitor.EachJSON, f.Created[len(f.Created)-1])
	folders := map[string]int{}
	for _, name := range f.Created {
		folders[filepath.Dir(name)]++
	}
	require.Equal(t, map[string]int{".": 3, "model=..~2FA~20b": 6, "model=a": 6, "model=caf~E9~2F~3Cb~3E": 6, "model=empty": 6, "model=模型-7": 6}, folders)
	page := reporttest.CheckPage(t, f.Bytes(monitor.EachHTML), pages...)
	for _, to := range pages {
		require.Contains(t, string(f.Bytes(monitor.EachHTML)), `<a href="`+to+`">`)
	}
	require.Len(t, slices.Collect(linksOf(page)), len(pages), "each monitor has a link")
	for _, file := range []string{monitor.EachJSON, monitor.EachHTML, monitor.Summary} {
		reporttest.Golden(t, filepath.Join("each", file), f.Bytes(file))
	}
	reporttest.RequireWidth(t, 80, string(f.Bytes(monitor.Summary)))

	alone := write(t, decay())
	for _, name := range alone.Created {
		require.Equal(t, string(alone.Bytes(name)), string(f.Bytes("model=a/"+name)), "the files of a monitor are those that it has alone")
	}

	read, err := monitor.ReadEach(f.Bytes(monitor.EachJSON))
	require.NoError(t, err)
	var again, document bytes.Buffer
	require.NoError(t, read.WritePage(&again))
	require.Equal(t, string(f.Bytes(monitor.EachHTML)), again.String(), "the page of the file that was read")
	require.NoError(t, read.WriteJSON(&document))
	require.Equal(t, string(f.Bytes(monitor.EachJSON)), document.String())
}

// linksOf yields the links to other pages.
func linksOf(root *html.Node) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := range root.Descendants() {
			for _, a := range n.Attr {
				if a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !yield(a.Val) {
					return
				}
			}
		}
	}
}

// TestFolders: each file system takes the names, and no two are the same for one that ignores capitals.
func TestFolders(t *testing.T) {
	e := &monitor.Each{Key: "m/n"}
	long := strings.Repeat("模", 200)
	for _, value := range []string{"A", "a", "a.", "b~1", "con", "index.html", "line\nbreak", "*?[x]", long, long + "y", "c:\\d"} {
		e.Add(value, few())
	}
	var folders []string
	for _, p := range e.Parts {
		require.Less(t, len(p.Folder), 200)
		folders = append(folders, p.Folder)
	}
	require.Equal(t, []string{"m~2Fn=A", "m~2Fn=a~~ca978112", "m~2Fn=a~2E", "m~2Fn=b~7E1", "m~2Fn=con", "m~2Fn=index.html", "m~2Fn=line~0Abreak", "m~2Fn=~2A~3F~5Bx~5D"}, folders[:8])
	require.Regexp(t, `^m~2Fn=模+~~[0-9a-f]{8}$`, folders[8])
	require.Regexp(t, `^m~2Fn=模+~~[0-9a-f]{8}$`, folders[9])
	require.Equal(t, "m~2Fn=c~3A~5Cd", folders[10])
	lower := strings.Split(strings.ToLower(strings.Join(folders, "\n")), "\n")
	slices.Sort(lower)
	require.Len(t, slices.Compact(lower), len(folders))
	f := &reporttest.Files{}
	require.NoError(t, monitor.WriteEach(e, f.Create))
}

// TestManyOnAScreen: a screen shows those with alarms first, and says how many it leaves out.
func TestManyOnAScreen(t *testing.T) {
	e := &monitor.Each{Key: "model", NightsToFalseAlarm: 365}
	for i := range 30 {
		e.Add(string(rune('a'+i)), few())
	}
	e.Add("z", decay())
	var b bytes.Buffer
	require.NoError(t, e.Print(&b, document.Screen{}))
	lines := strings.Split(b.String(), "\n")
	require.Equal(t, "model: 4 alarms in 1 of 31 monitors", lines[0])
	require.Regexp(t, `^ z +4 alarms `, lines[3])
	require.Contains(t, b.String(), "and 11 more, see index.html")
}

func TestReadEachRefuses(t *testing.T) {
	f := &reporttest.Files{}
	require.NoError(t, monitor.WriteEach(each(), f.Create))
	whole := string(f.Bytes(monitor.EachJSON))
	for _, c := range []struct{ old, text, want string }{
		{"beameval.monitors/v1", "v2", `monitor: the schema is "v2", not "beameval.monitors/v1": monitor again`},
		{`"nights":1,`, `"nights":"1",`, "nights"},
		{`"folder":"model=a"`, `"folder":"../a"`, `monitor 2: folder "../a": expected the name of a folder`},
		{"{", "[", "monitor: "},
	} {
		require.Contains(t, whole, c.old)
		_, err := monitor.ReadEach([]byte(strings.Replace(whole, c.old, c.text, 1)))
		require.ErrorContains(t, err, c.want, c.text)
	}
	reporttest.RequireShortMessages(t, []byte(whole), func(data []byte) error { _, err := monitor.ReadEach(data); return err })
	_, err := monitor.ReadEach(f.Bytes("model=a/" + monitor.JSON))
	require.ErrorContains(t, err, "beameval.monitor/v1")
}
