#!/bin/sh
# Builds bin/beameval, and says how far it is: the first time, everything that it needs is downloaded and compiled.
set -eu
echo "Looking for what bin/beameval is built of, which downloads it the first time."
go list -deps -f '{{with .Module}}{{.Path}}{{else}}std{{end}}' ./jobs/beameval >bin/packages
packages=$(grep -c . bin/packages)
modules=$(sort -u bin/packages | grep -vc -e '^std$' -e '^github.com/beameval/beameval$')
cores=$(getconf _NPROCESSORS_ONLN)
# Measured: 264 seconds of a processor.
echo "Building it: $packages packages, of the standard library and $modules modules. The first time this takes about" \
	"$(((264 / cores + 59) / 60)) minutes on $cores cores, then seconds."
{
	go build -v -o bin/ ./jobs/beameval 2>&1 && echo 'exit 0' || echo 'exit 1'
} | awk -v all="$packages" '
	/^exit [01]$/ { exit $2 }
	/^[^# ]+$/ { if (++n % 100 == 0) { printf "  compiled %d of %d packages\n", n, all; fflush() } next }
	{ print }'
