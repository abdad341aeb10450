# For tests of the program: source this, call expect for each case, then finish. Runs in a scratch folder.
set -uo pipefail
kullback=${KULLBACK:?set KULLBACK to the program}
kullback=$(realpath "$kullback")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
passed=0 failed=0 said=

# expect NAME CODE [PATTERN] -- COMMAND...: exit code, and a line of the output (both streams) that matches.
expect() {
  local name=$1 code=$2 pattern=
  shift 2
  if [ "$1" != -- ]; then pattern=$1; shift; fi
  shift
  local output status
  output=$(timeout 60 "$@" 2>&1)
  status=$?
  said=$output
  if [ $status -ne "$code" ]; then
    echo "FAILED $name: exit $status, expected $code"; echo "$output" | head -n 5; failed=$((failed + 1)); return
  fi
  if [ -n "$pattern" ] && ! grep -qE -- "$pattern" <<<"$output"; then
    echo "FAILED $name: no line matches $pattern in:"; echo "$output" | head -n 12; failed=$((failed + 1)); return
  fi
  if [ "$pattern" = '^$' ] && [ -n "$output" ]; then
    echo "FAILED $name: expected silence, found:"; echo "$output" | head -n 5; failed=$((failed + 1)); return
  fi
  passed=$((passed + 1))
}

# also NAME PATTERN: the last command of expect said this, too.
also() {
  if grep -qE -- "$2" <<<"$said"; then passed=$((passed + 1)); return; fi
  echo "FAILED $1: no line matches $2 in:"; echo "$said" | head -n 12; failed=$((failed + 1))
}

# interrupted COMMAND...: Ctrl-C once the command listens for it; its exit code.
interrupted() {
  "$@" &
  local pid=$!
  # SIGINT is the second signal: bit 1 of those that are caught.
  until grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
  kill -INT $pid
  wait $pid
}

# forget_files DIR: its record lists no files, as of a version that did not, so that edited ones are not refused for that.
forget_files() {
  python3 -c 'import json, sys
record = json.load(open(sys.argv[1] + "/run.json"))
del record["files"]
json.dump(record, open(sys.argv[1] + "/run.json", "w"))' "$1"
}

export -f interrupted forget_files

finish() {
  echo "$passed passed, $failed failed"
  [ $failed -eq 0 ]
}
