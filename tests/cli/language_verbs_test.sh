#!/usr/bin/env bash
# The verbs on programs, as a user meets them: exit codes, what is printed where, and every kind of bad input.
source "$(dirname "$0")/expect.sh"
# Frames are several times as large under the address sanitizer, which the stack of a usual process is not made for.
ldd "$kullback" | grep -q libasan && ulimit -s 65536

cat >good.stan <<'STAN'
data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 10);
  sigma ~ exponential(1);
  y ~ normal(mu, sigma);
}
STAN
sed 's/normal(mu, sigma)/normal(mu, sigm)/' good.stan >misspelt.stan
printf '# old\nparameters { real x[2]; }\nmodel { real s; s <- 1; increment_log_prob(normal_log(x, 0, s)); }\n' >old.stan

expect version 0 '^kullback [0-9]+\.[0-9]+' -- "$kullback" --version
expect help 0 'modernize' -- "$kullback" --help
for verb in check density format modernize completion; do
  expect "help of $verb" 0 "$verb" -- "$kullback" "$verb" --help
done
expect 'no verb' 64 'check' -- "$kullback"
expect 'unknown verb' 64 -- "$kullback" chekc good.stan
expect 'unknown option' 64 'kullback check --help' -- "$kullback" check --frobnicate good.stan
expect 'no file named' 64 'check needs FILE: ' -- "$kullback" check
expect 'bad dump' 64 'dump' -- "$kullback" check --dump tape good.stan

expect 'good program is silent' 0 '^$' -- "$kullback" check good.stan
expect 'standard input' 0 '^$' -- bash -c "'$kullback' check - <good.stan"
expect 'misspelt name' 65 "misspelt.stan:12:18: error" -- "$kullback" check misspelt.stan
expect 'did you mean' 65 "'sigma'" -- "$kullback" check misspelt.stan
expect 'caret' 65 '^ +\| +\^\^\^\^$' -- "$kullback" check misspelt.stan
expect 'json' 65 '"line": 12, "column": 18' -- "$kullback" check --json misspelt.stan
expect 'json of nothing wrong' 0 '^\[\]$' -- "$kullback" check --json good.stan
expect 'json parses' 0 '^$' -- bash -c "'$kullback' check --json misspelt.stan old.stan | python3 -c 'import json, sys; json.load(sys.stdin)'"
expect 'all files are checked' 65 'misspelt.stan:12' -- "$kullback" check old.stan misspelt.stan good.stan
expect 'summary' 0 'sigma' -- "$kullback" check --summary good.stan
expect 'dump ast' 0 'normal' -- "$kullback" check --dump ast good.stan
expect 'dump program' 0 'normal_lpdf' -- "$kullback" check --dump program good.stan
expect 'old program passes' 0 'old-assignment' -- "$kullback" check old.stan
expect 'modern form' 0 'target \+= normal_lpdf\(x \| 0, s\);' -- "$kullback" modernize old.stan
expect 'modern form is modern' 0 '\[\]' -- bash -c "'$kullback' modernize old.stan | '$kullback' check --json - | grep -v no-prior"
expect 'format' 0 'vector\[N\] y;' -- "$kullback" format good.stan
expect 'format of a broken program' 65 'error' -- bash -c "echo 'model { x = ; }' | '$kullback' format -"

cp good.stan copy.stan
echo 'model{real x;x=1;}' >ugly.stan
expect 'format in place' 0 '^$' -- "$kullback" format --in-place ugly.stan
expect 'formatted file' 0 '^  real x;$' -- cat ugly.stan
expect 'in place needs a file' 64 'in-place' -- bash -c "'$kullback' format --in-place - <good.stan"
expect 'full disk' 73 'cannot be written' -- bash -c "'$kullback' format good.stan >/dev/full"
if [ "$(id -u)" -ne 0 ]; then
  mkdir closed && cp good.stan closed/ && chmod a-w closed
  expect 'read-only folder' 73 'cannot be written' -- "$kullback" format --in-place closed/good.stan
fi

expect 'missing file' 66 'missing.stan: cannot be read' -- "$kullback" check missing.stan
expect 'missing file, format' 66 'missing.stan' -- "$kullback" format missing.stan
expect 'a folder' 65 'cannot be read' -- "$kullback" check .
: >empty.stan
expect 'empty file' 65 'no blocks' -- "$kullback" check empty.stan
head -c 100000 /dev/urandom >binary.stan
expect 'binary' 65 'error' -- "$kullback" check binary.stan
printf 'model {\0}' >nul.stan
expect 'NUL byte' 65 'NUL' -- "$kullback" check nul.stan
printf 'model { real x\xff; }' >latin.stan
expect 'invalid UTF-8' 65 'UTF-8' -- "$kullback" check latin.stan
printf '// caf\xe9\nmodel { }\n' >latin_comment.stan
expect 'invalid UTF-8 in a comment' 0 'UTF-8' -- "$kullback" check latin_comment.stan
printf '\xef\xbb\xbf' | cat - good.stan >bom.stan
expect 'byte order mark' 0 '^$' -- "$kullback" check bom.stan
sed 's/$/\r/' good.stan >crlf.stan
expect 'CRLF' 0 '^$' -- "$kullback" check crlf.stan
iconv -t UTF-16 good.stan >utf16.stan
expect 'UTF-16' 65 'UTF-16' -- "$kullback" check utf16.stan
python3 -c "print('model { real x = ' + '(' * 100000 + '1' + ')' * 100000 + '; }')" >nested.stan
expect '100,000 parentheses' 65 'levels deep' -- "$kullback" check nested.stan
python3 -c "
chain = 'if (N == 0) x ~ normal(0, 1);' + ''.join(f' else if (N == {i}) x ~ normal({i}, 1);' for i in range(30000))
start = 'transformed data { int N = 1; } parameters { real x; } model { '
open('chain.stan', 'w').write(start + chain + '}')
open('long_chain.stan', 'w').write(start + chain[:chain.index(' else if (N == 4999)')] + '}')"
for verb in check format modernize density simulate; do
  expect "$verb: 30,000 else if" 65 'More than 5000 .else if' -- "$kullback" $verb chain.stan
  expect "$verb: 4,999 else if" 0 -- "$kullback" $verb long_chain.stan
