#!/usr/bin/env python3
"""tests/interop/check_bridge.py CACHE_FOLDER: clients of BridgeStan sample a model through a library of `kullback bridge`.

Makes a virtual environment in CACHE_FOLDER and installs bridgestan, nutpie, blackjax and arviz there with pip, which needs
a network: therefore it is no part of `make test`. Eight schools is fitted by `kullback fit`, by Hamiltonian Monte Carlo written
here on BridgeStan's Python client, by nutpie and by BlackJAX; the means must agree within four standard errors. The program is
$KULLBACK, or build/kullback.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import venv

PACKAGES = ["bridgestan", "nutpie[stan]", "blackjax", "arviz<1"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL, DATA = ROOT / "examples" / "eight_schools.stan", ROOT / "examples" / "eight_schools.json"
CHAINS, DRAWS = 4, 2000
FEW_DRAWS = 400  # where a call of Python inside JAX makes them dear
MOST_ERRORS = 4


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cache = pathlib.Path(sys.argv[1]).resolve()
    home = cache / "clients"
    python = home / "bin" / "python"
    if pathlib.Path(sys.prefix) != home:
        if not (home / "installed").exists():
            venv.create(home, with_pip=True, clear=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
            (home / "installed").touch()
        sys.exit(subprocess.run([python, __file__, cache]).returncode)
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(check(pathlib.Path(folder)))


def check(folder):
    kullback = os.environ.get("KULLBACK", ROOT / "build" / "kullback")
    library = folder / "eight_schools.so"
    subprocess.run([kullback, "bridge", MODEL, "-o", library], check=True)
    subprocess.run([kullback, "fit", MODEL, DATA, "--method", "nuts", "--seed", "1", "--draws", str(DRAWS), "--chains",
                    str(CHAINS), "--out", folder / "fit"], check=True, stdout=subprocess.DEVNULL)
    rows = json.loads((folder / "fit" / "summary.json").read_text())["parameters"]
    reference = {row["name"]: (row["mean"], row["mcse_mean"], row["sd"]) for row in rows}
    failures = 0
    for name, sample in [("bridgestan", with_bridgestan), ("nutpie", with_nutpie), ("blackjax", with_blackjax)]:
        start = time.perf_counter()
        draws = sample(library)  # {"mu": [chain, draw]}
        failures += compare(name, draws, reference, time.perf_counter() - start)
    return 1 if failures else 0


def compare(client, draws, reference, seconds):
    import arviz
    import numpy

    worst, worst_name = 0.0, ""
    for name, values in draws.items():
        mean, error, _ = reference[name]
        own_error = float(arviz.mcse(numpy.asarray(values)))
        distance = abs(values.mean() - mean) / numpy.hypot(error, own_error)
        if distance > worst:
            worst, worst_name = distance, name
    print(f"{client}: {len(draws)} means, worst {worst:.1f} standard errors ({worst_name}); mu {draws['mu'].mean():.2f} "
          f"against {reference['mu'][0]:.2f}, tau {draws['tau'].mean():.2f} against {reference['tau'][0]:.2f}; {seconds:.0f} s")
    return worst > MOST_ERRORS


def named(columns, draws):
    """Columns such as theta.2, in the last dimension, by the names of kullback's summary: theta[2]."""
    def bracketed(column):
        name, *index = column.split(".")
        return name + (f"[{', '.join(index)}]" if index else "")

    return {bracketed(column): draws[:, :, i] for i, column in enumerate(columns)}


# ---- BridgeStan's Python client ----


def with_bridgestan(library):
    import bridgestan
    import numpy

    model = bridgestan.StanModel(library, DATA, warn=False)
    print(model.model_info().splitlines()[1], "|", model.name(), model.model_version())
    check_client(model)
    chains = [hamiltonian(model, numpy.random.default_rng(seed)) for seed in range(CHAINS)]
    rng = model.new_rng(1)
    constrained = [[model.param_constrain(theta, include_tp=True, rng=rng) for theta in chain] for chain in chains]
    return named(model.param_names(include_tp=True), numpy.array(constrained))


