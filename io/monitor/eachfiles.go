package monitor

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/report/tabular"
)

// The names of the files of the monitors of each value of a part, besides the folders of the monitors.
const (
	EachJSON = "monitors.json"
	EachHTML = "index.html"
)

// schemaOfEach is the schema named in monitors.json.
const schemaOfEach = "beameval.monitors/v1"

// WriteEach writes the files of all monitors, each in its folder, and the index, monitors.json last. It closes the files
// that can be closed, so that few are open at once.
func WriteEach(e *Each, create func(name string) (io.Writer, error)) error {
	for i, m := range e.monitors {
		if m == nil {
			continue
		}
		if err := writeAndClose(within(e.Parts[i].Folder, m.files()), create); err != nil {
			return fmt.Errorf("monitor: %w", err)
		}
	}
	if err := export.WriteFiles(e.files(), create); err != nil {
		return fmt.Errorf("monitor: %w", err)
	}
	return nil
}

// writeAndClose writes files, and closes those that can be closed.
func writeAndClose(list []export.File, create func(name string) (io.Writer, error)) error {
	var open []io.Closer
	err := export.WriteFiles(list, func(name string) (io.Writer, error) {
		w, err := create(name)
		if c, is := w.(io.Closer); is {
			open = append(open, c)
		}
		return w, err
	})
	for _, c := range open {
		err = errors.Join(err, c.Close())
	}
	return err
}

// within returns files in a folder.
func within(folder string, list []export.File) []export.File {
	for i := range list {
		list[i].Name = folder + "/" + list[i].Name
	}
	return list
}

// files returns the files of the index.
func (e *Each) files() []export.File {
	return []export.File{
		{Name: Summary, Want: true, Write: func(w io.Writer) error { return e.Print(w, document.Screen{}) }},
		{Name: EachHTML, Want: true, Write: e.WritePage},
		{Name: EachJSON, Want: true, Write: e.WriteJSON},
	}
}

// replaceableEach describes the finished monitors of each value of a part.
func replaceableEach() files.Replaceable {
	inFolders := within("*=*", new(Monitor).files())
	for i := range inFolders {
		inFolders[i].Want = false // there may be none
	}
	return export.Finished("finished monitors", schemaOfEach, append(inFolders, new(Each).files()...))
}

// eachFile is monitors.json; see [tabular.WriteObject] for the layout.
type eachFile struct {
	Schema             string                 `json:"schema"`
	Each               string                 `json:"each"`
	NightsToFalseAlarm float64                `json:"nights_to_false_alarm"`
	Alarms             int                    `json:"alarms"`
	Monitors           *tabular.Rows[Part]    `json:"monitors" layout:"lines"`
	Skipped            *tabular.Rows[Skipped] `json:"skipped" layout:"lines"`
}

func (e *Each) file() eachFile {
	return eachFile{Monitors: tabular.RowsOf("monitor", columnsOfParts(), e.Parts), Skipped: tabular.RowsOf("report", columnsOfSkipped(), e.Skipped)}
}

func columnsOfParts() []tabular.Column[Part] {
	return []tabular.Column[Part]{
		tabular.Name("value", func(p *Part) *string { return &p.Value }),
		tabular.Note("folder", func(p *Part) *string { return &p.Folder }).AsNull(),
		tabular.Count("nights", func(p *Part) *int { return &p.Nights }),
		tabular.Note("date", func(p *Part) *string { return &p.Date }).AsNull(),
		tabular.Count("series", func(p *Part) *int { return &p.Series }),
		tabular.Count("alarms", func(p *Part) *int { return &p.Alarms }),
		tabular.Texts("alarmed", func(p *Part) *[]string { return &p.Alarmed }),
		tabular.Note("metric", func(p *Part) *string { return &p.Metric }).AsNull(),
		tabular.Number("last", func(p *Part) *float64 { return &p.Last }),
		tabular.Number("ci_low", func(p *Part) *float64 { return &p.Low }),
		tabular.Number("ci_high", func(p *Part) *float64 { return &p.High }),
		tabular.Number("change", func(p *Part) *float64 { return &p.Change }),
		tabular.Nested("trend", func(p *Part) *[]Reading { return &p.Trend }, "night", columnsOfReadings()),
		tabular.Note("reason", func(p *Part) *string { return &p.Reason }),
	}
}

func columnsOfReadings() []tabular.Column[Reading] {
	return []tabular.Column[Reading]{
		tabular.Text("date", func(r *Reading) *string { return &r.Date }),
		tabular.Number("value", func(r *Reading) *float64 { return &r.Value }),
	}
}

// WriteJSON writes monitors.json as [WriteEach] does.
func (e *Each) WriteJSON(w io.Writer) error {
	file := e.file()
	file.Schema, file.Each, file.NightsToFalseAlarm, file.Alarms = schemaOfEach, quote.Escape(e.Key), e.NightsToFalseAlarm, e.Alarms()
	return tabular.WriteObject(w, file)
}

// ReadEach reads a monitors.json, which has the index alone: its page can be written again.
func ReadEach(data []byte) (*Each, error) {
	file := new(Each).file()
	if err := tabular.ParseObject(data, &file, &file.Schema, schemaOfEach, "monitor again, or use the version of beameval that wrote the file"); err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	key := quote.Unescape(file.Each)
	for i, p := range file.Monitors.Read() {
		if p.Folder != "" && !strings.HasPrefix(p.Folder, safe(key)+"=") || strings.Contains(p.Folder, "/") {
			return nil, fmt.Errorf("monitor: monitor %d: folder %s: expected the name of a folder, which begins with %s=", i+1, quote.Value(p.Folder), quote.Short(safe(key)))
		}
	}
	return &Each{Key: key, NightsToFalseAlarm: file.NightsToFalseAlarm, Parts: file.Monitors.Read(), Skipped: file.Skipped.Read()}, nil
}