done
echo 'model { int i = 99999999999; }' >overflow_int.stan
expect 'int overflow' 65 '2147483647' -- "$kullback" check overflow_int.stan
echo 'model { real r = 1e999; }' >overflow_real.stan
expect 'real overflow' 65 'overflow_real.stan:1:18' -- "$kullback" check overflow_real.stan
printf '#include b.stan\nmodel { }\n' >a.stan
printf '#include a.stan\n' >b.stan
expect 'circular include' 65 'includes itself' -- "$kullback" check a.stan
mkdir -p parts && echo 'real twice(real x) { return 2 * x; }' >parts/twice.stanfunctions
printf 'functions {\n  #include twice.stanfunctions\n}\nmodel { target += twice(1); }\n' >including.stan
expect 'missing include' 65 'include-path' -- "$kullback" check including.stan
expect 'include path' 0 '^$' -- "$kullback" check --include-path parts including.stan
expect 'include kept by format' 0 '^  #include twice.stanfunctions$' -- "$kullback" format --include-path parts including.stan
expect 'the folder to give' 65 "hint: Give the folder that holds 'twice.stanfunctions' with --include-path" -- "$kullback" check including.stan

# As packages made by rstantools write it: the slash is below an include path, or the folder of the program.
mkdir -p package/stan/pre && echo '#include /pre/twice.stanfunctions' >package/stan/pre/all.stanfunctions
cp parts/twice.stanfunctions package/stan/pre/
printf 'functions {\n  #include /pre/all.stanfunctions\n}\nparameters { real x; }\nmodel { x ~ normal(twice(1), 1); }\n' >package/stan/own.stan
cp package/stan/own.stan elsewhere.stan
expect 'a leading slash' 0 '^$' -- "$kullback" check package/stan/own.stan
expect 'a leading slash below an include path' 0 '^$' -- "$kullback" check elsewhere.stan --include-path package/stan
expect 'a leading slash in a fit' 0 -- "$kullback" fit elsewhere.stan --include-path package/stan --method laplace --seed 1 --quiet --out slash
expect 'and when it goes on' 0 -- "$kullback" fit --resume slash --quiet
expect 'a leading slash that is nowhere' 65 "'/pre/all.stanfunctions' was found in none of: ., parts" -- "$kullback" check elsewhere.stan --include-path parts
also 'what holds it' "holds 'pre/all.stanfunctions'"
expect 'never the root of the file system' 65 'was found in none of' -- bash -c "echo '#include $PWD/parts/twice.stanfunctions' >root.stan; '$kullback' check root.stan"

echo 'functions { real f(real x); } parameters { real x; } model { target += f(x); }' >cpp.stan
expect 'a function of C++ in check' 65 "'f' is declared but not defined" -- "$kullback" check cpp.stan
also 'and why not' 'defined in C\+\+ .*cannot be called'
expect 'a function of C++ in fit' 65 'Write its body in Stan' -- "$kullback" fit cpp.stan --out cpp

expect 'function file' 0 -- "$kullback" check parts/twice.stanfunctions

for shell in bash zsh fish; do
  expect "completion $shell" 0 'modernize' -- "$kullback" completion $shell
done
expect 'completion of an unknown shell' 64 'csh' -- "$kullback" completion csh
"$kullback" completion bash >completion.sh
expect 'bash completes verbs' 0 '^check$' -- bash -c \
  'source completion.sh; COMP_WORDS=(kullback ch) COMP_CWORD=1; _kullback; printf "%s\n" "${COMPREPLY[@]}"'
expect 'bash completes options' 0 '^--include-path$' -- bash -c \
  'source completion.sh; COMP_WORDS=(kullback check --in) COMP_CWORD=2; _kullback; printf "%s\n" "${COMPREPLY[@]}"'
expect 'bash completes values' 0 '^program$' -- bash -c \
  'source completion.sh; COMP_WORDS=(kullback check --dump p) COMP_CWORD=3; _kullback; printf "%s\n" "${COMPREPLY[@]}"'

finish
