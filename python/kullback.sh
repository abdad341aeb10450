#!/bin/sh
# `kullback` on PATH: starts the program of the package kullback, which pip has put beside or below this folder. No Python is started.
here=$0
[ ! -L "$here" ] || here=$(readlink -f "$here")
here=${here%/*}
for program in "$here"/../kullback/bin/kullback "$here"/../lib*/p*3*/*-packages/kullback/bin/kullback; do
  [ ! -x "$program" ] || exec "$program" "$@"
done
echo "kullback: there is no Python package kullback below $here/..; install it again with pip." >&2
exit 66
