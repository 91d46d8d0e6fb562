#!/bin/sh
# Evaluates night $1 of the demo. From night 27 on, more and more scores of one country tell nothing.
set -eu
n=$1
if [ "$n" -le 30 ]; then day=$(printf 2026-09-%02d "$n"); else day=$(printf 2026-10-%02d $((n - 30))); fi
broken=
[ "$n" -lt 27 ] || broken=$(printf -- '--broken country=country_1:0.%02d' $(((n - 26) * 6)))
# shellcheck disable=SC2086 # no flag, or two words
said=$(bin/beameval generate --rows 5k --files 1 --slices country:3 --seed "$n" $broken --output "out/night/dt=$day" 2>&1) || { echo "$said"; exit 1; }
bin/beameval evaluate --quiet --config demo/nightly.yaml --input "out/night/dt=$day" --output "out/nights/dt=$day" >/dev/null
printf .
