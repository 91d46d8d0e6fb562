#!/bin/sh
# Shows what beameval can do, on data that are here or made up: reports in out, and what to do next. make demo builds the
# program, and evaluates the bundled data, before.
set -eu
rm -rf out/gate out/digits_other out/compared out/night out/nights out/monitored
say() { printf '\n== %s\n' "$*"; }

# expect CODE COMMAND... runs a command that must end with an exit code.
expect() {
	want=$1
	shift
	echo "$ $*"
	"$@" && code=0 || code=$?
	[ $code = "$want" ] || { echo "exit code $code instead of $want"; exit 1; }
}
evaluate="bin/beameval evaluate --quiet --set confidence={}"

say "A gate: the model must find 90 % of the malignant tumours. It does not, so the exit code is 3, and nothing is deployed."
expect 3 $evaluate --config testdata/breast_cancer/config.yaml --set 'gates=[{metric: recall, min: 0.9}]' --set 'report={title: Tumours, model: logistic regression}' \
	--output out/gate

say "A comparison: is another model of handwritten digits better?"
expect 0 $evaluate --config testdata/digits/config.yaml --input testdata/digits/other.parquet --output out/digits_other >/dev/null
expect 0 bin/beameval compare out/digits out/digits_other --output out/compared

say "A monitor: 40 nights of 5,000 invented examples. From 2026-09-27 on, a model decays in one country, which nobody tells it."
seq 40 | xargs -n 1 -P 2 demo/night.sh
echo
expect 3 bin/beameval monitor out/nights --config demo/nightly.yaml --output out/monitored

cat <<END

Open in a browser:
  $PWD/out/gate/report.html             the gate that failed, intervals, slices, curves
  $PWD/out/digits/report.html           ten classes
  $PWD/out/compared/comparison.html     two models, and which differences are more than chance
  $PWD/out/monitored/monitor.html       40 nights, since when it is worse, and where

Your own data, one row per example with a label and a score:
  bin/beameval evaluate --input predictions.parquet --set confidence={} --output report
END
