"""One SIGINT or SIGTERM ends whatever runs and keeps what is finished, a second one ends it at once; --budget and mpirun end as they say."""
import gzip
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

KULLBACK = os.path.abspath(os.environ["KULLBACK"])
EXAMPLES = pathlib.Path("examples").resolve()
SCHOOLS = [EXAMPLES / "eight_schools.stan", EXAMPLES / "eight_schools.json"]
INTERRUPTED = 130
# What is promised is one second; the machine may have other things to do.
SOON = 4

LOOPS = {
    "model": "parameters { real x; } model { x ~ normal(0, 1); while (1) { } }",
    "transformed data": "transformed data { while (1) { } } parameters { real x; } model { x ~ normal(0, 1); }",
    "a function": "functions { real f(real x) { while (1) { } return x; } } parameters { real x; } model { f(x) ~ normal(0, 1); }",
    "generated quantities": "parameters { real x; } model { x ~ normal(0, 1); } generated quantities { int n = 0; while (1) { n = 1 - n; } }",
}
# No priors, and some milliseconds for a value: whether the posterior is proper takes seconds to look at.
SLOW_AND_FLAT = """
transformed data {
  int N = 1000000;
  vector[N] y;
  array[N] int k;
  for (n in 1:N) { y[n] = sin(n); k[n] = 1 + n % 16; }
}
parameters { vector[16] a; vector[16] b; vector[16] c; vector[16] d; }
model { y ~ student_t(4, a[k] + b[k] + c[k] + d[k], 1); }
"""
# No approximation has tails as heavy.
HEAVY_TAILS = "parameters { vector[2] x; } model { x ~ student_t(2, 0, 1); }"
# Some milliseconds for the outputs of each draw.
SLOW_OUTPUTS = """
parameters { real x; }
model { x ~ normal(0, 1); }
generated quantities { real y = x; for (i in 1:20000) { y = y + normal_rng(0, 1); } }
"""


