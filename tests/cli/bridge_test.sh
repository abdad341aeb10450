#!/usr/bin/env bash
# `kullback bridge`, as a user meets it, and the way back: `kullback fit` and `density` of the library.
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$(dirname "$0")/expect.sh"

# ---- a library, and what is in it ----
cp "$root"/examples/eight_schools.stan "$root"/examples/eight_schools.json .
expect 'a library' 0 "eight_schools.so: eight_schools.stan with BridgeStan's interface" -- "$kullback" bridge eight_schools.stan
expect 'its name' 0 'model.so: eight' -- "$kullback" bridge eight_schools.stan -o model.so
expect 'again' 0 -- "$kullback" bridge eight_schools.stan --out model.so
expect 'from standard input' 0 'piped.so: standard input' -- bash -c "'$kullback' bridge - -o piped.so <eight_schools.stan"
expect 'no file is left beside it' 1 -- bash -c 'ls | grep -F .new-'
if command -v nm >/dev/null; then
  expect 'shows BridgeStan functions and nothing else' 1 '^$' -- bash -c 'nm -D --defined-only model.so | grep -v " bs_"'
fi

# ---- the same density, a fit ----
echo '[1, 0.5, 0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8]' >point.json
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
for flag in '' --normalized; do
  for name in log_density gradient; do
    from_program=$("$kullback" density eight_schools.stan eight_schools.json --point point.json $flag | field $name)
    from_library=$("$kullback" density ./model.so eight_schools.json --point point.json $flag | field $name)
    expect "$name of the library $flag" 0 -- test "$from_program" = "$from_library"
  done
done
expect 'a fit of the library' 0 'theta' -- "$kullback" fit model.so eight_schools.json --method nuts --seed 1 --chains 2 --draws 400 --out library-fit
"$kullback" fit eight_schools.stan eight_schools.json --method nuts --seed 2 --chains 2 --draws 400 --out program-fit >/dev/null
cat >compare.py <<'PYTHON'
import json, math
library, program = ({row["name"]: row for row in json.load(open(f"{kind}-fit/summary.json"))["parameters"]}
                    for kind in ("library", "program"))
assert set(library) == set(program), set(library) ^ set(program)
for name, row in program.items():
    error = math.hypot(row["mcse_mean"], library[name]["mcse_mean"])
    if abs(row["mean"] - library[name]["mean"]) > 5 * error:
        print(name, row["mean"], library[name]["mean"], error)
PYTHON
expect 'means agree with those of the program' 0 '^$' -- python3 compare.py
expect 'without its data' 65 'eight_schools.stan:' -- "$kullback" fit model.so --out nowhere

# ---- wrong programs ----
echo 'parameters { real mu; } model { mu ~ nrmal(0, 1); }' >wrong.stan
expect 'a wrong program' 65 "'normal'" -- "$kullback" bridge wrong.stan
expect 'its window' 65 '\^' -- "$kullback" bridge wrong.stan
expect 'and no library' 1 -- test -e wrong.so
expect 'a missing program' 66 'missing.stan' -- "$kullback" bridge missing.stan
expect 'a folder' 65 'folder' -- "$kullback" bridge .
echo 'real f(real x) { return x; }' >only.stanfunctions
expect 'functions alone' 64 'functions alone have no density' -- "$kullback" bridge only.stanfunctions
printf 'functions {\n#include gone.stan\n}\nparameters { real y; }\n' >includes.stan
expect 'a missing include' 65 "'gone.stan' was found in none of" -- "$kullback" bridge includes.stan
mkdir parts && echo 'real f(real x) { return x; }' >parts/gone.stan
expect 'its folder' 0 -- "$kullback" bridge includes.stan --include-path parts
echo 'parameters { real<lower=1> y; } model { target += wiener_lcdf_unnorm(y, 1.5, 0.1, 0.5, 0.2); }' >unsupported.stan
expect 'a function that does not run' 65 "error.*'wiener_lcdf_unnorm' is not supported yet" -- "$kullback" bridge unsupported.stan
expect 'and no library either' 1 -- test -e unsupported.so

# ---- wrong places ----
echo 'mine' >precious.so
expect 'a file of mine' 73 "precious.so: there is a file that 'kullback bridge' did not write" -- "$kullback" bridge eight_schools.stan -o precious.so
expect 'is kept' 0 '^mine$' -- cat precious.so
expect 'unless forced' 0 -- "$kullback" bridge eight_schools.stan -o precious.so --force
expect 'over the program' 64 'the library would replace the program' -- "$kullback" bridge eight_schools.stan -o ./eight_schools.stan --force
expect 'a folder as output' 73 'parts: this is a folder' -- "$kullback" bridge eight_schools.stan -o parts --force
expect 'a folder that is not there' 73 'nowhere/model.so: cannot be written' -- "$kullback" bridge eight_schools.stan -o nowhere/model.so
expect 'standard input without a name' 64 'hint: Name the library: -o model.so' -- bash -c "'$kullback' bridge - <eight_schools.stan"
expect 'no program' 64 'bridge needs MODEL: ' -- "$kullback" bridge
expect 'two programs' 64 -- "$kullback" bridge eight_schools.stan wrong.stan
expect 'an unknown option' 64 "has no option '--forced'" -- "$kullback" bridge eight_schools.stan --forced

# ---- the stub ----
mkdir -p bare/bin installed/bin installed/lib/kullback
for folder_of_program in bare/bin installed/bin; do cp "$kullback" "${kullback%/*}/libkullback.so.1" $folder_of_program; done
cp "$(dirname "$kullback")/kullback-bridge.so" installed/lib/kullback/
expect 'without the stub' 66 'kullback-bridge.so is missing; it was looked for in .*/bare/bin, .*/bare/lib/kullback and .*/bare/lib' -- bare/bin/kullback bridge eight_schools.stan -o x.so
expect 'the installed stub' 0 -- installed/bin/kullback bridge eight_schools.stan -o x.so
cp x.so bare/bin/kullback-bridge.so
expect 'a stub with a program' 65 'this is a library with a program inside, not the stub' -- bare/bin/kullback bridge eight_schools.stan -o y.so
echo 'text' >bare/bin/kullback-bridge.so
expect 'a stub that is none' 65 'this is no shared library' -- bare/bin/kullback bridge eight_schools.stan -o y.so

expect 'completion' 0 'bridge\)' -- "$kullback" completion bash

finish
