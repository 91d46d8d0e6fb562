#!/usr/bin/env bash
# Evaluates as CONFIG and INPUT say, compares with BASELINE, and writes the report to the summary of
# the job. The exit code is an output: the report is kept before the job fails by it.
set -uo pipefail

arguments=(--quiet --overwrite --output "$OUTPUT")
[ -z "$CONFIG" ] || arguments+=(--config "$CONFIG")
[ -z "$INPUT" ] || arguments+=(--input "$INPUT")
[ -z "$BASELINE" ] || arguments+=(--baseline "$BASELINE")
message=$(mktemp)
beameval evaluate "${arguments[@]}" 2>"$message"
code=$?
cat "$message" >&2

report=
comparison=
if [ $code = 0 ] || [ $code = 3 ]; then
	report=$OUTPUT
	if [ -n "$BASELINE" ]; then
		comparison=$OUTPUT-compared
		beameval compare "$BASELINE" "$OUTPUT" --overwrite --output "$comparison" || {
			code=$?
			comparison=
		}
	fi
fi

# GitHub takes 1 MiB of summary from a step.
{
	if [ -n "$report" ]; then
		head --bytes 500000 "$report/report.md"
		[ -z "$comparison" ] || { echo && head --bytes 400000 "$comparison/comparison.md"; }
	else
		echo "The evaluation failed with exit code $code:"
		echo '```'
		head --bytes 10000 "$message"
		echo '```'
	fi
} >>"$GITHUB_STEP_SUMMARY"
printf '%s\n' "exit-code=$code" "report=$report" "comparison=$comparison" >>"$GITHUB_OUTPUT"
