#!/usr/bin/env bash
# Autoencoders with the less common parts, and evaluate.
source "$(dirname "$0")/expect.sh"
deep=$(dirname "$kullback")/kullback-deep
if [ ! -x "$deep" ]; then echo "kullback-deep is not built (no LibTorch): nothing to test"; exit 0; fi
export OMP_NUM_THREADS=1
python3 - <<'PY'
import random
random.seed(1)
for name, rows in (("train", 300), ("new", 60)):
    with open(f"{name}.csv", "w") as file:
        file.write("a,b,c,d\n")
        for _ in range(rows):
            z, w = random.gauss(0, 1), random.gauss(0, 1)
            file.write(",".join(f"{x + 0.3 * random.gauss(0, 1):.5f}" for x in (z, z + w, z - w, 0.5 * w)) + "\n")
PY
small="--latent 2 --hidden 16 --epochs 15 --batch 50 --seed 1 --threads 1 --quiet"
quick="--samples 200 --gap-rows 10 --fit-steps 40 --threads 1"

expect 'a model' 0 -- "$deep" vae train.csv $small --out plain
expect 'its evaluation' 0 'amortisation gap' -- "$deep" evaluate plain new.csv $quick
expect 'in a file' 0 -- python3 -c "
import json; figures = json.load(open('plain/evaluation.json')); test = figures['test']
assert test['rows'] == 60 and test['gap_rows'] == 10 and len(figures['activity']) == 2, figures
assert test['log_likelihood']['mean'] > test['elbo']['mean'], test
assert abs(test['approximation_gap']['mean'] + test['amortisation_gap']['mean']
           - test['gap_log_likelihood']['mean'] + test['gap_elbo']['mean']) < 1e-9, test"
expect 'annealing and generalisation' 0 'generalisation gap' -- "$deep" evaluate plain new.csv --train train.csv --ais true --ais-temperatures 30 --ais-chains 4 $quick
expect 'annealing agrees with importance weighting' 0 -- python3 -c "
import json; test = json.load(open('plain/evaluation.json'))['test']
assert test['ais_acceptance'] > 0.3, test
assert abs(test['ais']['mean'] - test['gap_log_likelihood']['mean']) < 0.5, test"
expect 'refined posteriors' 0 'refined by 20 steps' -- "$deep" evaluate plain new.csv --refine-steps 20 --gaps false --rows 20 $quick

expect 'codes' 0 -- "$deep" vae train.csv $small --posterior vq --prior codes --codes 8 --out codes
expect 'use of codes' 0 'codes: perplexity' -- "$deep" evaluate codes new.csv $quick
expect 'codes cannot be annealed' 64 'cannot be annealed' -- "$deep" evaluate codes new.csv --ais true $quick
expect 'codes need their prior' 64 'Give --prior codes' -- "$deep" vae train.csv $small --posterior vq --out none
expect 'codes need a plain objective' 64 'Give --objective vae' -- "$deep" vae train.csv $small --posterior vq --prior codes --objective iwae --out none
expect 'two layers' 0 -- "$deep" vae train.csv $small --posterior hierarchical --prior hierarchical --top-hidden 8 --out layers
expect 'their evaluation' 0 'active latent variables' -- "$deep" evaluate layers new.csv $quick
expect 'a flow posterior and a flow prior' 0 -- "$deep" vae train.csv $small --posterior iaf --flow-hidden 8 --prior flow --prior-hidden 8 --out flows
expect 'iterative refinement' 0 -- "$deep" vae train.csv $small --posterior iterative --objective iterative --refine-hidden 8 --out iterative
expect 'it evaluates refined' 0 'refined by 3 steps' -- "$deep" evaluate iterative new.csv --refine-steps 3 $quick
expect 'it needs its network' 64 'belong together' -- "$deep" vae train.csv $small --objective iterative --out none
expect 'rows of another kind' 65 -- "$deep" evaluate plain /dev/null $quick
expect 'no model' 66 -- "$deep" evaluate nowhere new.csv $quick

finish
