package version

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	require.Equal(t, Build{Version: "v1.2.3", Revision: "abc", Modified: true, Go: "go1.26"}, of(&debug.BuildInfo{
		GoVersion: "go1.26", Main: debug.Module{Path: module, Version: "v1.2.3"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}},
	}))
	// A program that uses our packages has a version of its own, which is not ours.
	require.Equal(t, Build{Version: "v1.0.0", Go: "go1.26"}, of(&debug.BuildInfo{
		GoVersion: "go1.26", Main: debug.Module{Path: "example.com/theirs", Version: "v9"}, Deps: []*debug.Module{{Path: module, Version: "v1.0.0"}},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "of theirs"}},
	}))
	require.Equal(t, Build{Version: unknown}, of(&debug.BuildInfo{Main: debug.Module{Path: module}}))
}

func TestGet(t *testing.T) {
	require.Equal(t, runtime.Version(), Get().Go)
}
