// Package sampling draws rows of predictions that people label, by what a judge, such as a language model, says of every
// row: more where the judge is unsure.
//
// It reads the rows three times, and what it needs of them only: how the judge's grades are distributed, which gives bins;
// the grades of each stratum, by which package allocation divides the sample; and the ids, whose hashes choose rows. It
// reads the chosen rows last, with all columns. Its memory depends on the strata and the sample, not on the number of rows.
package sampling

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics/allocation"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/transforms/input"
)

// Statistic is what the labels will estimate.
type Statistic string

// The statistics.
const (
	Accuracy Statistic = "accuracy" // the judge's grade is the probability that a row is right
	Mean     Statistic = "mean"     // of grades
)

// Statistics lists all statistics.
var Statistics = []Statistic{Accuracy, Mean}

// The columns that a sample adds to its rows.
const (
	StratumColumn     = "sampling_stratum"
	ProbabilityColumn = "sampling_probability"
)

// Options say what is drawn.
type Options struct {
	Files []string // paths, globs or directories, as of an evaluation
	Rows  int64    // size of the sample
	For   Statistic
	Judge string   // the column of the judge's grades
	By    []string // further columns that divide the rows
	Bins  int      // of the judge's grades, and of other columns of numbers
	ID    []string // the columns that identify a row together; without them, the usual column of ids or the position
	Seed  uint64
}

// Sample is the rows that were drawn.
type Sample struct {
	Judge string
	For   Statistic
	// Rows and Taken are the numbers of all rows and of the sample.
	Rows, Taken int64
	Strata      []Stratum
	// Notes tell people what was found or left out.
	Notes []string

	drawn []rowAt
	rows  rows
}

// Stratum is a part of all rows.
type Stratum struct {
	Name        string
	Rows, Taken int64
	// Mean is the mean grade. Deviation is what the judge expects of labels.
	Mean, Deviation float64
}

// Probability returns the probability with which each row of the stratum is drawn.
func (s *Stratum) Probability() float64 { return float64(s.Taken) / float64(s.Rows) }

// task is what drawing a sample needs to know.
type task struct {
	Options
	in     *pipeline.Input
	shards []input.Shard
	fields []columns.Field // all columns
	judge  divided
	by     []divided
	notes  []string
}

// Draw draws a sample. The same rows come from the same data, however they are divided into files, if rows have ids.
func Draw(ctx context.Context, o Options) (*Sample, error) {
	// Texts that people read may be long.
	in, err := pipeline.OpenInput(ctx, columns.Options{MaxName: 64 << 20, RoundDecimals: true, Names: settings.Keys}, o.Files...)
	if err != nil {
		return nil, err
	}
	t := &task{Options: o, in: in, shards: in.Shards()}
	if in.Rows() == 0 {
		return nil, fmt.Errorf("no rows to sample: the input has none (files: %d, such as %s)", len(in.Names()), in.Names()[0])
	}
	if err := t.find(); err != nil {
		return nil, err
	}
	if err := t.divide(ctx); err != nil {
		return nil, err
	}
	s, err := t.stratify(ctx)
	if err != nil {
		return nil, err
	}
	sample := &Sample{Judge: o.Judge, For: o.For, Rows: in.Rows(), Strata: s.strata}
	for i := range s.strata {
		sample.Taken += s.strata[i].Taken
	}
	if sample.drawn, err = t.choose(ctx, s); err != nil {
		return nil, err
	}
	sample.rows, err = t.copy(ctx, sample.drawn)
	sample.Notes = t.notes
	return sample, err
}

// find finds the columns.
func (t *task) find() error {
	field, err := t.in.Lookup(t.Judge)
	switch {
	case err != nil:
		return fmt.Errorf("--judge: %w", err)
	case field.Type == columns.String:
		return fmt.Errorf("--judge: column %q is %s: expected numbers or booleans", quote.Short(t.Judge), field.Physical)
	}
	t.judge = divided{name: t.Judge, field: field}
	for i, name := range t.By {
		if name == t.Judge || slices.Contains(t.By[:i], name) {
			return fmt.Errorf("--strata: column %q divides the rows already", quote.Short(name))
		}
		column := divided{name: name}
		if column.folder, err = t.in.Folder(name); err != nil {
			return fmt.Errorf("--strata: %w", err)
		}
		if !column.folder {
			if column.field, err = t.in.Lookup(name); err != nil {
				return fmt.Errorf("--strata: %w", err)
			}
		}
		t.by = append(t.by, column)
	}
	if err := t.findAll(); err != nil {
		return err
	}
	return t.findID()
}

