package report

import (
	"context"
	"io"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// table is a table of a report: how it is written, read and sorted.
type table struct {
	name         string                         // of its files, without suffix, and of the member of metrics.json
	wanted       func(*Report) bool             // whether the report has the files
	always       bool                           // whether it has them if their format is not asked for, too
	csv, parquet func(*Report, io.Writer) error // nil if there is no such file
	// show reads what report.html shows of the Parquet file; nil if it shows nothing, or only what metrics.json has.
	show func(*Report, columns.Source) error

	json func(*Report) tabular.Lines // the rows in metrics.json, if it has any
	read func(*Report, []byte) error // reads them

	sort   func(*Report, *ranks)     // nil if rows keep their order
	places func(*Report, eachPlace)  // nil if rows have no slices
	names  func(*Report, *NameBytes) // adds names beside slices and labels; nil if there are none
}

// eachPlace is called with the slice and label of rows, and with their number.
type eachPlace = func(key slice.Key, label *string, rows int)

// in returns the table of a list of rows that reports have.
func in[T any](t *tabular.Table[T], of func(*Report) *[]T) table {
	all := table{name: t.Name}
	if place := t.Place(); place != nil && t.Parquet {
		all = itemsOf(t.Name, of, place, func(*T) int { return 1 }, t.Order)
	}
	all.wanted = func(r *Report) bool { return len(*of(r)) > 0 || t.Empty && *of(r) != nil }
	if t.CSV {
		all.csv = func(r *Report, w io.Writer) error { return t.WriteCSV(w, r.SliceColumns, *of(r)) }
	}
	if t.Parquet {
		all.parquet = func(r *Report, w io.Writer) error { return t.WriteParquet(w, r.SliceColumns, *of(r)) }
		all.show = func(r *Report, file columns.Source) (err error) {
			*of(r), err = t.ReadParquet(file)
			return err
		}
		all.names = func(r *Report, n *NameBytes) {
			t.Names(*of(r), func(name string) { n.addLabels(name) }, func(id slice.Value) { n.addID(id, 1) })
		}
	}
	if t.Row != "" {
		all.json = func(r *Report) tabular.Lines {
			if len(*of(r)) == 0 {
				return nil
			}
			return t.JSON(*of(r))
		}
		all.read = func(r *Report, data []byte) error {
			rows := t.JSON(nil)
			err := rows.UnmarshalJSON(data)
			*of(r) = rows.Read()
			return err
		}
	}
	return all
}

// itemsOf returns the table of a list of items that belong to slices and have a number of rows each.
func itemsOf[T any](name string, of func(*Report) *[]T, place func(*T) (slice.Key, *string), rows func(*T) int, order tabular.Order[T]) table {
	return table{
		name: name, wanted: func(r *Report) bool { return len(*of(r)) > 0 },
		sort: func(r *Report, rank *ranks) {
			if order.Then != nil {
				tabular.Sort(*of(r), func(item *T) (int, int) { return rank.of(place(item)) }, order)
			}
		},
		places: func(r *Report, each eachPlace) {
			for i := range *of(r) {
				item := &(*of(r))[i]
				key, label := place(item)
				each(key, label, rows(item))
			}
		},
	}
}

// File is a file of a report.
type File struct {
	Name  string
	Want  bool
	Write func(io.Writer) error
}

// TableFiles returns the files that tables may have. Files in other formats than these are not wanted.
func (r *Report) TableFiles(formats []Format) (list []File) {
	for _, t := range tables {
		add := func(suffix Format, write func(*Report, io.Writer) error) {
			if write != nil {
				want := (t.always || slices.Contains(formats, suffix)) && t.wanted(r)
				list = append(list, File{t.name + "." + string(suffix), want, func(w io.Writer) error { return write(r, w) }})
			}
		}
		add(CSV, t.csv)
		add(Parquet, t.parquet)
	}
	return list
}

// ReadTables reads what report.html shows of the Parquet files in the directory of r, which [Open] returned.
func (r *Report) ReadTables(ctx context.Context, dir string) error {
	for _, t := range tables {
		if t.show == nil {
			continue
		}
		if err := ReadFile(ctx, dir, t.name+".parquet", func(file columns.Source) error { return t.show(r, file) }); err != nil {
			return err
		}
	}
	return nil
}

// members yields the rows that metrics.json has of some tables.
func (r *Report) members(of func(table) bool) tabular.Tables {
	return func(yield func(string, tabular.Lines) bool) {
		for _, t := range tables {
			if t.json == nil || !of(t) {
				continue
			}
			if rows := t.json(r); rows != nil && !yield(t.name, rows) {
				return
			}
		}
	}
}

// readMembers reads them.
func (r *Report) readMembers(data []byte) error {
	return tabular.EachMember(data, func(name string, value []byte) error {
		for _, t := range tables {
			if t.read != nil && t.name == name {
				return t.read(r, value)
			}
		}
		return nil
	})
}

// Sort puts r into canonical order: rows of a slice are together, in the order of slices (see [slice.Key.Compare]), and
// in a slice in the order of their table. Labels have the order of r.Labels; no label comes first. Queries are sorted by
// ID, and thresholds by label. Checks, findings, label pairs, the points of a curve and the values of a query keep their order.
func (r *Report) Sort() {
	rank := newRanks(r)
	for _, t := range tables {
		if t.sort != nil {
			t.sort(r, rank)
		}
	}
	if r.Thresholds != nil {
		r.Thresholds.sort(rank)
	}
}

// ranks holds the ranks of all slices and labels of a report.
type ranks struct {
	slices map[string]int
	labels map[string]int
	key    []byte
	last   slice.Key // the previous slice and its rank, because adjacent items usually have the same slice
	rank   int
}

func newRanks(r *Report) *ranks {
	k := &ranks{slices: map[string]int{}, labels: map[string]int{}}
	var found []slice.Key
	unlisted := map[string]bool{}
	see := func(s slice.Key, label *string, _ int) {
		if label != nil {
			unlisted[*label] = true
		}
		if len(found) > 0 && slices.Equal(s, found[len(found)-1]) {
			return
		}
		k.key = s.AppendBinary(k.key[:0])
		if _, seen := k.slices[string(k.key)]; !seen {
			k.slices[string(k.key)] = 0
			found = append(found, s)
		}
	}
	for _, t := range tables {
		if t.places != nil {
			t.places(r, see)
		}
	}
	if r.Thresholds != nil {
		for i := range r.Thresholds.PerLabel {
			unlisted[r.Thresholds.PerLabel[i].Label] = true
		}
	}
	slices.SortFunc(found, slice.Key.Compare)
	for i, s := range found {
		k.slices[s.Encoded()] = i
	}
	for i, label := range LabelOrder(r.Labels, unlisted) {
		k.labels[label] = i
	}
	return k
}

func (k *ranks) slice(s slice.Key) int {
	if k.last == nil || !slices.Equal(s, k.last) {
		k.key = s.AppendBinary(k.key[:0])
		k.last, k.rank = s, k.slices[string(k.key)]
	}
	return k.rank
}

// of returns the ranks of a slice and a label.
func (k *ranks) of(s slice.Key, label *string) (int, int) { return k.slice(s), k.label(label) }

func (k *ranks) label(label *string) int {
	if label == nil {
		return -1
	}
	return k.labels[*label]
}

// LabelOrder returns the listed labels without duplicates, followed by the unlisted labels in use,
// sorted by name. It empties inUse.
func LabelOrder(listed []string, inUse map[string]bool) []string {
	order := make([]string, 0, len(listed))
	seen := make(map[string]bool, len(listed))
	for _, label := range listed {
		if !seen[label] {
			seen[label] = true
			order = append(order, label)
		}
		delete(inUse, label)
	}
	first := len(order)
	for label := range inUse {
		order = append(order, label)
	}
	slices.Sort(order[first:])
	return order
}
