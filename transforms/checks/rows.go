package checks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// many is the share of rows from which what happened to them is a warning, not a note.
const many = 0.01

// ofRows returns what was found in n of the rows that were read.
func ofRows(f *Facts, n int64, format string, args ...any) *Found {
	if n == 0 {
		return nil
	}
	found := &Found{Count: n, Share: share(n, f.Counts.Read), Message: fmt.Sprintf(format, args...)}
	if found.Share >= many {
		found.Level = checks.Warning
	}
	return found
}

// share returns the share of n in all.
func share(n, all int64) float64 { return float64(n) / float64(all) }

// percent writes a share.
func percent(n, all int64) string { return fmt.Sprintf("%.3g %%", 100*share(n, all)) }

func skippedRows(f *Facts) *Found {
	n := collections.Sum(maps.Values(f.Counts.Skipped))
	return ofRows(f, n, "%s of the rows (%d of %d) were skipped: %s", percent(n, f.Counts.Read), n, f.Counts.Read, Reasons(f.Counts.Skipped))
}

// Reasons lists the reasons for which rows were skipped, with their counts.
func Reasons(skipped map[string]int64) string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		list = append(list, fmt.Sprintf("%s (%d)", reason, skipped[reason]))
	}
	return strings.Join(list, ", ")
}

// skippedFor returns the number of rows that were skipped for one of some reasons.
func skippedFor(f *Facts, reasons []string) (n int64) {
	for _, reason := range reasons {
		n += f.Counts.Skipped[reason]
	}
	return n
}

func unknownLabels(f *Facts) *Found {
	n := skippedFor(f, ingest.UnknownLabels())
	return ofRows(f, n, "%s of the rows (%d of %d) were skipped because they name a label that is not one of the %d labels: what the report says is of the others",
		percent(n, f.Counts.Read), n, f.Counts.Read, max(f.Report.NumLabels, len(f.Report.Labels)))
}

func missingScores(f *Facts) *Found {
	n := skippedFor(f, ingest.MissingScores())
	return ofRows(f, n, "%s of the rows (%d of %d) were skipped because they have no score: rows that a model cannot score are seldom a random sample of all",
		percent(n, f.Counts.Read), n, f.Counts.Read)
}

// Distinct scores that are few: at most fewScores, of at least enough examples.
const (
	fewScores = 10
	enough    = 100
)

func constantScores(f *Facts) *Found {
	s := &f.Counts.Found.Scores
	if s.Many || len(s.Distinct) != 1 || f.Report.Examples < 2 {
		return nil
	}
	return &Found{Count: f.Report.Examples, Message: fmt.Sprintf("all scores are %v: they order nothing, and say the same of each example; check that the column has the scores of the model", s.Value(0))}
}

func fewDistinctScores(f *Facts) *Found {
	s := &f.Counts.Found.Scores
	if n := len(s.Distinct); s.Many || n < 2 || n > fewScores || f.Report.Examples < enough {
		return nil
	}
	return &Found{Count: int64(len(s.Distinct)), Message: fmt.Sprintf("there are only %d distinct scores: curves and thresholds have as many steps, and ties decide what ranks; check that scores were not rounded, nor replaced by predictions", len(s.Distinct))}
}

func doNotSum(f *Facts) *Found {
	s := &f.Counts.Found.Sums
	if s.Off == 0 {
		return nil
	}
	return &Found{Count: s.Off, Share: share(s.Off, s.Rows), Message: fmt.Sprintf("the probabilities of the classes do not add up to 1 in %s of the rows (%d of %d), and differ from it by up to %.3g: log_loss, brier and ece then mean something else; check that scores are from softmax, not from a sigmoid for each class",
		percent(s.Off, s.Rows), s.Off, s.Rows, s.Most)}
}

func tunedThresholds(f *Facts) *Found {
	if text := f.Report.Thresholds.Warning(); text != "" {
		return &Found{Message: text}
	}
	return nil
}

func rowsLeftOut(f *Facts) *Found {
	if !f.Report.Omits() {
		return nil
	}
	return &Found{Count: int64(len(f.Report.Metrics)), Message: f.Report.Omission()}
}
