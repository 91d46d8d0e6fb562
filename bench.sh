#!/usr/bin/env bash
# Times whole jobs: bench.sh [DATA]. DATA has the folders binary, multilabel and
# multiclass (each with a column country), ranking, long (multilabel, one row per
# label) and sparse (sparse scores); missing folders are skipped. Without DATA, all
# but sparse are generated.
set -euo pipefail
data=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$data" ]; then
  data=$work/data
  bin/generate --task binary --rows 10M --weights --slices country:5 --output "$data/binary" >"$work/log" 2>&1
  bin/generate --task multilabel --rows 1M --labels 20 --float 32 --slices country:5 --output "$data/multilabel" >"$work/log" 2>&1
  bin/generate --task multiclass --rows 2M --labels 10 --float 32 --slices country:5 --output "$data/multiclass" >"$work/log" 2>&1
  bin/generate --task ranking --rows 5M --output "$data/ranking" >"$work/log" 2>&1
  bin/generate --task multilabel --layout label --rows 4M --labels 20 --float 32 --output "$data/long" >"$work/log" 2>&1
fi

for task in binary multilabel multiclass ranking long sparse; do
  [ -d "$data/$task" ] || continue
  case $task in
    ranking) config='task: ranking' ;;
    long) config='{task: multilabel, input: {layout: label, columns: {class: label_name}}}' ;;
    sparse) config='' ;;
    *) config='slices: [[country]]' ;;
  esac
  echo "$config" >"$work/config.yaml"
  bin/evaluate --quiet --config "$work/config.yaml" --input "$data/$task" --output "$work/$task" >"$work/log"
  awk -v task="$task" '/"seconds"|"rows_per_second"/ { gsub(/[",:]/, ""); printf "%s %s %s\n", task, $1, $2 }' "$work/$task/run.json"
done
