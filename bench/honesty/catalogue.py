"""The programs of the benchmark: each has a kind, a folder and a simulator of its data."""
import dataclasses
import pathlib
from collections.abc import Callable

from .random_numbers import Source

FOLDER = pathlib.Path(__file__).resolve().parent
REGRESSION, OTHER, SHAPE = "regression", "other", "shape"


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    kind: str
    simulate: Callable = None        # Source to data; none for programs without data
    sampler_options: tuple = ()      # of the reference's NUTS

    @property
    def folder(self):
        return FOLDER / ("shapes" if self.kind == SHAPE else "programs")

    @property
    def path(self):
        return self.folder / f"{self.name}.stan"

    @property
    def reference_path(self):
        """A program with the same marginals that NUTS samples more easily, where there is one."""
        easier = self.folder / f"{self.name}.reference.stan"
        return easier if easier.exists() else self.path

    def data(self, replication):
        return self.simulate(Source("kullback honesty", self.name, replication))


PROGRAMS = {}


def program(kind, *sampler_options):
    """Adds the decorated simulator; the program has its name."""
    def add(simulate):
        PROGRAMS[simulate.__name__] = Program(simulate.__name__, kind, simulate, sampler_options)
        return simulate
    return add
