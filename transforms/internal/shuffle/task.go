package shuffle

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/lanes"
)

// TaskInput is one input of a task: exactly one pointer is not nil. A task is the input of one call
// of the fold: all inputs with its key, for example a shard and the keys of its scattered examples.
type TaskInput struct {
	Lane        int  // of the task; 0 if tasks have no lanes, and in copies of labels, bounds, cuts and plans
	Pass        Pass // over the inputs of the task
	Shard       *input.Shard
	Scattered   *ScatteredKeys
	Rows        *RowChunk
	Predictions *Spilled // a list of input.Prediction
	Labels      *Spilled // an input.Vocabulary
	Bounds      *Bounds
	Cuts        *Cuts
	Plan        *Spilled // a sliceline.Plan
}

// Bounds says where scores are divided into ranges: see scoreruns.Divider.
type Bounds struct{ Images []uint64 }

func boundsFields(c *wire.Coder, b *Bounds) { wire.List(c, &b.Images, (*wire.Coder).Fixed) }

func taskInputFields(c *wire.Coder, in *TaskInput) {
	wire.Int(c, &in.Lane)
	passFields(c, &in.Pass)
	wire.Optional(c, &in.Shard, shardFields)
	wire.Optional(c, &in.Scattered, scatteredFields)
	wire.Optional(c, &in.Rows, chunkFields)
	wire.Optional(c, &in.Predictions, SpilledFields)
	wire.Optional(c, &in.Labels, SpilledFields)
	wire.Optional(c, &in.Bounds, boundsFields)
	wire.Optional(c, &in.Cuts, cutsFields)
	wire.Optional(c, &in.Plan, SpilledFields)
}

func shardFields(c *wire.Coder, s *input.Shard) {
	wire.String(c, &s.File)
	wire.String(c, &s.Version)
	wire.String(c, &s.Format)
	wire.Int(c, &s.First)
	wire.Int(c, &s.RowGroups)
	wire.String(c, &s.Path)
	wire.Int(c, &s.Row)
	wire.List(c, &s.Keys, func(c *wire.Coder, k *files.Key) {
		wire.String(c, &k.Name)
		wire.String(c, &k.Value)
		c.Bool(&k.Null)
	})
	wire.Int(c, &s.Options.MaxPage)
	wire.Int(c, &s.Options.MaxRowValues)
	wire.Int(c, &s.Options.MaxName)
	c.Bool(&s.Options.RoundDecimals)
	c.Bool(&s.Options.NoQuotes)
	wire.List(c, &s.Options.NullValues, func(c *wire.Coder, text *string) { wire.String(c, text) })
	wire.Int(c, &s.Options.Names)
	c.Bytes(&s.Plan)
	wire.Int(c, &s.Lane)
	c.Bytes(&s.Content)
}

// ShardName identifies a shard. It begins with its lane.
func ShardName(s *input.Shard) string { return fmt.Sprintf("%d:%s:%d", s.Lane, s.File, s.First) }

// TaskOf returns the task that reads the shard with this name: its lane or, if it has none, a hash.
func TaskOf(shard string) int {
	lane, _, _ := strings.Cut(shard, ":")
	if n, err := strconv.Atoi(lane); err == nil && n > 0 {
		return n - 1
	}
	return Hash(shard)
}

// Hash returns a hash of a name, which is not negative.
func Hash(name string) int {
	h := fnv.New64a()
	h.Write([]byte(name))
	return int(h.Sum64() >> 1)
}

// ScatteredKeys are the hashes of the examples in a shard and a bucket that also have rows
// elsewhere: either these hashes, sorted, or all.
type ScatteredKeys struct {
	Shard  string // see ShardName
	Bucket int
	All    bool
	Hashes []uint64
}

func scatteredFields(c *wire.Coder, k *ScatteredKeys) {
	wire.String(c, &k.Shard)
	wire.Int(c, &k.Bucket)
	c.Bool(&k.All)
	HashesFields(c, &k.Hashes)
	if k.Bucket < 0 || k.Bucket >= lanes.MostBuckets {
		c.Fail("there is no bucket %d", k.Bucket)
	}
}

// HashesFields encodes or decodes hashes by their differences. They must be sorted.
func HashesFields(c *wire.Coder, hashes *[]uint64) {
	last := uint64(0)
	wire.List(c, hashes, func(c *wire.Coder, h *uint64) {
		delta := *h - last
		c.Uint(&delta)
		if delta > ^last {
			c.Fail("hashes are not sorted")
		}
		last += delta
		*h = last
	})
}

// RowChunk holds rows of a bucket, all of one side, as an encoded table.
type RowChunk struct {
	Bucket int
	Side   input.Side
	Data   Spilled
}

func chunkFields(c *wire.Coder, r *RowChunk) {
	wire.Int(c, &r.Bucket)
	if wire.Int(c, &r.Side); r.Side < 0 || r.Side >= input.Sides {
		c.Fail("rows of side %d", r.Side)
	}
	SpilledFields(c, &r.Data)
}

// Append appends the encoding of the input.
func (in *TaskInput) Append(dst []byte) ([]byte, error) { return wire.Append(dst, in, taskInputFields) }

// VocabularyFields lists the fields of a vocabulary for a coder.
func VocabularyFields(c *wire.Coder, v *input.Vocabulary) {
	c.Strings(&v.Names)
	wire.Int(c, &v.Count)
	wire.String(c, &v.File)
	wire.String(c, &v.FileVersion)
	c.Bool(&v.Numbers)
	wire.Int(c, &v.Frequencies.Examples)
	wire.Map(c, &v.Frequencies.Count, wire.Int, wire.Int)
	HashesFields(c, &v.Items.Keys)
	wire.List(c, &v.Items.Counts, (*wire.Coder).Float)
	c.Float(&v.Items.Head)
	if len(v.Items.Keys) != len(v.Items.Counts) {
		c.Fail("%d items with %d frequencies", len(v.Items.Keys), len(v.Items.Counts))
	}
	if c.Reading() {
		v.Prepare()
	}
}

// ReadVocabulary reads packed labels.
func ReadVocabulary(packed *Spilled) (*input.Vocabulary, error) {
	v := new(input.Vocabulary)
	return v, Unpack(packed, v, VocabularyFields)
}

func init() {
	Register(VocabularyFields)
	Register(shardFields)
	Register(taskInputFields)
	register.Emitter2[int, TaskInput]()
	register.Iter1[TaskInput]()
}
