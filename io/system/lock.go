package system

import "os"

// locked locks a new file, or closes it.
func locked(f *os.File) (*os.File, error) {
	if err := Lock(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
