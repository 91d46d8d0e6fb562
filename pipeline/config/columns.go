package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
)

// Columns names the column of each role in the files of the predictions. A column that is not named
// is found by its name, unless the role is off. The table of package roles defines and describes the keys.
type Columns [roles.Count]Origin

// TruthColumns names the column of each role in the files of the truth. A column that is not named
// has the same name as in the predictions, or is found by its name.
type TruthColumns Columns

// BaselineColumns names the column of each role in the files of a baseline. A column that is not named
// has the same name as in the predictions, or is found by its name.
type BaselineColumns Columns

// TrainingColumns names the column of the ids in the files of the training data. If it is not named, it has the
// same name as in the predictions, or is found by its name.
type TrainingColumns Columns

// ofRoles is a mapping whose keys are roles.
type ofRoles interface {
	in() (*Columns, roles.Files)
}

func (c *Columns) in() (*Columns, roles.Files)         { return c, roles.OfInput }
func (c *TruthColumns) in() (*Columns, roles.Files)    { return (*Columns)(c), roles.OfTruth }
func (c *BaselineColumns) in() (*Columns, roles.Files) { return (*Columns)(c), roles.OfBaseline }
func (c *TrainingColumns) in() (*Columns, roles.Files) { return (*Columns)(c), roles.OfTraining }

// keysOfRoles returns the keys of a mapping of roles.
func keysOfRoles(of ofRoles) (keys []key) {
	columns, files := of.in()
	for r := range files.Roles() {
		about, tag := r.InFiles(files), reflect.StructTag("")
		if tasks := r.Of().Tasks; tasks != 0 && files != roles.OfBaseline { // which has its own tasks
			tag = reflect.StructTag(fmt.Sprintf(`tasks:"%s"`, strings.ReplaceAll(metrics.Task(tasks).String(), ",", "")))
		}
		value := reflect.ValueOf((*single)(&columns[r])).Elem()
		if about.Wide {
			value = reflect.ValueOf(&columns[r]).Elem()
		}
		keys = append(keys, key{about.Key, reflect.TypeOf(of).Elem().Name() + "." + about.Key, tag, value})
	}
	return keys
}

// off reports whether the key names a role that is off, in any task.
func (k key) off() bool {
	switch o := k.value.Interface().(type) {
	case Origin:
		return o.Off
	case single:
		return o.Off
	}
	return false
}

// has returns which of some roles have a column.
func (c *Columns) has(some ...roles.Role) (has roles.Set) {
	for _, r := range some {
		if c[r].Column != "" {
			has |= roles.SetOf(r)
		}
	}
	return has
}

// keyOf returns the key of a role in the predictions.
func keyOf(r roles.Role) string { return "input.columns." + r.String() }

// commentsOfRoles adds the descriptions of the keys of roles.
func commentsOfRoles(all map[string]string) {
	for _, of := range []ofRoles{new(Columns), new(TruthColumns), new(BaselineColumns), new(TrainingColumns)} {
		_, files := of.in()
		for r := range files.Roles() {
			about := r.InFiles(files)
			all[reflect.TypeOf(of).Elem().Name()+"."+about.Key] = about.Doc
		}
	}
}