class Run:
    """The program in a process of its own."""

    def __init__(self, *words, folder):
        self.process = subprocess.Popen(
            [KULLBACK, *map(str, words)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_until_it_listens(self, then=0.0):
        while self.process.poll() is None:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            caught = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt"))
            if caught >> (signal.SIGINT - 1) & 1:
                break
            time.sleep(0.01)
        time.sleep(then)

    def send(self, *numbers):
        self.sent = time.monotonic()
        for number in numbers:
            self.process.send_signal(number)

    def end(self):
        try:
            self.out, self.err = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.out, self.err = self.process.communicate()
            raise AssertionError(f"{self.process.args} did not end: {self.err}")
        self.seconds = time.monotonic() - self.sent
        return self.process.returncode


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def start(self, *words):
        run = Run(*words, folder=self.folder)
        self.addCleanup(run.process.kill)
        return run

    def run_whole(self, *words):
        return subprocess.run([KULLBACK, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=60)

    def draws(self, folder):
        return [line for line in (self.folder / folder / "chain-1.csv").read_text().splitlines() if not line.startswith("#")]

    def status(self, folder):
        return json.loads((self.folder / folder / "run.json").read_text())["status"]


class ASignal(Case):
    def assert_ends(self, run, *signals):
        run.send(*signals)
        self.assertEqual(run.end(), INTERRUPTED, run.err)
        self.assertLess(run.seconds, SOON)
        self.assertIn("Stopping; what is finished is kept. Press Ctrl-C again to stop at once.", run.err)

    def test_programs_that_loop(self):
        runs = []
        for number, (place, text) in enumerate(LOOPS.items()):
            program = self.write(f"loop{number}.stan", text)
            for options in (["--method", "nuts", "--chains", "2"], []):
                with self.subTest(place, options=options):
                    run = self.start("fit", program, *options, "--out", f"out{number}", "--force", "--threads", "1")
                    run.wait_until_it_listens(then=0.2)
                    self.assert_ends(run, (signal.SIGTERM, signal.SIGINT)[len(runs) % 2])
                    runs.append(run)

    def test_draws_whose_outputs_are_not_finished(self):
        program = self.write("slow.stan", SLOW_OUTPUTS)
        options = [program, "--method", "nuts", "--seed", "1", "--chains", "1", "--warmup", "100", "--draws", "400"]
        run = self.start("fit", *options, "--out", "cut")
        run.wait_until_it_listens(then=0.3)
        self.assert_ends(run, signal.SIGTERM)
        self.assertEqual(self.status("cut"), "interrupted")
        self.assertEqual(self.run_whole("fit", "--resume", "cut").returncode, 0)
        self.assertEqual(self.run_whole("fit", *options, "--out", "whole").returncode, 0)
        self.assertEqual(self.draws("cut"), self.draws("whole"))

    def test_chains_are_written(self):
        """Twice at a time, as timeout(1) sends SIGTERM to its child and then to its group, is once."""
        run = self.start("fit", *SCHOOLS, "--method", "nuts", "--seed", "1", "--draws", "100000000", "--out", "long")
        run.wait_until_it_listens(then=0.7)
        self.assert_ends(run, signal.SIGTERM, signal.SIGTERM)
        self.assertEqual(self.status("long"), "interrupted")
        self.assertGreater(len(self.draws("long")), 2)
        self.assertNotIn("Stopped at once", run.err)

    def test_a_posterior_that_may_be_improper(self):
        """What is looked at after the draws may take longer than one waits: the draws are written all the same."""
        program = self.write("flat.stan", SLOW_AND_FLAT)
        run = self.start("fit", program, "--method", "nuts", "--seed", "1", "--chains", "1", "--warmup", "1", "--max-depth", "1",
                         "--draws", "1000000", "--checkpoint", "0.01", "--threads", "1", "--out", "flat")
        state = self.folder / "flat" / ".partial" / "chain-1.state"
        while run.process.poll() is None and not state.exists():
            time.sleep(0.01)
        time.sleep(0.5)
        self.assert_ends(run, signal.SIGINT)
        self.assertEqual(self.status("flat"), "interrupted")
        self.assertGreater(len(self.draws("flat")), 1)

    def write_wide_table(self):
        """A Cholesky factor of its covariance takes longer than one should wait, and is not ours to cut short."""
        numbers = random.Random(1)
        rows = [",".join(f"x{i}" for i in range(2000))]
        rows += [",".join(f"{numbers.gauss(0, 1):.2f}" for _ in range(2000)) for _ in range(30)]
        return self.write("wide.csv", "\n".join(rows))

    def test_many_columns(self):
        table = self.write_wide_table()
        run = self.start("mixture", table, "--components", "3", "--seed", "1", "--out", "m1")
        run.wait_until_it_listens(then=0.5)
        self.assert_ends(run, signal.SIGTERM)
        run = self.start("mixture", table, "--components", "3", "--seed", "1", "--out", "m2")
        run.wait_until_it_listens(then=0.5)
        run.send(signal.SIGTERM)
        time.sleep(0.2)
        run.send(signal.SIGINT)
        self.assertEqual(run.end(), INTERRUPTED)
        self.assertLess(run.seconds, 1)
        self.assertIn("Stopped at once", run.err)

    def test_a_bomb(self):
        """A megabyte that is gigabytes of numbers."""
        with open(self.folder / "bomb.csv.gz", "wb") as file:
            file.write(gzip.compress(b"x,y\n"))
            file.write(gzip.compress(b"1,2\n3,1\n" * (1 << 17)) * 3000)
        run = self.start("mixture", "bomb.csv.gz", "--stream", "--out", "bomb")
        run.wait_until_it_listens(then=0.3)
        self.assert_ends(run, signal.SIGTERM)


class ABudget(Case):
    def fit_within(self, budget, *words):
        """Its outcome, and the seconds of processor time that it took."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.run_whole("fit", *words, "--threads", "1", "--seed", "1", "--budget", budget, "--out", "out", "--force")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def certificate(self):
        return json.loads((self.folder / "out" / "certificate.json").read_text())

    def test_bounds_the_certificate_and_the_outputs(self):
        program = self.write("wide.stan", """
            parameters { vector[50] x; }
            model { x ~ student_t(4, 0, 1); }
            generated quantities { vector[5000] z = rep_vector(x[1], 5000); }""")
        done, seconds = self.fit_within(0.5, program, "--tolerance", "0.02")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertLess(seconds, 0.5 + 1)
        self.assertIn("The budget of 0.5 s ended before an answer met the tolerance.", self.certificate()["reasons"])
        self.assertGreater(len((self.folder / "out" / "chain-1.csv").read_text().splitlines()), 100)

    def test_in_the_first_rung(self):
        done, _ = self.fit_within(0.0001, EXAMPLES / "correlated.stan", "--tolerance", "0.1")
        self.assertNotEqual(done.returncode, 65, done.stderr)
        shutil.rmtree(self.folder / "out", ignore_errors=True)  # of the first fit, where it was quick enough
        program = self.write("long.stan", "parameters { real x; } model { for (i in 1:10000000) target += -1e-7 * square(x); }")
        done, seconds = self.fit_within(0.2, program)
        self.assertEqual(done.returncode, 64, done.stdout)
        self.assertLess(seconds, 0.2 + 1)
        self.assertIn("--budget 0.2 ended before any method had draws", done.stderr)
        self.assertIn("--budget 10", done.stderr)
        self.assertFalse((self.folder / "out").exists())


class Ranks(Case):
    def mpirun(self, *words, model=SCHOOLS):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "ASAN_OPTIONS": "detect_leaks=0"}
        return subprocess.run(
            ["mpirun", "--oversubscribe", "-n", "2", KULLBACK, "fit", *map(str, model), "--seed", "1", "--force", "--out", "out", *words],
            cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60)

    def test_the_code_is_that_of_the_tolerance(self):
        for options in (["--method", "laplace", "--tolerance", "0.0001"], ["--method", "nuts", "--tolerance", "0.5"]):
            with self.subTest(options=options):
                done = self.mpirun(*options)
                is_met = json.loads((self.folder / "out" / "certificate.json").read_text())["verdict"] == "met"
                self.assertEqual(done.returncode, 0 if is_met else 3, done.stderr)
                self.assertEqual(is_met, "nuts" in options)
                self.assertEqual(self.status("out"), "complete")

    def test_the_ladder_ends_on_all_of_them(self):
        """The first rank alone knows of the certificates: the others climb, and stop, as it says."""
        done = self.mpirun("--tolerance", "0.3", "--chains", "2", model=[self.write("tails.stan", HEAVY_TAILS)])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "out" / "run.json").read_text())["method"], "nuts")
        self.assertEqual(self.status("out"), "complete")


if __name__ == "__main__":
    unittest.main()
