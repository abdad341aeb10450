#!/usr/bin/env bash
# 20,000 rows of 55 numbers: every method takes at most 3 times their memory.
set -euo pipefail
cd "$(dirname "$0")/../.."
KULLBACK=${KULLBACK:?set KULLBACK to the program} bench/large_data.py --rows 20000 \
  --methods density laplace minibatch
