package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
)

// TestFirstBadRow: of several bad rows, the message names the first by file, row group and row, in
// every run and whatever the order of files and rows.
func TestFirstBadRow(t *testing.T) {
	t.Parallel()
	table := func(header string, row func(file, group, row int) string) func(file int) string {
		return func(file int) string {
			var b strings.Builder
			b.WriteString(header)
			for group := range 6 {
				for r := range 5 {
					b.WriteString("\n" + row(file, group, r))
				}
				b.WriteString("\n---")
			}
			return b.String()
		}
	}
	// From row group 2 on, every other row of b.parquet is bad; all rows of c.parquet are.
	bad := func(file, group, row int) bool { return file == 2 || file == 1 && group >= 2 && row%2 == 1 }
	for name, s := range map[string]struct {
		config string
		table  func(file int) string
		want   string
	}{
		"examples": {"", table("label:int64 score:double", func(file, group, row int) string {
			if bad(file, group, row) {
				return fmt.Sprintf("1 %d", 10*group+row)
			}
			return "1 0.5"
		}), `column "score": 21: expected a probability`},
		"items of queries, shuffled": {"task: ranking", table("qid:int64 doc_id:int64 relevance:double score:double", func(file, group, row int) string {
			relevance := 1
			if bad(file, group, row) {
				relevance = -10*group - row
			}
			return fmt.Sprintf("%d %d %d 0.5", (group*5+row)*7%11, 1000*file+10*group+row, relevance)
		}), `column "relevance": -21: expected a relevance of 0 or more`},
	} {
		dir := t.TempDir()
		for i, file := range []string{"a", "b", "c"} {
			writeTable(t, dir+"/"+file+".parquet", s.table(i))
		}
		config := []string{"--quiet", "--output", "out"}
		if s.config != "" {
			text("eval.yaml", s.config)(t, dir)
			config = append(config, "--config", "eval.yaml")
		}
		for _, inputs := range []string{"a.parquet,b.parquet,c.parquet", "c.parquet,b.parquet,a.parquet"} {
			for _, runner := range []string{"prism", "direct"} {
				code, _, stderr := call{dir, t.TempDir(), append(config, "--runner", runner, "--input", inputs)}.run(t)
				require.Equal(t, command.Failed, code, name)
				stderr = strings.TrimPrefix(stderr, warningOfPrism+"\n")
				require.True(t, strings.HasPrefix(stderr, "evaluate: b.parquet: row group 2, row 1: "+s.want), "%s: %s", name, stderr)
			}
		}
	}
}
