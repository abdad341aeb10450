"""Fits with a tolerance, and the certificates they bring. A fit that is kept is not run again."""
import dataclasses
import hashlib
import json
import pathlib
import subprocess
import tempfile
import time

from .references import write_whole

MET, NOT_MET, CANNOT_TELL, FAILED = "met", "not met", "cannot tell", "failed"
EXIT_MET, EXIT_NOT_MET = 0, 3


class Interrupted(Exception):
    """Nothing of the run is kept."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """One fit that is judged."""
    subject: object
    method: str
    tolerance: float

    def path(self, results):
        return results / "fits" / self.subject.name / f"{self.method}-{self.tolerance:g}.json"


def certified(kullback, plan, folder, timeout):
    """Runs a method at a tolerance: the exit code, what was said on standard error, and the certificate's text."""
    subject = plan.subject
    command = [kullback, "fit", subject.program, *([subject.data] if subject.data else []), "--method", plan.method,
               "--tolerance", plan.tolerance, "--seed", subject.seed, "--threads", 1, "--out", folder, "--quiet"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout)
    path = folder / "certificate.json"
    return done.returncode, done.stderr, path.read_text() if path.exists() else ""


def run(kullback, plan, timeout):
    """The outcome of a plan, as it is kept."""
    start = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="kullback-honesty-") as folder:
            code, errors, text = certified(kullback, plan, pathlib.Path(folder) / "fit", timeout)
    except subprocess.TimeoutExpired:
        return {"problem": f"more than {timeout:g} s"}
    outcome = {"seconds": time.monotonic() - start, "exit": code}
    if code < 0 or code == 130:
        raise Interrupted(f"exit code {code}")
    if code not in (EXIT_MET, EXIT_NOT_MET):
        return outcome | {"problem": first_line(errors) or f"exit code {code}"}
    if not text:
        return outcome | {"problem": f"exit code {code} and no certificate.json"}
    certificate = json.loads(text)
    if (certificate["verdict"] == MET) != (code == EXIT_MET):
        return outcome | {"problem": f"exit code {code} with the verdict '{certificate['verdict']}'"}
    return outcome | {"certificate": certificate}


def first_line(text):
    return next((line.strip()[:160] for line in text.splitlines() if line.strip()), "")


def run_and_keep(options, binary, plan):
    outcome = {"binary": binary} | run(options.kullback, plan, options.timeout)
    write_whole(plan.path(options.results), outcome)
    return outcome


def read(options, plan):
    return json.loads(plan.path(options.results).read_text())


def fingerprint(path):
    """Tells apart results of different builds."""
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:12]
