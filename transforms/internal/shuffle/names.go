package shuffle

import (
	"cmp"
	"fmt"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/report"
)

// NameLimit limits the bytes of the names in a report, and of the different texts of columns that a
// worker holds. Without it, the input would decide how much memory they take.
type NameLimit struct {
	Most  int64          // 0 means 4 GiB
	Names settings.Names // in messages
}

// NameLimit returns the limit of the job.
func (j *Job) NameLimit() NameLimit { return NameLimit{j.MaxNames, j.Params.Names} }

func (l NameLimit) most() int64 { return cmp.Or(l.Most, 4<<30) }

// CheckReport returns an error if the names of a report take more.
func (l NameLimit) CheckReport(n report.NameBytes) error {
	if n.Total() <= l.most() {
		return nil
	}
	return fmt.Errorf("names take %d bytes of the report or more (the size of each, times the rows that repeat it), and may take %d; most are %s: write shorter names, evaluate fewer slices, labels or metrics, or set %s to a larger number",
		n.Total(), l.most(), n.Most(), l.Names.Of(settings.MaxNames))
}

// CheckColumns returns an error if the different texts of columns take more. where is the column with most of them.
func (l NameLimit) CheckColumns(bytes int64, where string) error {
	if bytes <= l.most() {
		return nil
	}
	return fmt.Errorf("different texts take more than %d bytes, and a worker holds them: write shorter texts, or set %s to a larger number; most are of column %q", l.most(), l.Names.Of(settings.MaxNames), where)
}