// findAll finds all columns, which the sample has with two more.
func (t *task) findAll() (err error) {
	var left []string
	t.fields, left, err = t.in.Columns()
	t.notes = append(t.notes, left...)
	for _, f := range t.fields {
		if f.Path == StratumColumn || f.Path == ProbabilityColumn {
			return fmt.Errorf("the input has a column %q, which a sample adds: rename it, or draw from the rows behind this sample", f.Path)
		}
	}
	return err
}

// findID finds the columns that identify rows.
func (t *task) findID() error {
	for _, name := range t.ID {
		if _, err := t.in.Lookup(name); err != nil {
			return fmt.Errorf("--id: %w", err)
		}
	}
	if len(t.ID) > 0 {
		return nil
	}
	if found := t.in.Find(roles.Example); found != "" {
		t.ID = []string{found}
		t.notes = append(t.notes, fmt.Sprintf("id: %q (found by name)", quote.Short(found)))
		return nil
	}
	t.notes = append(t.notes, "no column of ids: rows are told apart by their files and places, so that other files of the same rows give another sample; --id names columns that do")
	return nil
}

// stratification is the strata of the rows.
type stratification struct {
	strata []Stratum
	of     map[string]int // the stratum of a cell, by its encoded key
}

// stratify finds the strata, and divides the sample among them.
func (t *task) stratify(ctx context.Context) (*stratification, error) {
	cells, err := t.count(ctx)
	if err != nil {
		return nil, err
	}
	groups := map[string]int{}
	list := collections.Map(cells, func(c *cell) allocation.Cell {
		group := c.key[:len(c.key)-1].Encoded()
		if _, met := groups[group]; !met {
			groups[group] = len(groups)
		}
		return allocation.Cell{Group: groups[group], Grades: c.moments.Grades(t.judge.bins.near[c.bin])}
	})
	s := &stratification{of: map[string]int{}}
	var sizes []allocation.Stratum
	for i, members := range allocation.Merge(list) {
		grades := list[members[0]].Grades
		for _, m := range members[1:] {
			grades = grades.Plus(list[m].Grades)
		}
		names := collections.Map(members, func(m int) string {
			s.of[cells[m].key.Encoded()] = i
			return cells[m].key.String()
		})
		stratum := Stratum{Name: nameOf(names), Rows: grades.Rows, Mean: grades.Mean, Deviation: grades.Deviation()}
		if t.For == Accuracy {
			stratum.Deviation = grades.Accuracy()
		}
		s.strata, sizes = append(s.strata, stratum), append(sizes, allocation.Stratum{Rows: grades.Rows, Deviation: stratum.Deviation})
	}
	distinct(s.strata)
	if least := allocation.Least * int64(len(sizes)); t.Rows < least && t.Rows < t.in.Rows() {
		return nil, fmt.Errorf("--n: %d is below %d, two rows for each of %d strata: draw more rows, or divide by fewer --strata or --bins", t.Rows, least, len(sizes))
	}
	for i, n := range allocation.Allocate(t.Rows, sizes) {
		s.strata[i].Taken = n
	}
	return s, nil
}

// nameOf returns the name of a stratum of cells with the given names.
func nameOf(cells []string) string {
	const most = 3
	if more := len(cells) - most; more > 0 {
		return strings.Join(cells[:most], " or ") + fmt.Sprintf(" or %d more", more)
	}
	return strings.Join(cells, " or ")
}

// distinct numbers strata whose names, with long values shortened, are the same.
func distinct(strata []Stratum) {
	met := map[string]int{}
	for i := range strata {
		name := strata[i].Name
		if met[name]++; met[name] > 1 {
			strata[i].Name = fmt.Sprintf("%s (%d)", name, met[name])
		}
	}
}
