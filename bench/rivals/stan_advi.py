"""Stan's mean-field ADVI on kullback's density, and the file that keeps its results."""
import csv
import dataclasses
import json
import math

from . import errors, fits

DRAWS = 10000  # rstan's vb makes 1000; of more, the error of the means is the approximation's own


@dataclasses.dataclass
class Run:
    posterior: str
    seed: int
    gradients: int
    values: int              # evaluations of the density alone
    eta: float
    ended: str               # converged, iterations (10,000 were not enough) or failed
    mean_error: float        # worst |mean - reference mean| / reference sd
    mean_name: str
    sd_ratio: float          # worst sd / reference sd
    sd_name: str
    processor_seconds: float
    problem: str = ""

    @staticmethod
    def from_words(words):
        types = {field.name: field.type for field in dataclasses.fields(Run)}
        return Run(**{name: types[name](word) for name, word in words.items()})


def run(program, library, posterior, references, seed, timeout):
    text, _, _ = fits.run([program, library, posterior.program, posterior.data, seed, DRAWS], timeout)
    found = json.loads(text)
    problem = found.get("problem", "")
    ended = "failed" if problem else "converged" if found["converged"] else "iterations"
    worst = errors.Worst() if problem else errors.worst(
        {row["name"]: row for row in found["summary"]["parameters"]}, references)
    return Run(posterior.name, seed, found["gradients"], found["values"],
               math.nan if found["eta"] is None else found["eta"], ended, worst.mean_error, worst.mean_name, worst.sd_ratio,
               worst.sd_name, found["processor_seconds"], " ".join(problem.split()))


def read(path):
    """(posterior, seed) to Run."""
    if not path.exists():
        return {}
    with path.open() as file:
        runs = [Run.from_words(row) for row in csv.DictReader(file, delimiter="\t")]
    return {(found.posterior, found.seed): found for found in runs}


def write(runs, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        names = [field.name for field in dataclasses.fields(Run)]
        writer = csv.DictWriter(file, names, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        for _, found in sorted(runs.items()):
            writer.writerow({name: f"{x:.4g}" if isinstance(x, float) else x
                             for name, x in dataclasses.asdict(found).items()})
