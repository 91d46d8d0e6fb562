package system

import (
	"os"

	"golang.org/x/sys/windows"
)

// CreateLocked creates a file and locks it as [Lock] does. Unlike a file that package os opens, it
// can be renamed and removed while it is open.
func CreateLocked(name string) (*os.File, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(path, windows.GENERIC_READ|windows.GENERIC_WRITE, share, nil, windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: name, Err: err}
	}
	return locked(os.NewFile(uintptr(handle), name))
}

// Lock locks a file until it is closed or the process ends. If the file is already locked, it fails
// immediately. Windows releases the lock of a process that has ended some time after the end, and
// children do not inherit it: who gets the lock knows that the owner has ended.
func Lock(f *os.File) error {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
}
