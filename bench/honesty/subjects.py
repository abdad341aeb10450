"""What is judged: a posterior of ours, a hard shape, or one of posteriordb's, each with its reference."""
import dataclasses
import json
import pathlib
import statistics

from rivals import fits, reference

from . import references, shapes
from .catalogue import OTHER, PROGRAMS, REGRESSION, SHAPE
from .references import Marginal


@dataclasses.dataclass
class Subject:
    name: str              # of the posterior; results are kept under it
    cluster: str           # the program, which is what the bootstrap draws
    kind: str
    program: pathlib.Path
    data: pathlib.Path     # or none
    seed: int
    references: dict       # name to Marginal
    is_complete: bool = True  # every scalar of the parameters block has a reference
    sampled: dict = dataclasses.field(default_factory=dict)  # draws, ess, rhat, divergences of the reference's NUTS


def select(names):
    unknown = sorted(set(names) - set(PROGRAMS))
    if unknown:
        raise SystemExit(f"honesty.py: no program '{unknown[0]}'; there are {', '.join(PROGRAMS)}.")
    return [PROGRAMS[name] for name in names or PROGRAMS]


def read(path):
    """Marginals by name, and how they were sampled."""
    found = json.loads(path.read_text())
    return {name: Marginal(**row) for name, row in found.pop("parameters").items()}, found


def of_program(options, program, replication):
    """Simulates the data and samples the reference where they are not there yet."""
    if program.kind != SHAPE:
        data, kept = places(options, program, replication)
        if not data.exists():
            references.write_whole(data, program.data(replication))
        if not kept.exists():
            found = references.compute(options.kullback, program, data, kept, options.timeout)
            print(f"reference of {kept.stem}: {found['draws']} draws, {found['ess']:.0f} effective ({found['ess_name']}), R-hat "
                  f"{found['rhat']:.4f}, {found['divergences']:.0f} divergences, {found['seconds']:.0f} s of NUTS", flush=True)
    return kept_of_program(options, program, replication)


def kept_of_program(options, program, replication):
    if program.kind == SHAPE:
        exact = {name: Marginal(**row) for name, row in shapes.EXACT[program.name]().items()}
        return Subject(program.name, program.name, SHAPE, program.path, None, replication, exact)
    data, kept = places(options, program, replication)
    if not kept.exists():
        raise fits.Failed(f"no reference in {kept}; run the step 'references'")
    marginals, sampled = read(kept)
    return Subject(kept.stem, program.name, program.kind, program.path, data, replication, marginals, sampled=sampled)


def places(options, program, replication):
    """Data and reference."""
    name = f"{program.name}-{replication}.json"
    return options.results / "data" / name, options.results / "references" / name


# --- posteriordb ------------------------------------------------------------------------------------------------------

def of_posteriordb(options, is_regression):
    """Those with reference draws. For tuning: the verdict on them says nothing about other posteriors."""
    found = []
    for posterior in fits.posteriors(options.posteriordb, options.results / "data", options.programs):
        kept = options.results / "references" / f"{posterior.name}.json"
        if not kept.exists():
            references.write_whole(kept, {"parameters": marginals_of_draws(posterior.draws)})
        kind = REGRESSION if is_regression(posterior) else OTHER
        found.append(Subject(posterior.name, posterior.program.stem, kind, posterior.program, posterior.data, 1, read(kept)[0],
                             is_complete=False))
    return found


def marginals_of_draws(archive):
    return {name: dataclasses.asdict(marginal(chains)) for name, chains in reference.chains_by_name(archive).items()}


def marginal(chains):
    found = reference.moments(chains)
    quartiles = [statistics.quantiles(chain, n=4) for chain in chains]
    medians, iqrs = [q[1] for q in quartiles], [q[2] - q[0] for q in quartiles]
    return Marginal(found.mean, found.sd, statistics.fmean(medians), statistics.fmean(iqrs), found.mcse_mean, found.mcse_sd,
                    references.standard_error(medians), references.standard_error(iqrs))
