#!/usr/bin/env bash
# What a machine does not have: memory for a size, threads.
source "$(dirname "$0")/expect.sh"

echo 'parameters { real x; } model { matrix[2147483647, 2147483647] m; x ~ normal(0, 1); }' >huge.stan
expect 'a size beyond memory' 65 '^kullback: huge.stan:1:32: out of memory: ' -- "$kullback" density huge.stan
echo 'parameters { matrix[2147483647, 2147483647] m; } model { }' >huge_parameter.stan
expect 'parameters beyond memory' 65 '^kullback: huge_parameter.stan:1:14: out of memory: ' -- "$kullback" fit huge_parameter.stan

# The limit on processes holds for users other than root.
echo 'parameters { real x; } model { if (x > 0) x ~ normal(0, 1); else x ~ normal(0, 2); }' >small.stan
options=(--method nuts --draws 50 --seed 1)
expect 'with threads' 0 -- "$kullback" fit small.stan "${options[@]}" --out with
if [ "$(id -u)" = 0 ]; then
  cp "$kullback" "${kullback%/*}/libkullback.so.1" .
  chmod -R a+rwX "$folder"
  without=(setpriv --reuid=65534 --clear-groups bash -c 'ulimit -u 0; exec ./kullback "$@"' bash)
else
  without=(bash -c 'ulimit -u 0; exec "$@"' bash "$kullback")
fi
expect 'without threads' 0 -- "${without[@]}" fit small.stan "${options[@]}" --out without
for chain in 1 2 3 4; do
  expect "the draws of chain $chain are the same" 0 -- \
    cmp <(grep -v '^#' with/chain-$chain.csv) <(grep -v '^#' without/chain-$chain.csv)
done

finish
