package reporttest

import "math/rand/v2"

// HostileNames are distinct names, including all combinations of three pieces of an escape.
func HostileNames() []string {
	pieces := []string{"", `\`, `\x`, "5c", "ff", "\xff", "x", `\xff`, `\x5c`, "\n", `"`, "é", "\u202e", "\xc3"}
	met := map[string]bool{}
	var names []string
	for _, a := range pieces {
		for _, b := range pieces {
			for _, c := range pieces {
				if name := a + b + c; !met[name] && name != "" {
					met[name] = true
					names = append(names, name)
				}
			}
		}
	}
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}
