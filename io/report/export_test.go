package report

import "github.com/beameval/beameval/io/columns"

// ReadTable reads what report.html shows of a Parquet file.
func (r *Report) ReadTable(name string, file columns.Source) error {
	for _, t := range tables {
		if t.name == name {
			return t.show(r, file)
		}
	}
	panic("there is no table " + name)
}
