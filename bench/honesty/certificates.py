"""Fits with a tolerance, and the certificates they bring. A fit that is kept is not run again."""
import dataclasses
import hashlib
import json
import pathlib
import subprocess
import tempfile
import threading
import time

from .references import write_whole

MET, NOT_MET, CANNOT_TELL, FAILED = "met", "not met", "cannot tell", "failed"
EXIT_MET, EXIT_NOT_MET = 0, 3


class Interrupted(Exception):
    """Nothing of the run is kept."""


class Running:
    """Processes that Ctrl-C does not reach, so that none ends as if it were done; stop() ends them all."""

    def __init__(self):
        self.processes, self.lock, self.is_stopped = set(), threading.Lock(), False

    def run(self, command, timeout):
        """Exit code and standard error."""
        with self.lock:
            if self.is_stopped:
                raise Interrupted("stopped before it began")
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
            self.processes.add(process)
        try:
            _, errors = process.communicate(timeout=timeout)
            return process.returncode, errors
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        finally:
            with self.lock:
                self.processes.discard(process)

    def stop(self):
        with self.lock:
            self.is_stopped = True
            for process in self.processes:
                process.kill()


RUNNING = Running()


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
    code, errors = RUNNING.run([str(word) for word in command], timeout)
    path = folder / "certificate.json"
    return code, errors, path.read_text() if path.exists() else ""


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
