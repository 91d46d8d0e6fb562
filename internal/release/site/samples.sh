#!/bin/sh
# The reports of make docs that make demo does not have, in out/samples: attempts, preferences and prediction sets.
set -eu
rm -rf out/samples
mkdir -p out/samples
evaluate="bin/beameval evaluate --quiet"

$evaluate --task grade --input testdata/grades/a.jsonl --slice suite --set 'input.columns={example: task_id, grade: passed}' --set 'k=[1, 3]' \
	--set confidence.by=repo --set 'report={title: Problems that an agent solves}' --output out/samples/grade >/dev/null

bin/beameval generate --task preference --rows 20k --labels 6 --files 1 --output out/samples/votes >/dev/null
$evaluate --input out/samples/votes --set confidence={} --set 'report={title: Preferences between six systems}' --output out/samples/preference >/dev/null

# Of each animal, the classes that together have a probability of 90 %. By night, there are more.
awk 'BEGIN {
	split("cat dog fox owl", animals); x = 7
	for (i = 0; i < 4000; i++) {
		x = (16807 * x) % 2147483647; night = x % 3 == 0
		sum = 0
		for (c = 1; c <= 4; c++) {
			x = (16807 * x) % 2147483647
			sum += p[c] = exp((night ? 3 : 9) * x / 2147483647)
		}
		x = (16807 * x) % 2147483647; at = x / 2147483647
		for (truth = 1; truth < 4 && at >= p[truth] / sum; truth++) at -= p[truth] / sum
		set = ""; total = 0
		for (c in p) left[c] = p[c] / sum
		while (total < 0.9) {
			best = 0
			for (c = 1; c <= 4; c++) if (c in left && (!best || left[c] > left[best])) best = c
			total += left[best]; delete left[best]
			set = set (set == "" ? "" : ", ") "\"" animals[best] "\""
		}
		printf "{\"label\": \"%s\", \"light\": \"%s\", \"scores\": {", animals[truth], night ? "night" : "day"
		for (c = 1; c <= 4; c++) printf "%s\"%s\": %.6f", (c > 1 ? ", " : ""), animals[c], p[c] / sum
		printf "}, \"set_90\": [%s]}\n", set
	}
}' >out/samples/animals.jsonl
$evaluate --task multiclass --input out/samples/animals.jsonl --slice light --set 'input.columns={set: set_90}' --set confidence={} \
	--set 'gates=[{metric: set_coverage, min: 0.88, slice: each}]' --output out/samples/sets \
	--set 'report={title: Animals and sets of classes, headline: [accuracy, log_loss, set_coverage, mean_set_size, singleton_rate]}' >/dev/null
