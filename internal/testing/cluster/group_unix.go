//go:build unix

package cluster

import "syscall"

// ofItsOwn are attributes of a process that is the first of a process group.
func ofItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// groupOf returns the process group of a process.
func groupOf(id int) (int, error) { return syscall.Getpgid(id) }

// kill kills a process, or a process group if the number is negative.
func kill(id int) error { return syscall.Kill(id, syscall.SIGKILL) }
