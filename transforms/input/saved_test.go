package input

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSavedDataSets: the folder of a data set stands for the files that belong to it.
func TestSavedDataSets(t *testing.T) {
	t.Chdir(t.TempDir())
	put := func(name, content string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
	state := func(names ...string) (text string) {
		for i, name := range names {
			text += fmt.Sprintf(`%s{"filename": %q}`, []string{"", ", "}[min(i, 1)], name)
		}
		return `{"_data_files": [` + text + `], "_format_type": "torch", "_split": null}`
	}
	for folder, text := range map[string]string{
		"set": state("data-1.arrow", "data-0.arrow"), "dict/train": state("data-0.arrow"), "dict/test": state("data-0.arrow"), "old": state("dataset.arrow"),
		"missing": state("data-0.arrow", "data-1.arrow"), "indices": `{"_data_files": [{"filename": "data-0.arrow"}], "_indices_data_files": [{"filename": "indices.arrow"}]}`,
		"outside": state("../set/data-0.arrow"), "other": `{"version": 1}`, "text": "no JSON",
	} {
		put(folder+"/state.json", text)
		put(folder+"/dataset_info.json", "{}")
		put(folder+"/data-0.arrow", "")
		put(folder+"/cache-1f.arrow", "")
	}
	put("set/data-1.arrow", "")
	put("set/data-2.arrow", "")
	put("old/dataset.arrow", "")
	put("plain/data-0.arrow", "")
	put("plain/more.arrow", "")
	put("dict/dataset_dict.json", `{"splits": ["train", "test"]}`)
	put("garbled/dataset_dict.json", "[")
	put("garbled/train/data-0.arrow", "")

	set := []string{"set/data-0.arrow", "set/data-1.arrow"}
	wd, err := os.Getwd()
	require.NoError(t, err)
	for _, c := range []struct{ patterns, want []string }{
		{[]string{"set"}, set}, {[]string{"set/"}, set}, {[]string{"s?t/"}, set}, {[]string{"old"}, []string{"old/dataset.arrow"}},
		{[]string{"set/data-2.arrow"}, []string{"set/data-2.arrow"}},
		{[]string{"set", "set/data-2.arrow"}, append(slices.Clone(set), "set/data-2.arrow")},
		{[]string{"set/*.arrow"}, []string{"set/cache-1f.arrow", "set/data-0.arrow", "set/data-1.arrow", "set/data-2.arrow"}},
		{[]string{"plain"}, []string{"plain/data-0.arrow", "plain/more.arrow"}},
		{[]string{"dict/test"}, []string{"dict/test/data-0.arrow"}}, {[]string{"d*/test/"}, []string{"dict/test/data-0.arrow"}},
		{[]string{"dict/train", "dict/test"}, []string{"dict/test/data-0.arrow", "dict/train/data-0.arrow"}},
	} {
		for _, format := range []string{"", "arrow"} {
			found, err := List(t.Context(), format, c.patterns...)
			require.NoError(t, err, c.patterns)
			var names []string
			for _, f := range found {
				names = append(names, f.Name)
			}
			require.Equal(t, c.want, names, c.patterns)
		}
	}
	found, err := List(t.Context(), "", "set", "plain/more.arrow")
	require.NoError(t, err)
	features, err := Features(t.Context(), found)
	require.NoError(t, err)
	require.Equal(t, map[string]string{set[0]: "{}", set[1]: "{}"}, features)
	const one = "a DatasetDict with the splits train, test: name one of them, such as "
	for pattern, want := range map[string]string{
		"dict": "dict: " + one + "dict/test", "dict/*": "dict: " + one + "dict/test", wd + "/dict": wd + "/dict: " + one + wd + "/dict/test",
		"missing": "missing/data-1.arrow: file does not exist, but state.json beside it lists it: save the data set again",
		"indices": "indices/state.json: the rows of the data set are selected by indices in indices.arrow, which is not supported: write it with flatten_indices().save_to_disk",
		"outside": `outside/state.json: lists "../set/data-0.arrow": expected the name of a file in the same folder`,
		"other":   "other/state.json: lists no _data_files, as that of a data set does: name the files instead of the folder",
		"text":    "text/state.json: expected the state of a data set as save_to_disk writes it: ",
		"garbled": "garbled/dataset_dict.json: expected the splits of a DatasetDict: ",
	} {
		_, err := List(t.Context(), "", pattern)
		require.ErrorContains(t, err, want, pattern)
	}
	t.Chdir("dict")
	_, err = List(t.Context(), "", ".")
	require.EqualError(t, err, ".: "+one+"test")
	t.Chdir("test")
	found, err = List(t.Context(), "", ".")
	require.NoError(t, err)
	require.Len(t, found, 1)
}
