// Package version says which build of beameval this is.
package version

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

const module = "github.com/beameval/beameval"

// Build is what the Go toolchain recorded in this program.
type Build struct {
	Version  string // of this module: a release, or a time and a revision
	Revision string // of the version control system, or "" if unknown
	Modified bool   // whether files were modified since the revision
	Go       string
}

// Get returns the build of this program, which may be a user's program with our packages.
func Get() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{Version: unknown, Go: runtime.Version()}
	}
	return of(info)
}

const unknown = "unknown"

func of(info *debug.BuildInfo) Build {
	b := Build{Go: info.GoVersion}
	if info.Main.Path == module {
		b.Version = info.Main.Version
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Revision = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			b.Version = dependency.Version
		}
	}
	b.Version = cmp.Or(b.Version, unknown)
	return b
}
