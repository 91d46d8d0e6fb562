// Package nobody lets a program start as a user without a name: one whose number is not in /etc/passwd, and whose
// environment has no USER or no HOME. A package of Beam that starts expansion services asks for the user before main
// runs, and panics if there is none.
//
// Go initializes the packages that are ready in the order of their import paths. This package needs os alone, so it is
// initialized before os/user, and therefore before all that ask for a user. With cgo, or on macOS, os/user asks the C
// library, which reads no variables; our programs for Linux are built without cgo.
package nobody

import "os"

// lacked are the variables that were set for a user without a name, with what they were.
var lacked = map[string]*string{}

func init() {
	for name, value := range map[string]string{"USER": "nobody", "HOME": "/"} {
		was, set := os.LookupEnv(name)
		if was != "" || os.Setenv(name, value) != nil {
			continue
		}
		lacked[name] = nil
		if set {
			lacked[name] = &was
		}
	}
}

// Restore gives the variables back what they were: the rest of the program, and the programs that it starts, find the
// environment of the user. A package that imports Beam calls it when it is initialized.
func Restore() {
	for name, was := range lacked {
		if was == nil {
			os.Unsetenv(name)
		} else {
			os.Setenv(name, *was)
		}
	}
	clear(lacked)
}
