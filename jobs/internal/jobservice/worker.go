package jobservice

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"runtime"
)

// WorkerBinary returns the program that remote workers run: the one named by the flag, or else this
// one. Beam would compile the program from sources, which may not exist.
func WorkerBinary(named string) (string, error) {
	if named != "" {
		if info, err := os.Stat(named); err != nil || !info.Mode().IsRegular() {
			return "", fmt.Errorf("--worker_binary: there is no file %s", named)
		}
		return named, nil
	}
	self, err := os.Executable()
	if err == nil {
		err = checkStatic(self)
	}
	if err != nil {
		return "", fmt.Errorf("workers need a static build for linux/amd64, and this program is none: %w; "+
			"build one with make dist and run it, or name it with --worker_binary dist/linux/amd64/beameval", err)
	}
	return self, nil
}

// checkStatic returns an error if a program does not run on linux/amd64 without further libraries.
func checkStatic(name string) error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("it is for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	f, err := elf.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return errors.New("it is linked to the libraries of this machine")
		}
	}
	return nil
}
