#!/usr/bin/env bash
# kullback fit and the verbs on its folder.
repository=$PWD
source "$repository/tests/cli/expect.sh"
cp "$repository"/examples/eight_schools.{stan,json} .

draws() { grep -v '^#' "$1"; }
short=(--warmup 100 --draws 100 --seed 7)

expect 'a fit' 0 '^mu +[0-9.-]+' -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --seed 1 --out eight
expect 'its files' 0 '^chain-1.csv chain-2.csv chain-3.csv chain-4.csv events.jsonl model.stan posterior.nc run.json summary.json $' -- \
  bash -c 'ls eight | tr "\n" " "'
expect 'the summary is JSON with the agreed names' 0 '^agreed$' -- python3 - <<'PY'
import json
summary = json.load(open("eight/summary.json"))
fields = {"name", "mean", "sd", "mcse_mean", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat"}
rows = {row["name"]: row for row in summary["parameters"]}
assert "theta[1]" in rows and set(rows["theta[1]"]) == fields, rows["theta[1]"]
assert isinstance(summary["findings"], list)
record = json.load(open("eight/run.json"))
assert record["status"] == "complete" and record["seed"] == 1 and record["gradients"] > 10000
print("agreed")
PY
expect 'lines fit in 80 columns' 0 '^$' -- bash -c "'$kullback' summary eight | awk 'length > 80'"
expect 'the seed decides' 0 '^$' -- bash -c "'$kullback' fit eight_schools.stan eight_schools.json --method nuts --seed 1 --quiet --threads 1 --out again &&
  for c in 1 2 3 4; do diff <(grep -v '^#' eight/chain-\$c.csv) <(grep -v '^#' again/chain-\$c.csv) || exit 1; done"
expect 'another seed, other draws' 1 -- bash -c "'$kullback' fit eight_schools.stan eight_schools.json --method nuts --seed 2 --quiet --out other;
  diff -q <(grep -v '^#' eight/chain-1.csv) <(grep -v '^#' other/chain-1.csv)"
expect 'summary' 0 'eight_schools.stan: nuts, 4 chains x 1000 draws, seed 1' -- "$kullback" summary eight
expect 'diagnose' 0 'largest R-hat +1\.0' -- "$kullback" diagnose eight
expect 'compare for programs' 0 '^other eight$' -- bash -c "'$kullback' compare eight other --json | python3 -c 'import json, sys; print(*(fit[\"fit\"] for fit in json.load(sys.stdin)))'"
expect 'compare' 0 '^eight +-30' -- "$kullback" compare eight other
expect 'predict' 0 '^log_lik\[8\]' -- "$kullback" predict eight
expect 'predictions are a folder' 0 'theta' -- bash -c "'$kullback' summary eight-predictions | grep -c log_lik | grep -qx 8 && echo theta"
expect 'simulate' 0 '^y\[8\]' -- "$kullback" simulate eight_schools.stan eight_schools.json --seed 1 --draws 200 --data-sets 1
expect 'a simulated data set can be fitted' 0 'Results: sim' -- "$kullback" fit eight_schools.stan eight_schools-simulation/data-1.json --method nuts "${short[@]}" --out sim
expect 'optimize' 0 '^mu +4\.' -- "$kullback" optimize eight_schools.stan eight_schools.json --seed 1
expect 'methods' 0 '^nuts ' -- "$kullback" methods
expect 'a method' 0 '--target-accept' -- "$kullback" methods nuts
for method in $("$kullback" methods | awk '/^[a-z]/ && !/^kullback/ {print $1}'); do
  expect "method $method" 0 "Results: by_$method" -- "$kullback" fit eight_schools.stan eight_schools.json --method "$method" --seed 3 --out "by_$method"
  expect "method $method has a summary" 0 'eight_schools.stan: ' -- "$kullback" summary "by_$method"
done

expect 'a folder that exists' 73 'eight: holds a fit already' -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --out eight
expect '--force' 0 'Results: other' -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts "${short[@]}" --out other --force
mkdir mine && touch mine/thesis.txt
expect 'a folder that is no fit' 73 'mine: exists already' -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --out mine --force
expect 'which is not touched' 0 'thesis' -- ls mine
expect 'an unknown method' 64 "Did you mean 'nuts'" -- "$kullback" fit eight_schools.stan eight_schools.json --method nut
expect 'an unknown option' 64 "Did you mean '--max-depth'" -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --max-dept 3
expect "another method's option" 64 'take --method nuts; it is an option of nuts' -- "$kullback" fit eight_schools.stan eight_schools.json --method laplace --max-depth 3
expect 'a switch without sense' 64 'true or false is needed' -- "$kullback" fit eight_schools.stan eight_schools.json --method pathfinder --resample=no
expect 'an option without sense' 64 "found 'many'" -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --draws many
expect 'acceptance beyond 1' 64 'target-accept' -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --target-accept 2 --out never
expect 'a checkpoint that is no time' 64 "'nan', but a value must be a finite number" -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --checkpoint nan --out never
expect 'no program' 64 'a program is needed' -- "$kullback" fit
expect 'a missing program' 66 'none.stan' -- "$kullback" fit none.stan --method nuts
expect 'a faulty program' 65 'faulty.stan' -- bash -c "echo 'parameters { real x }' >faulty.stan; '$kullback' fit faulty.stan --method nuts"
expect 'data that do not fit' 65 "'J'" -- bash -c "echo '{}' >empty.json; '$kullback' fit eight_schools.stan empty.json --method nuts"
expect 'nothing is left of them' 2 -- ls faulty-fit eight_schools-fit
echo 'parameters { real<lower=0> s; } model { target += log(-s); }' >never.stan
expect 'no starting point' 65 'never.stan:1:.* is nan' -- "$kullback" fit never.stan --method nuts
echo 'parameters { real x; } model { x ~ normal(0, 1); target += floor(x * 1e4) * 5e-4; }' >steps.stan
expect 'a gradient that is wrong' 0 'gradient disagrees' -- "$kullback" fit steps.stan --method nuts --seed 11 --out steps "${short[@]:0:4}"
cat >stiff.stan <<'END'
functions { vector relaxed(real t, vector y, real rate) { return [-rate * (y[1] - cos(t))]'; } }
parameters { real x; }
model {
  array[1] vector[1] y = ode_rk45(relaxed, [0]', 0, {2.0}, 1 + 1e7 * inv_logit(50 * (x - 1.5)));
  y[1, 1] ~ normal(0, 100);
  x ~ normal(0, 1);
}
END
expect 'a solver that gave up' 0 'ode_rk45 gave up [0-9]+ times, where stability' -- "$kullback" fit stiff.stan --method nuts --chains 1 --warmup 6 --draws 6 --seed 1 --out stiff
also 'and which to take' 'Use ode_bdf'
echo 'parameters { real x; } model { }' >improper.stan
expect 'an improper posterior' 65 'improper' -- "$kullback" fit improper.stan --method nuts --seed 1
expect 'which leaves no folder' 2 -- ls improper-fit
echo 'generated quantities { real z = normal_rng(0, 1); }' >no_parameters.stan
expect 'no parameters' 0 '^z ' -- "$kullback" fit no_parameters.stan --method nuts --seed 1
echo '{"mu": 1, "tau": -1}' >negative.json
expect 'a starting value outside its support' 65 "negative.json.*tau.*eight_schools.stan" -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --init negative.json
echo '{"mu": 1, "nu": 1}' >unknown.json
expect 'starting values in several lines' 0 '^mu ' -- bash -c "'$kullback' fit eight_schools.stan eight_schools.json --method nuts --init '{\"mu\": 1,
\"tau\": 2}' --out lines ${short[*]} && '$kullback' summary lines"
expect 'a starting value of nothing' 0 "'nu' is not declared" -- "$kullback" fit eight_schools.stan eight_schools.json --method nuts --init unknown.json --out unknown "${short[@]}"
expect 'summary of nothing' 66 'nowhere' -- "$kullback" summary nowhere
expect 'compare without log_lik' 65 "has no 'log_lik'" -- "$kullback" compare steps steps
expect 'resume of nothing' 66 'nowhere: there is no such folder' -- "$kullback" fit --resume nowhere
expect 'a library' 0 'Results: library' -- bash -c "echo '{\"y\": [1, 3, -0.5]}' >y.json; '$kullback' fit '$(dirname "$kullback")/tests/bridgestan_good.so' y.json --method nuts --seed 1 --out library"

expect 'one draw is no evidence' 0 'too few draws to judge' -- "$kullback" fit steps.stan --method nuts --draws 1 --seed 1 --out one
expect 'a complete fit is left alone' 0 'one: is complete' -- "$kullback" fit --resume one
expect 'resume with options of a fit' 64 'from the folder; others were given' -- "$kullback" fit --resume one --draws 9
expect 'resume of predictions' 65 'holds predictions, not a fit' -- bash -c "sed -i 's/complete/interrupted/' eight-predictions/run.json; '$kullback' fit --resume eight-predictions"
expect 'resume of a program that was edited' 65 'model.stan: has [0-9]+ bytes; the run wrote' -- bash -c "sed -i 's/complete/interrupted/' one/run.json; echo >>one/model.stan; '$kullback' fit --resume one"
expect 'a seed below 0' 64 "found '-1'" -- "$kullback" fit steps.stan --method nuts --seed=-1
echo 'parameters { real x; } model { x ~ normal(0, 1); } generated quantities { real y = not_a_number(); }' >nan.stan
expect 'how many are not finite, in full' 0 'y \(4000\)' -- "$kullback" fit nan.stan --method nuts --seed 1 --out nan
expect 'an interrupted run keeps the draws of chains that began' 130 '^x ' -- bash -c "timeout --preserve-status 1 '$kullback' fit nan.stan --method nuts --seed 1 --draws 100000000 --threads 1 --out cut"
mkdir here && mkdir disk && ln -s disk link
expect 'the folder one is in' 0 'run.json' -- bash -c "cd here && '$kullback' fit ../nan.stan --method nuts --out . --quiet && ls"
expect 'a link stays a link' 0 'run.json' -- bash -c "'$kullback' fit nan.stan --method nuts --out link --quiet && test -L link && ls disk"

export ASAN_OPTIONS=detect_leaks=0  # OpenMPI leaks
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for ranks in 2 4; do
  expect "$ranks ranks give the same draws" 0 '^$' -- bash -c "mpirun --oversubscribe -n $ranks '$kullback' fit eight_schools.stan eight_schools.json --method nuts --seed 1 --quiet --out ranks$ranks &&
    for c in 1 2 3 4; do diff <(grep -v '^#' eight/chain-\$c.csv) <(grep -v '^#' ranks$ranks/chain-\$c.csv) || exit 1; done"
done
expect 'ranks and a missing file' 66 'none.stan' -- mpirun --oversubscribe -n 2 "$kullback" fit none.stan --method nuts

finish
