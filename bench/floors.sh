#!/usr/bin/env bash
# Our gradients against the fastest we could write by hand, for the five programs of bench/models. Arguments: rounds.
set -euo pipefail
cd "$(dirname "$0")/.."
models=build/bench/models
mkdir -p "$models"
cp bench/models/*.stan bench/models/*.check.json "$models"
for data in bench/models/*.data.json.gz; do
  gzip -dc "$data" >"$models/$(basename "$data" .gz)"
done
build/bench/bench_floors "$models" "$@"
