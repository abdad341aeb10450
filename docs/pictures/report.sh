#!/usr/bin/env bash
# docs/pictures/report.png: the top of the report of eight schools. Needs Chromium; the program is $KULLBACK, or build/kullback.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${KULLBACK:-build/kullback}" fit examples/eight_schools.stan examples/eight_schools.json --tolerance 0.1 --seed 1 --quiet --report --out "$folder/fit"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=4000 --force-device-scale-factor=0.8 \
  --window-size=1200,1560 --screenshot="$PWD/docs/pictures/report.png" "file://$folder/fit/report.html" 2>/dev/null
