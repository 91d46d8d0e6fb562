package conformance

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"

	"github.com/beameval/beameval/io/text"
)

// pollock returns the score of Pollock (Vitagliano et al. 2023): for each polluted file whether it is read, and precision,
// recall and F1 of the names, of the rows and of the values beside the clean file; the means of these ten over all files,
// added up. Values are compared as they are spelled, while Pollock first gives dates, times and prices one spelling.
func pollock(folder string, _ *Result) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "polluted_files", "csv", "*.csv"))
	if err != nil {
		return nil, err
	}
	total, read := 0.0, 0
	for _, file := range files {
		clean, err := cleanRows(filepath.Join(folder, "polluted_files", "clean", filepath.Base(file)))
		if err != nil {
			return nil, err
		}
		if rows, err := loaded(file); err == nil {
			total += pollockMeasures(clean, rows)
			read++
		}
	}
	return []string{fmt.Sprintf("Pollock: a score of %.3f of 10. %s of %s polluted files are read, and the others refused with the line and what to do.",
		total/float64(max(len(files), 1)), grouped(read), grouped(len(files)))}, nil
}

func cleanRows(file string) ([][]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	r.LazyQuotes = true
	return r.ReadAll()
}

// loaded returns the names and the values of a CSV file as they are spelled.
func loaded(file string) (rows [][]string, err error) {
	src, err := sourceOf(file, filepath.Base(file))
	if err != nil {
		return nil, err
	}
	role := newRoles()[1]
	f, err := role.open(src, text.CSV)
	if err != nil {
		return nil, err
	}
	fields := f.Schema().Fields
	rows = append(rows, make([]string, len(fields)))
	for at, field := range fields {
		rows[0][at] = field.Path
		values, err := role.read(f, field)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			if i+1 == len(rows) {
				rows = append(rows, make([]string, len(fields)))
			}
			rows[i+1][at], _ = v.(string) // null is empty
		}
	}
	return rows, nil
}

// pollockMeasures returns the sum of the ten measures of a file that is read.
func pollockMeasures(clean, rows [][]string) float64 {
	if len(clean) == 0 {
		return 10
	}
	sum := 1 + measures(clean[0], rows[0])
	sum += measures(joined(clean[1:]), joined(rows[1:]))
	return sum + measures(flattened(clean), flattened(rows))
}

func joined(rows [][]string) (list []string) {
	for _, row := range rows {
		text := ""
		for _, value := range row {
			text += value
		}
		list = append(list, text)
	}
	return list
}

func flattened(rows [][]string) (list []string) {
	for _, row := range rows {
		list = append(list, row...)
	}
	return list
}

// measures returns precision + recall + F1 of a multiset.
func measures(want, got []string) float64 {
	if len(want) == 0 {
		return 3
	}
	left := map[string]int{}
	for _, v := range want {
		left[v]++
	}
	common := 0
	for _, v := range got {
		if left[v] > 0 {
			left[v]--
			common++
		}
	}
	if common == 0 {
		return 0
	}
	p, r := float64(common)/float64(len(got)), float64(common)/float64(len(want))
	return p + r + 2*p*r/(p+r)
}
