"""The models of posteriordb and their data."""
import json
import pathlib
import sys
import zipfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclass
class Model:
    name: str
    kind: str  # regression, hierarchy, mixture, sequence, process, ode; "other" for those not in bench/models.txt
    program: pathlib.Path
    data: pathlib.Path


def kinds():
    """Model to kind, in the order of bench/models.txt."""
    lines = (ROOT / "bench/models.txt").read_text().splitlines()
    return {words[0]: words[1] for words in (line.split() for line in lines) if words and words[0] != "#"}


def archive(database, data_name):
    return database / "data/data" / f"{data_name}.json.zip"


def data_names(database):
    """Model to the data of its first posterior that is there (some checkouts lack the largest files)."""
    names = {}
    for path in sorted((database / "posteriors").glob("*.json")):
        posterior = json.loads(path.read_text())
        if archive(database, posterior["data_name"]).exists():
            names.setdefault(posterior["model_name"], posterior["data_name"])
    return names


def unpack(database, name, folder):
    target = folder / f"{name}.json"
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(archive(database, name)) as packed:
            target.write_bytes(packed.read(packed.namelist()[0]))
    return target


def select(posteriordb, names, everything, data_folder):
    database = posteriordb / "posterior_database"
    if not database.is_dir():
        sys.exit(f"against.py: {posteriordb} has no folder posterior_database; give --posteriordb a checkout of posteriordb.")
    known, data = kinds(), data_names(database)
    if everything:
        names = sorted(path.stem for path in (database / "models/stan").glob("*.stan"))
    models = []
    for name in names or known:
        program = database / "models/stan" / f"{name}.stan"
        if not program.exists():
            sys.exit(f"against.py: posteriordb has no model '{name}'.")
        if name not in data:
            print(f"{name}: left out, since no data file of it is in {database}")
            continue
        models.append(Model(name, known.get(name, "other"), program, unpack(database, data[name], data_folder)))
    return models
