// Package house tests the house itself: its layers, the sizes of packages and functions, what code of numbers may call, the
// docs, and the notices of licences.
package house_test

import (
	"os"
	"testing"
)

// TestMain runs the tests in the root of the repository, whose files they look at.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
