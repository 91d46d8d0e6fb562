package transforms

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// Whatever is folded comes to one DoFn as a task: all that is grouped under one
// key, such as a shard and the keys of its scattered examples, or the rows of a
// part. Labels that are not known before the run are a part of every task, not a
// side input: prism keeps a core busy waiting while a bundle of a stage with one
// runs, and has started stages before their side inputs were there (Beam issue
// 36563).

// taskPart is one element of a task: the field that its kind names.
type taskPart struct {
	kind        taskKind
	Shard       Shard
	Keys        scatteredKeys
	Rows        rowChunk
	Predictions spilled // see encodePredictions
	Labels      spilled // see packLabelsFn
}

type taskKind int

const (
	shardTask taskKind = iota
	keysTask
	rowsTask
	predictionsTask
	labelsTask
)

// lanes is how many tasks there are, at most, where each is given the labels: every
// one of them is a copy.
const lanes = 64

// taskOf returns the key of the task that reads the shard of this name.
func taskOf(shard string) int {
	h := fnv.New64a()
	h.Write([]byte(shard))
	return int(h.Sum64() >> 1)
}

func shardToTask(s Shard) (int, taskPart) {
	return taskOf(s.name()), taskPart{kind: shardTask, Shard: s}
}

func toLane(key int, p taskPart) (int, taskPart) { return key % lanes, p }

// copyLabels gives packed labels to every lane.
func copyLabels(labels spilled, emit func(int, taskPart)) {
	for lane := range lanes {
		emit(lane, taskPart{kind: labelsTask, Labels: labels})
	}
}

// task is a task whose parts have come.
type task struct {
	shards      []Shard
	elsewhere   map[string]*keySet // by the name of the shard
	rows        map[int][]rowChunk // by part
	predictions []spilled
	labels      spilled
	labelled    bool
}

func (t *task) add(p taskPart) {
	switch p.kind {
	case shardTask:
		t.shards = append(t.shards, p.Shard)
	case keysTask:
		set := t.elsewhere[p.Keys.Shard]
		if set == nil {
			set = new(keySet)
			t.elsewhere[p.Keys.Shard] = set
		}
		set[p.Keys.Part] = p.Keys
	case rowsTask:
		t.rows[p.Rows.Part] = append(t.rows[p.Rows.Part], p.Rows)
	case predictionsTask:
		t.predictions = append(t.predictions, p.Predictions)
	case labelsTask:
		t.labels, t.labelled = p.Labels, true
	}
}

// idle says whether there is nothing to do: labels are given to every lane.
func (t *task) idle() bool { return len(t.shards)+len(t.rows)+len(t.predictions) == 0 }

// vocabulary returns the labels, which are those of the spec or came with the task.
func (t *task) vocabulary(spec *Spec) (*Vocabulary, error) {
	if !t.labelled {
		vocab := spec.labels()
		return &vocab, nil
	}
	vocab, err := unpackLabels(&t.labels)
	return &vocab, err
}

// submit hands the task to a pool.
func (t *task) submit(ctx context.Context, p *pool[*folder], progress *progress) error {
	for _, shard := range t.shards {
		elsewhere := t.elsewhere[shard.name()]
		err := readShard(ctx, p, shard, func(ctx context.Context, into *folder, s *openShard, group int) error {
			return into.readShardGroup(ctx, s, group, elsewhere, progress)
		})
		if err != nil {
			return err
		}
	}
	for part, chunks := range t.rows {
		_, err := p.submit(func(ctx context.Context, into *folder) (err error) {
			defer contain(ctx, fmt.Sprintf("part %d of the examples", part), &err)
			return into.foldPart(ctx, chunks)
		})
		if err != nil {
			return err
		}
	}
	for _, data := range t.predictions {
		_, err := p.submit(func(ctx context.Context, into *folder) (err error) {
			defer contain(ctx, "predictions in memory", &err)
			return into.foldPacked(ctx, &data, progress)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func encodeTaskPart(p taskPart) []byte {
	var w writer
	w.int(int(p.kind))
	switch p.kind {
	case shardTask:
		w.buf = append(w.buf, encodeShard(p.Shard)...)
	case keysTask:
		w.buf = append(w.buf, encodeKeys(p.Keys)...)
	case rowsTask:
		w.buf = append(w.buf, encodeChunk(p.Rows)...)
	case predictionsTask:
		w.spilled(&p.Predictions)
	case labelsTask:
		w.spilled(&p.Labels)
	}
	return w.buf
}

func decodeTaskPart(data []byte) (p taskPart, err error) {
	r := reader{buf: data}
	switch p.kind = taskKind(r.int()); p.kind {
	case shardTask:
		p.Shard, err = decodeShard(r.buf)
	case keysTask:
		p.Keys, err = decodeKeys(r.buf)
	case rowsTask:
		p.Rows, err = decodeChunk(r.buf)
	case predictionsTask:
		p.Predictions = r.spilled()
	case labelsTask:
		p.Labels = r.spilled()
	default:
		r.fail()
	}
	return p, errors.Join(err, r.err)
}

func init() {
	registerCoder(encodeTaskPart, decodeTaskPart)
	register.Function1x2(shardToTask)
	register.Function2x2(toLane)
	register.Function2x0(copyLabels)
	register.Emitter2[int, taskPart]()
}
