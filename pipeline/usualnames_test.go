package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// namedTexts writes texts to files of a new folder and returns their names, sorted as given.
func namedTexts(t *testing.T, named ...[2]string) (names []string) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range named {
		name := filepath.Join(dir, f[0])
		require.NoError(t, os.WriteFile(name, []byte(f[1]), 0o600))
		names = append(names, name)
	}
	return names
}

func planned(t *testing.T, cfg *config.Config) *Plan {
	t.Helper()
	cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	return plan
}

// TestNamesOfTools: files as the tools of the field write them are evaluated without naming their columns.
func TestNamesOfTools(t *testing.T) {
	t.Parallel()
	const run = "1,d1,0.9\n1,d2,0.2\n2,d1,0.3\n2,d3,0.8\n"
	const qrels = "1,d1,1\n1,d2,0\n2,d1,1\n2,d3,0\n"
	for name, c := range map[string]struct {
		yaml, preds, truth, metric string
		want                       float64
	}{
		"own keys":       {"task: ranking\n", "query,item,score\n" + run, "query,item,label\n" + qrels, "mrr", 0.75},
		"BEIR":           {"task: ranking\n", "query-id,corpus-id,score\n" + run, "query-id,corpus-id,score\n" + qrels, "mrr", 0.75},
		"ir_datasets":    {"task: ranking\n", "query_id,doc_id,score\n" + run, "query_id,doc_id,relevance\n" + qrels, "mrr", 0.75},
		"ranked by file": {"", "query_id,doc_id,score\n" + run, "query-id,corpus-id,score\n" + qrels, "mrr", 0.75},
		"MS MARCO":       {"task: ranking\n", "qid,pid,score\n" + run, "qid,pid,relevance\n" + qrels, "mrr", 0.75},
		"documents":      {"task: ranking\n", "QueryId,DocumentID,Score\n" + run, "Query-ID,document_id,Relevance\n" + qrels, "mrr", 0.75},
		"Hugging Face":   {"", "references,predictions\na,a\nb,a\na,a\nb,b\n", "", "accuracy", 0.75},
		"Evidently":      {"", "target,prediction\na,a\nb,a\na,a\nb,b\n", "", "accuracy", 0.75},
		"CamelCase":      {"", "yTrue,yPred\na,a\nb,a\na,a\nb,b\n", "", "accuracy", 0.75},
		"TFMA":           {"", "labels,predictions,example_weights\na,a,3\nb,a,1\n", "", "accuracy", 0.75},
		"class":          {"task: multilabel\n", "example,class,label,prediction\n1,a,1,1\n1,b,0,0\n2,a,0,0\n2,b,1,0\n", "", "hamming_loss", 0.25},
		"example":        {"task: binary\n", "example,score\n1,0.9\n2,0.2\n3,0.8\n4,0.1\n", "example,label\n4,0\n3,0\n2,0\n1,1\n", "accuracy", 0.75},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts := [][2]string{{"preds.csv", c.preds}}
			if c.truth != "" {
				texts = append(texts, [2]string{"truth.csv", c.truth})
			}
			files := namedTexts(t, texts...)
			require.Equal(t, c.want, overallValues(readReport(t, evaluate(t, parse(t, c.yaml, files...))))[c.metric])
		})
	}
}

// TestFurtherNamesAreNoEvidence: a column with a further usual name, or another spelling of one, changes neither the
// task nor the layout nor which columns are predicted and true.
func TestFurtherNamesAreNoEvidence(t *testing.T) {
	t.Parallel()
	for base, values := range map[string]string{
		"label,score": "1,0.5\n0,0.25\n", "label,prediction": "a,b\nb,b\n", "relevance,score": "1,0.5\n0,0.25\n", "y,score,pred": "1,0.5,1\n0,0.25,0\n",
	} {
		want := planned(t, parse(t, "", namedTexts(t, [2]string{"p.csv", base + "\n" + values})...))
		for r := range roles.All() {
			for _, name := range r.UsualNames(roles.OfInput) {
				for _, spelled := range []string{name, strings.ReplaceAll(name, "_", "-"), strings.ToUpper(name), camel(name)} {
					usual := false // of this role, or of another
					for other := range roles.All() {
						usual = usual || slices.ContainsFunc(other.Of().Names, func(known string) bool { return strings.EqualFold(known, spelled) })
					}
					if usual || r == roles.Weight {
						continue
					}
					lines := strings.Split(strings.TrimSpace(values), "\n")
					for i := range lines {
						lines[i] += fmt.Sprint(",", i)
					}
					got := planned(t, parse(t, "", namedTexts(t, [2]string{"p.csv", base + "," + spelled + "\n" + strings.Join(lines, "\n") + "\n"})...))
					require.Equal(t, want.spec.Params.Task, got.spec.Params.Task, spelled)
					require.Equal(t, want.spec.Long, got.spec.Long, spelled)
					require.Equal(t, want.spec.Columns, got.spec.Columns, spelled)
				}
			}
		}
	}
}

func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// TestTwoCandidates: the first of the list is taken, and a note names the other.
func TestTwoCandidates(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"id,example_id,label,score": `example: column "example_id" is taken; "id" of the same meaning by name: not used`,
		"id,example,label,score":    `example: column "id" is taken; "example" of the same meaning by name: not used`,
	} {
		plan := planned(t, parse(t, "confidence: {}\n", namedTexts(t, [2]string{"p.csv", header + "\n1,2,1,0.5\n2,3,0,0.25\n"})...))
		require.Contains(t, plan.Notes, want)
	}
	plan := planned(t, parse(t, "", namedTexts(t, [2]string{"p.csv", "label,score,sample_weight,weight\n1,0.5,1,1\n"})...))
	require.Contains(t, plan.Notes, `weight: column "weight" is taken; "sample_weight" of the same meaning by name: not used`)
}

// TestSystemsNeedOutcomes: two columns of systems are a preference only if the label has outcomes.
func TestSystemsNeedOutcomes(t *testing.T) {
	t.Parallel()
	for labels, want := range map[string]metrics.Task{
		"1 0 1": metrics.Binary, "true false true": metrics.Binary, "0.5 0.25 1": metrics.Binary, "x y x": metrics.Binary,
		"model_a tie model_b": metrics.Preference, "a b x": metrics.Preference, "b b b": metrics.Preference,
	} {
		text := "label,score,model_a,model_b\n"
		for i, label := range strings.Fields(labels) {
			text += fmt.Sprintf("%s,0.%d,m%d,m%d\n", label, i+1, i, i+1)
		}
		yaml := ""
		if labels == "x y x" {
			yaml = "positive_label: x\n"
		}
		cfg := parse(t, yaml, namedTexts(t, [2]string{"p.csv", text})...)
		require.Equal(t, want, planned(t, cfg).spec.Params.Task, labels)
	}
}

// TestLabelsWithoutClass: a multilabel file with a row for each label is told what is missing.
func TestLabelsWithoutClass(t *testing.T) {
	t.Parallel()
	for _, values := range []string{"1,0.5", "true,0.5", "1.0,0.5"} {
		files := namedTexts(t, [2]string{"p.csv", "doc_no,tag,label,score\nx,sports," + values + "\n"})
		requireRefused(t, parse(t, "task: multilabel\n", files...), `column "label" of labels has one value a row, so there is a row for each label, but nothing says which: set input.columns.class, perhaps to "doc_no" or "tag"`)
	}
}
