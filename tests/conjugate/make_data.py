"""Small data sets for tests of the conjugate commands: FOLDER/{two,groups,counts,cats,series,ratings,line,binary}.csv, corpus.ldac."""
import pathlib
import random
import sys

folder = pathlib.Path(sys.argv[1])
rng = random.Random(1)


def table(name, head, rows):
    lines = [",".join(head)] + [",".join(x if isinstance(x, str) else repr(x) for x in row) for row in rows]
    (folder / name).write_text("\n".join(lines) + "\n")


table("two.csv", ["x"], [[rng.gauss(-5 if i < 100 else 5, 2)] for i in range(200)])
centres = [(0, 0, 0), (6, 0, 3), (0, 6, -3)]
rows = [[c + rng.gauss(0, 1) for c in centres[i % 3]] for i in range(600)]
table("groups.csv", ["a", "b", "c"], rows)
table("new.csv", ["c", "a", "b"], [[row[2], row[0], row[1]] for row in rows[:30]])
table("counts.csv", ["visits", "calls"], [[sum(rng.random() < 0.05 * (1 + 8 * (i % 2)) for _ in range(20)),
                                           sum(rng.random() < 0.3 for _ in range(20))] for i in range(300)])
table("cats.csv", ["colour", "size"], [[rng.choice(["red", "red", "blue"] if i % 2 else ["green"]),
                                        rng.choice(["S", "M"] if i % 2 else ["L", "L", "M"])] for i in range(300)])
state, series = 0, []
for t in range(900):
    if t % 300 == 0:
        state = 0
    elif rng.random() < 0.1:
        state = 1 - state
    series.append([f"s{t // 300}", rng.gauss(4 * state, 1), rng.gauss(-3 * state, 1)])
table("series.csv", ["run", "x", "y"], series)
table("line.csv", ["x1", "x2", "x3", "y"],
      [[*(x := [rng.gauss(0, 1) for _ in range(3)]), 1 + 2 * x[0] - x[1] + rng.gauss(0, 0.5)] for _ in range(400)])
table("binary.csv", ["x1", "x2", "bought"],
      [[*(x := [rng.gauss(0, 1) for _ in range(2)]), int(2 * x[0] - 0.5 + rng.gauss(0, 1) > 0)] for _ in range(400)])
loadings = [[rng.gauss(0, 1) for _ in range(2)] for _ in range(6)]
wide = []
for _ in range(300):
    z = [rng.gauss(0, 1) for _ in range(2)]
    wide.append([sum(w * f for w, f in zip(row, z)) + rng.gauss(0, 0.3) for row in loadings])
table("wide.csv", [f"v{i}" for i in range(6)], wide)
users = [[rng.gauss(0, 1) for _ in range(2)] for _ in range(60)]
items = [[rng.gauss(0, 1) for _ in range(2)] for _ in range(30)]
table("ratings.csv", ["user", "item", "rating"],
      [[f"u{u}", f"i{i}", 3 + sum(a * b for a, b in zip(users[u], items[i])) + rng.gauss(0, 0.3)]
       for u in range(60) for i in range(30) if rng.random() < 0.5])
corpus = []
for d in range(200):
    words = {}
    for _ in range(60):
        topic = d % 3 if rng.random() < 0.9 else rng.randrange(3)
        word = topic * 10 + rng.randrange(10)
        words[word] = words.get(word, 0) + 1
    corpus.append(f"{len(words)} " + " ".join(f"{w}:{n}" for w, n in sorted(words.items())))
(folder / "corpus.ldac").write_text("\n".join(corpus) + "\n")
