// Package itemfrequencies reads how frequent the items of rankings are.
package itemfrequencies

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// Fn reads the frequencies of items.
type Fn struct {
	Files input.ItemFiles
	Names settings.Names // in messages
}

// ProcessElement emits a vocabulary of rankings with the frequencies.
func (f *Fn) ProcessElement(ctx context.Context, _ []byte, emit func(input.Vocabulary)) error {
	items, err := Read(ctx, &f.Files, f.Names)
	if err != nil {
		return workers.Mark(fmt.Errorf("item frequencies: %w", err))
	}
	v := input.NumberedLabels(1)
	v.Items = *items
	emit(v)
	return nil
}

// Read reads the frequencies of items.
func Read(ctx context.Context, from *input.ItemFiles, names settings.Names) (*input.ItemFrequencies, error) {
	r := reader{ItemFiles: from, names: names, counts: make(map[uint64]float64)}
	for _, s := range from.Shards {
		if err := input.EachBatch(ctx, s, []string{r.Item, r.Count}, r.add); err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
	}
	if len(r.counts) == 0 {
		return nil, errors.New("the files have no items")
	}
	found := &input.ItemFrequencies{Keys: slices.Sorted(maps.Keys(r.counts))}
	for _, key := range found.Keys {
		found.Counts = append(found.Counts, r.counts[key])
	}
	if found.Head = metrics.HeadFrequency(found.Counts); !(found.Head > 0) || math.IsInf(found.Head, 0) {
		return nil, errors.New("the frequencies are all 0, or their sum is infinite")
	}
	return found, nil
}

type reader struct {
	*input.ItemFiles
	names  settings.Names
	counts map[uint64]float64
	hashes []uint64
}

// add adds the rows of a batch of a row group.
func (r *reader) add(b *columns.Batch, group int) error {
	item, count := &b.Columns[0], &b.Columns[1]
	switch {
	case item.Offsets != nil:
		return fmt.Errorf("column %q is %s: expected an item in each row", r.Item, item.Shape())
	case count.Offsets != nil || count.Type != columns.Int && count.Type != columns.Float:
		return fmt.Errorf("column %q is %s: expected a number in each row", r.Count, count.Shape())
	}
	r.hashes = groupby.Hash(r.hashes, item)
	for i, key := range r.hashes {
		frequency := count.Number(i)
		place := func() string { return b.Place(group, i).String() }
		switch _, twice := r.counts[key]; {
		case item.IsNull(i):
			return fmt.Errorf("%s: column %q: null: expected the id of an item", place(), r.Item)
		case count.IsNull(i):
			return fmt.Errorf("%s: column %q: null: expected a frequency of 0 or more", place(), r.Count)
		case !(frequency >= 0) || math.IsInf(frequency, 1):
			return fmt.Errorf("%s: column %q: %v: expected a finite frequency of 0 or more", place(), r.Count, frequency)
		case twice:
			return fmt.Errorf("%s: column %q: the item is there twice: expected a row for each item", place(), r.Item)
		case len(r.counts) >= r.MaxItems:
			return fmt.Errorf("more than %d items: set %s", r.MaxItems, r.names.Of(settings.MaxItems))
		}
		r.counts[key] = frequency
	}
	return nil
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[Fn]())
	register.Emitter1[input.Vocabulary]()
}