def check_client(model):
    """The calls that sampling does not make."""
    import numpy

    theta = model.param_initialize(model.new_rng(3)) if hasattr(model, "param_initialize") else numpy.zeros(
        model.param_unc_num())
    value, gradient, hessian = model.log_density_hessian(theta)
    v = numpy.linspace(-1, 1, theta.size)
    assert value == model.log_density(theta)
    assert numpy.array_equal(gradient, model.log_density_gradient(theta)[1])
    assert numpy.allclose(model.log_density_hessian_vector_product(theta, v)[1], hessian @ v, rtol=1e-6, atol=1e-6)
    assert numpy.allclose(model.param_unconstrain(model.param_constrain(theta)), theta, atol=1e-10)
    try:
        model.param_unconstrain_json({"mu": 1.0})
        raise AssertionError("a missing parameter was accepted")
    except RuntimeError as error:
        assert "is missing" in str(error), error


def hamiltonian(model, random):
    """Static Hamiltonian Monte Carlo with a random number of steps; step size and scales are adapted."""
    import numpy

    theta = random.uniform(-1, 1, model.param_unc_num())
    value, gradient = model.log_density_gradient(theta)
    scale, step, kept, seen = numpy.ones(theta.size), 0.1, [], []
    for i in range(DRAWS + 1000):
        if i in (300, 600):
            scale, seen = numpy.std(seen, axis=0) + 1e-3, []
        momentum = random.standard_normal(theta.size)
        new, slope, p = theta, gradient, momentum
        for _ in range(random.integers(4, 20)):
            p = p + step / 2 * scale * slope
            new = new + step * scale * p
            new_value, slope = model.log_density_gradient(new)
            p = p + step / 2 * scale * slope
        ratio = new_value - value - (p @ p - momentum @ momentum) / 2
        accepted = numpy.exp(min(0.0, ratio)) if numpy.isfinite(ratio) else 0.0
        if random.uniform() < accepted:
            theta, value, gradient = new, new_value, slope
        if i < 1000:
            step *= numpy.exp((accepted - 0.8) / (1 + i % 300) ** 0.6)
            seen.append(theta)
        else:
            kept.append(theta)
    return kept


# ---- nutpie ----


def with_nutpie(library):
    """nutpie.compile_stan_model compiles; what it makes of its library takes ours as well."""
    import nutpie
    from nutpie.compile_stan import CompiledStanModel

    compiled = CompiledStanModel(code="", data=None, library=nutpie._lib.StanLibrary(str(library)), model=None, dims={},
                                 _coords={}, model_name="eight_schools").with_data(**json.loads(DATA.read_text()))
    trace = nutpie.sample(compiled, draws=DRAWS, chains=CHAINS, tune=1000, seed=1, progress_bar=False)
    draws = {}
    for name, variable in trace.posterior.data_vars.items():
        values = variable.values
        if values.ndim == 2:
            draws[name] = values
        else:
            draws.update({f"{name}[{i + 1}]": values[:, :, i] for i in range(values.shape[2])})
    return draws


# ---- BlackJAX ----


def with_blackjax(library):
    """A log density of JAX that calls the library, its gradient by the same call."""
    import blackjax
    import bridgestan
    import jax
    import jax.numpy as jnp
    import numpy

    jax.config.update("jax_enable_x64", True)
    model = bridgestan.StanModel(library, DATA, warn=False)
    shapes = (jax.ShapeDtypeStruct((), jnp.float64), jax.ShapeDtypeStruct((model.param_unc_num(),), jnp.float64))

    def evaluate(theta):
        value, gradient = model.log_density_gradient(numpy.asarray(theta))
        return numpy.float64(value), gradient

    def call(theta):
        return jax.pure_callback(evaluate, shapes, theta, vmap_method="sequential")

    log_density = jax.custom_vjp(lambda theta: call(theta)[0])
    log_density.defvjp(call, lambda gradient, cotangent: (cotangent * gradient,))

    @jax.jit
    def chain(key):
        start, warmup, run = jax.random.split(key, 3)
        theta = jax.random.uniform(start, (model.param_unc_num(),), minval=-1, maxval=1)
        (state, parameters), _ = blackjax.window_adaptation(blackjax.nuts, log_density).run(warmup, theta, 500)
        step = blackjax.nuts(log_density, **parameters).step

        def next_draw(at, own_key):
            at, _ = step(own_key, at)
            return at, at.position

        return jax.lax.scan(next_draw, state, jax.random.split(run, FEW_DRAWS))[1]

    chains = [numpy.asarray(chain(jax.random.key(seed))) for seed in range(CHAINS)]
    constrained = [[model.param_constrain(theta, include_tp=True) for theta in draws] for draws in chains]
    return named(model.param_names(include_tp=True), numpy.array(constrained))


if __name__ == "__main__":
    main()
