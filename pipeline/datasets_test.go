package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/clouds"
)

// TestDataSets: the names of labels come from the data set's metadata.
func TestDataSets(t *testing.T) {
	for input, c := range map[string]struct{ task, labels, note string }{
		"mail.parquet": {"multiclass", "spam ham virus", `labels: 3 (from the metadata "huggingface")`},
		"saved":        {"multiclass", "spam ham virus", `labels: 3 (from dataset_info.json)`},
		"splits/test":  {"multiclass", "spam ham virus", `labels: 3 (from dataset_info.json)`},
		"tags.parquet": {"multilabel", "sea sky wood town", `labels: 4 (from the metadata "huggingface")`},
	} {
		cfg := parse(t, fmt.Sprintf("task: %s\n", c.task), dataSets+input)
		cfg.Output.Dir = t.TempDir() + "/report"
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err)
		require.Contains(t, plan.Notes, c.note, input)
		require.Equal(t, strings.Fields(c.labels), plan.Config.Labels, input)
	}
}

const dataSets = "testdata/huggingface/"

// TestSavedLikeParquet: a data set on disk, also in cloud storage, gives the report of the same rows
// in Parquet.
func TestSavedLikeParquet(t *testing.T) {
	const yaml = "task: multiclass\nslices: [[country]]\n"
	want := contents(t, evaluate(t, parse(t, yaml, dataSets+"mail.parquet")))
	for _, input := range []string{"saved", "saved/*.arrow"} {
		requireSame(t, want, contents(t, evaluateOn(t, parse(t, yaml, dataSets+input), "prism", 4)))
	}
	cfg := parse(t, yaml, dataSets+"splits/test")
	cfg.Input.Files = append(cfg.Input.Files, dataSets+"splits/train")
	requireSame(t, want, contents(t, evaluate(t, cfg)))
	clouds.Each(t, func(t *testing.T, bucket *clouds.Bucket) {
		bucket.Upload(t, dataSets+"saved", "saved/")
		bucket.Upload(t, dataSets+"splits/test", "splits/test/")
		bucket.Put(t, "saved/cache-1f.arrow", "not of the data set")
		bucket.Put(t, "splits/dataset_dict.json", `{"splits": ["train", "test"]}`)
		requireSame(t, want, contents(t, evaluate(t, parse(t, yaml, bucket.Name+"/saved"))))

		cfg := parse(t, yaml, bucket.Name+"/splits/")
		cfg.Output.Dir = t.TempDir() + "/report"
		_, err := Make(t.Context(), cfg)
		require.ErrorContains(t, err, bucket.Name+"/splits: a DatasetDict with the splits train, test: name one of them, such as "+bucket.Name+"/splits/test")
	})
}
