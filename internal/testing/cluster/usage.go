package cluster

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// each calls do for the process and all that it has started, with the name of the program.
func (p *Process) each(do func(id int, program string)) {
	files, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, file := range files {
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		program, err := os.Readlink(file)
		if group, wrong := groupOf(id); err == nil && wrong == nil && group == p.ID {
			do(id, strings.TrimSuffix(filepath.Base(program), " (deleted)")) // workers remove what they run
		}
	}
}

// KillWorkers kills the workers that the process started, and returns how many there were.
func (p *Process) KillWorkers() (killed int) {
	p.each(func(id int, program string) {
		if program == "worker" && kill(id) == nil {
			killed++
		}
	})
	return killed
}

// Memory is the most memory that the process, and each worker of it, had so far, in bytes.
func (p *Process) Memory() (own, worker int64) {
	p.each(func(id int, program string) {
		switch bytes := peak(id); {
		case id == p.ID:
			own = bytes
		case program == "worker":
			worker = max(worker, bytes)
		}
	})
	return own, worker
}

// peak is the most memory that a process had so far.
func peak(id int) int64 {
	status, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "status"))
	_, text, _ := strings.Cut(string(status), "VmHWM:")
	text, _, _ = strings.Cut(text, "kB")
	kib, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return kib << 10
}

// CPU is how long processors have worked for the process and all that it has started.
func (p *Process) CPU() (total time.Duration) {
	p.each(func(id int, _ string) {
		stat, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "stat"))
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // without the name
		for _, field := range fields[min(11, len(fields)):min(15, len(fields))] { // and of those that it waited for
			hundredths, _ := strconv.Atoi(field)
			total += time.Duration(hundredths) * 10 * time.Millisecond
		}
	})
	return total
}

// Disk is the size of the files of the process.
func (p *Process) Disk() (bytes int64) {
	_ = filepath.WalkDir(p.Dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed meanwhile
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
