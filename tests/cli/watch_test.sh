#!/usr/bin/env bash
# kullback watch and serve, on runs in progress, over, interrupted and killed.
repository=$PWD
source "$repository/tests/cli/expect.sh"
cp "$repository"/examples/eight_schools.{stan,json} .
export LC_ALL=C.UTF-8

cat > long.stan <<'STAN'
parameters { vector[60] x; real<lower=0> s; }
model { s ~ normal(0, 1); x ~ normal(0, s + 0.5); }
STAN
long=("$kullback" fit long.stan --method nuts --seed 1 --warmup 100 --draws 3000000 --chains 2 --threads 1 --quiet)

# wait_for FILE WORD COUNT: until so many lines have it; 30 s at most.
wait_for() {
  for _ in $(seq 300); do [ "$(grep -c "$2" "$1" 2>/dev/null)" -ge "$3" ] 2>/dev/null && return 0; sleep 0.1; done
  echo "no $2 in $1"; return 1
}

expect 'no folder' 66 'nowhere: there is no such folder' -- "$kullback" watch nowhere
expect 'a file' 65 'is a file; the folder of a run is needed' -- "$kullback" watch long.stan
mkdir empty
expect 'another folder' 66 'empty: holds no run' -- "$kullback" watch empty
expect 'serve: no folder' 66 'nowhere: there is no such folder' -- "$kullback" serve nowhere
expect 'serve: a port that is none' 64 'port' -- "$kullback" serve empty --port 70000

"$kullback" fit eight_schools.stan eight_schools.json --method nuts --seed 1 --out eight --quiet
expect 'a run that is over' 0 '^complete after' -- "$kullback" watch eight
expect 'its chains' 0 'chain 4 .*100 %.*lp__ -' -- "$kullback" watch eight --once
expect 'blocks' 0 '▅' -- "$kullback" watch eight
expect 'ASCII where the terminal is not UTF-8' 0 'chain 1  \[############\] 100 %' -- env LC_ALL=C "$kullback" watch eight
expect 'ASCII only' 1 -- bash -c "LC_ALL=C '$kullback' watch eight | LC_ALL=C grep -P '[^\x00-\x7F]'"
expect 'no line beyond 80 characters' 0 '^$' -- bash -c "'$kullback' watch eight | python3 -c 'import sys; [print(line) for line in sys.stdin if len(line) > 81]'"
expect 'nothing is written' 0 '^same$' -- bash -c "ls -lR --time-style=full-iso eight > before; '$kullback' watch eight > /dev/null
  ls -lR --time-style=full-iso eight | diff before - && echo same"

expect 'the ladder' 0 'laplace: ' -- bash -c "'$kullback' fit eight_schools.stan eight_schools.json --seed 1 --out tried --quiet; '$kullback' watch tried"
"$kullback" fit eight_schools.stan eight_schools.json --method advi --seed 1 --out advi --quiet
expect 'a bound' 0 'steps .*bound [0-9-]' -- "$kullback" watch advi

"${long[@]}" --out running & pid=$!
wait_for running/events.jsonl '"progress"' 3
expect 'a run in progress' 0 '^running for .* left$' -- "$kullback" watch running
expect 'chains in progress' 0 'chain 1 .* %' -- "$kullback" watch running
expect 'one that waits for a thread' 0 'chain 2 .*waits' -- "$kullback" watch running
expect 'gradients' 0 'gradients, .* a second' -- "$kullback" watch running

# On a terminal it is drawn in place, and Ctrl-C leaves.
expect 'in place' 0 '^drawn in place$' -- python3 - "$kullback" <<'PY'
import os, pty, signal, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "watch", "running"])
time.sleep(2.5)
os.kill(pid, signal.SIGINT)
text = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    text += piece
status = os.waitpid(pid, 0)[1]
assert os.waitstatus_to_exitcode(status) == 0, status
assert text.count(b"running for") >= 3 and b"A\r\x1b[J" in text, text[:300]
assert text.endswith(b"\x1b[?25h"), text[-40:]
print("drawn in place")
PY

expect 'serve' 0 '^served$' -- python3 - "$kullback" <<'PY'
import http.client, json, signal, socket, subprocess, sys
server = subprocess.Popen([sys.argv[1], "serve", "running"], stdout=subprocess.PIPE, text=True)
address = server.stdout.readline().split()[0]
port = int(address.rstrip("/").rsplit(":", 1)[1])
def ask(target, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, target, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()
status, headers, body = ask("/state")
state = json.loads(body)
assert status == 200 and state["life"] == "running" and len(state["parts"]) == 2, body
status, _, body = ask("/")
assert status == 200 and b"<!doctype html>" in body[:100].lower() and b"/state" in body, body[:200]
for target in ("/run.json", "/../running/run.json", "/events.jsonl", "/state?", "/favicon.ico"):
    assert ask(target)[0] == 404, target
assert ask("/state", "POST")[0] == 405 and ask("/state", "HEAD")[0] == 405
assert ask("/state", Host="evil.example")[0] == 403
try:  # other addresses of this machine are not listened to
    socket.create_connection((socket.gethostbyname(socket.gethostname()), port), timeout=2).close()
    assert socket.gethostbyname(socket.gethostname()).startswith("127."), "open to the network"
except OSError:
    pass
second = subprocess.run([sys.argv[1], "serve", "running", "--port", str(port)], capture_output=True, text=True)
assert second.returncode == 64 and "cannot be opened" in second.stderr, second
server.send_signal(signal.SIGINT)
assert server.wait(10) == 0
print("served")
PY

kill -INT "$pid"; wait "$pid"
expect 'an interrupted run' 0 '^interrupted after' -- "$kullback" watch running

"${long[@]}" --out killed & pid=$!
wait_for killed/events.jsonl '"progress"' 1
kill -9 "$pid"; wait "$pid" 2>/dev/null
printf '{"time": "2026-' >> killed/events.jsonl
sleep 8
expect 'a run that was killed' 0 'no sign of life since' -- "$kullback" watch killed
expect 'its process' 0 "$pid" -- "$kullback" watch killed
expect 'it goes on' 0 'running for' -- bash -c "timeout -s INT 4 '$kullback' fit --resume killed --quiet & sleep 2.5; '$kullback' watch killed; wait"

seq 100 | awk 'BEGIN { print "x" } { print ($1 % 2) * 9 + $1 / 100 }' > two.csv
"$kullback" mixture two.csv --components 2 --starts 2 --seed 1 --out groups --quiet
expect 'a conjugate fit' 0 'start 2 .*bound -' -- "$kullback" watch groups
finish
