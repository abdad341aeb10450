#!/usr/bin/env bash
# kullback report, and fit --report.
root=$PWD
source tests/cli/expect.sh

schools=$root/examples/eight_schools.stan
data=$root/examples/eight_schools.json
"$kullback" fit "$schools" "$data" --method nuts --draws 100 --warmup 200 --seed 1 --quiet --out nuts

expect 'a page in the folder' 0 '^Report: nuts/report.html$' -- "$kullback" report nuts
expect 'a page elsewhere' 0 '^Report: page.html$' -- "$kullback" report nuts -o page.html
expect 'the same folder, the same bytes' 0 '^$' -- cmp nuts/report.html page.html
expect 'silence' 0 '^$' -- "$kullback" report nuts -o page.html --quiet
expect 'no address of a network is loaded' 1 -- grep -qE '(src|href)="?https?:' page.html
expect 'the program is in it' 0 -- grep -q 'eight_schools.stan' page.html

expect 'fit --report' 0 '^Report: laplace/report.html$' -- "$kullback" fit "$schools" "$data" --method laplace --seed 1 --out laplace --report
expect 'fit --resume --report of a complete fit' 0 '^Report: nuts/report.html$' -- "$kullback" fit --resume nuts --report
expect 'an optimum' 0 '^Report: ' -- bash -c "'$kullback' optimize '$schools' '$data' --seed 1 --quiet --out optimum && '$kullback' report optimum"
expect 'simulated data' 0 '^Report: ' -- bash -c "'$kullback' simulate '$schools' '$data' --seed 1 --out simulated >/dev/null && '$kullback' report simulated"

"$kullback" fit "$schools" "$data" --seed 1 --quiet --out ladder
expect 'a ladder by its default tolerance' 0 '^Report: ' -- "$kullback" report ladder
expect 'says the tolerance' 0 -- grep -q 'standard deviation within 0.1 posterior standard deviations' ladder/report.html
expect 'and how to repeat the fit' 0 -- grep -q -- '--tolerance 0\.1' ladder/report.html

expect 'no folder' 66 'nowhere: there is no such folder' -- "$kullback" report nowhere
mkdir empty
expect 'no result' 66 'empty: is not the folder of a result: it has no run.json' -- "$kullback" report empty
expect 'a file' 65 'page.html: is a file; the folder of a result is needed' -- "$kullback" report page.html
expect 'no argument' 64 'report needs DIR: ' -- "$kullback" report
expect 'cannot write' 73 'nowhere/page.html' -- "$kullback" report nuts -o nowhere/page.html
cp -r nuts newer && sed -i 's/"version": "[^"]*"/"version": "99.1.0"/' newer/run.json
expect 'a newer version' 65 'newer: was written by Kullback 99.1.0' -- "$kullback" report newer
cp -r nuts torn && echo '{' >torn/summary.json
expect 'a damaged file' 65 'torn/summary.json: has 2 bytes; the run wrote' -- "$kullback" report torn
forget_files torn
expect 'a damaged file of a version that did not list them' 65 'torn/summary.json: is no JSON' -- "$kullback" report torn
cp -r nuts lacking && rm lacking/chain-2.csv
expect 'draws are missing: the table stays' 0 '^Report: ' -- "$kullback" report lacking
expect 'and that is said' 0 -- grep -q 'chain-2.csv: the file is missing' lacking/report.html

finish
