#!/usr/bin/env bash
# Evaluates as CONFIG and INPUT say, compares with BASELINE if there is one yet, and writes the report to
# the summary of the job. The exit code is an output: the report is kept before the job fails by it.
set -uo pipefail

arguments=(--quiet --overwrite --output "$OUTPUT")
[ -z "$CONFIG" ] || arguments+=(--config "$CONFIG")
[ -z "$INPUT" ] || arguments+=(--input "$INPUT")
message=$(mktemp)

# A second line would be an output of its own.
case $OUTPUT in
*[$'\r\n']*)
	echo "::error::output has a line break"
	exit 2
	;;
esac

# Without a gate that compares with it, the baseline is for the comparison alone.
if [ -n "$BASELINE" ]; then
	beameval evaluate "${arguments[@]}" --baseline "$BASELINE" 2>"$message"
	code=$?
fi
if [ -z "$BASELINE" ] || { [ $code = 2 ] && grep -q 'baseline: no gate has max_drop or max_rise' "$message"; }; then
	beameval evaluate "${arguments[@]}" 2>"$message"
	code=$?
fi
cat "$message" >&2

report=
comparison=
if [ $code = 0 ] || [ $code = 3 ]; then
	report=$OUTPUT
fi
if [ -n "$report" ] && [ -n "$BASELINE" ]; then
	compared=$(mktemp)
	beameval compare "$BASELINE" "$OUTPUT" --overwrite --output "$OUTPUT-compared" 2>"$compared"
	failed=$?
	if [ $failed = 0 ]; then
		comparison=$OUTPUT-compared
	elif grep -q '^compare: there is no report in ' "$compared"; then # a gate that needs one has said so already
		echo "::notice::there is no report in $BASELINE yet, so nothing is compared"
	else
		code=$failed
		tee -a "$message" <"$compared" >&2
	fi
fi

# GitHub takes 1 MiB of summary from a step.
{
	if [ -n "$report" ]; then
		head -c 500000 "$report/report.md"
		[ -z "$comparison" ] || { echo && head -c 400000 "$comparison/comparison.md"; }
	else
		echo "The evaluation failed with exit code $code:"
		echo '```'
		head -c 10000 "$message"
		echo '```'
	fi
} >>"$GITHUB_STEP_SUMMARY"
printf '%s\n' "exit-code=$code" "report=$report" "comparison=$comparison" "message=$message" >>"$GITHUB_OUTPUT"
