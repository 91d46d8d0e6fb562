package input

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/formats"
)

// A Hugging Face data set on disk, as save_to_disk writes it, is a folder of Arrow streams. Its
// state.json lists the streams that belong to the data set; there may be others, such as caches. A
// DatasetDict is a folder with a dataset_dict.json and such a folder for each split.

// maxState limits the size of the JSON files of a data set, which are read whole.
const maxState = 64 << 20

// onlySaved removes files of folders of data sets that do not belong to the data set. It is an error
// if several splits of a DatasetDict would be mixed, because no pattern names a split.
func onlySaved(ctx context.Context, found []files.Info, patterns []string) ([]files.Info, error) {
	folders := savedFolders(found)
	if err := refuseSplits(ctx, folders, patterns); err != nil {
		return nil, err
	}
	belong := make(map[string]map[string]bool) // names of files by folder
	for _, folder := range folders {
		text, err := readBeside(ctx, folder, "state.json")
		if err == nil && text != nil {
			belong[folder], err = streamsOf(folder, text)
		}
		if err != nil {
			return nil, err
		}
	}
	there := make(map[string]bool)
	found = slices.DeleteFunc(found, func(f files.Info) bool {
		folder, name := split(f.Name)
		there[f.Name] = true
		return belong[folder] != nil && !f.Named && !belong[folder][name]
	})
	for _, folder := range folders {
		for _, name := range slices.Sorted(maps.Keys(belong[folder])) {
			if file := files.Join(folder, name); !there[file] {
				return nil, fmt.Errorf("%s: %w, but state.json beside it lists it: save the data set again", file, fs.ErrNotExist)
			}
		}
	}
	return found, nil
}

// savedFolders returns the folders that may be data sets: they stand for files called data-….arrow
// (before version 2.8 of the library datasets, dataset.arrow).
func savedFolders(found []files.Info) []string {
	folders := make(map[string]bool)
	for _, f := range found {
		folder, name := split(f.Name)
		if !f.Named && strings.HasPrefix(name, "data") && formats.Of(name) == "arrow" {
			folders[folder] = true
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

// streamsOf returns the names of the streams that state.json lists.
func streamsOf(folder string, text []byte) (map[string]bool, error) {
	type stream struct {
		Filename string `json:"filename"`
	}
	var state struct {
		Files   []stream `json:"_data_files"`
		Indices []stream `json:"_indices_data_files"`
	}
	file := files.Join(folder, "state.json")
	if err := json.Unmarshal(text, &state); err != nil {
		return nil, fmt.Errorf("%s: expected the state of a data set as save_to_disk writes it: %w; name the files instead of the folder", file, err)
	}
	if len(state.Files) == 0 {
		return nil, fmt.Errorf("%s: lists no _data_files, as that of a data set does: name the files instead of the folder", file)
	}
	if len(state.Indices) > 0 {
		return nil, fmt.Errorf("%s: the rows of the data set are selected by indices in %s, which is not supported: write it with flatten_indices().save_to_disk", file, state.Indices[0].Filename)
	}
	belong := make(map[string]bool)
	for _, s := range state.Files {
		if s.Filename == "" || s.Filename != path.Base(s.Filename) {
			return nil, fmt.Errorf("%s: lists %q: expected the name of a file in the same folder", file, s.Filename)
		}
		belong[s.Filename] = true
	}
	return belong, nil
}

// refuseSplits returns an error if a folder is a split of a DatasetDict that no pattern names.
func refuseSplits(ctx context.Context, folders, patterns []string) error {
	for _, folder := range folders {
		above, name := split(folder)
		if slices.ContainsFunc(patterns, func(p string) bool { return path.Base(strings.TrimRight(p, "/")) == path.Base(folder) }) {
			continue
		}
		text, err := readBeside(ctx, above, "dataset_dict.json")
		if err != nil {
			return err
		}
		if text == nil {
			continue
		}
		var dict struct {
			Splits []string `json:"splits"`
		}
		if err := json.Unmarshal(text, &dict); err != nil {
			return fmt.Errorf("%s: expected the splits of a DatasetDict: %w", files.Join(above, "dataset_dict.json"), err)
		}
		return fmt.Errorf("%s: a DatasetDict with the splits %s: name one of them, such as %s", above, strings.Join(dict.Splits, ", "), files.Join(above, name))
	}
	return nil
}

// split divides the name of a file into its folder and the rest.
func split(name string) (folder, rest string) {
	i := strings.LastIndexByte(name, '/')
	switch {
	case i < 0:
		return ".", name
	case i == 0:
		return "/", name[1:]
	}
	return name[:i], name[i+1:]
}

// readBeside returns the content of a file in a folder, or nil if there is none or it must not be
// listed, which may need more permissions than reading the other files.
func readBeside(ctx context.Context, folder, name string) ([]byte, error) {
	name = files.Join(folder, name)
	_, err := files.List(ctx, nil, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return files.ReadFile(ctx, name, maxState)
}
