"""What the package starts: signatures and docstrings of its verbs.

Printed by tools/print_python.py from what the programs say they take; 'make python' prints it anew. Do not edit.
"""
# mypy: disable-error-code="empty-body"
# ruff: noqa

from __future__ import annotations

from ._declared import declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal

    import numpy as np

    from ._applied import Evaluation, Restored
    from ._compared import Comparison, Distance
    from ._data import Data
    from ._files import Rows
    from ._fit import Fit
    from ._model import Model
    from ._program import ProgramLike
    from ._programs import Calibration, Optimum, Simulation
    from ._result import Result
    from ._verdict import Certificate

ELSEWHERE = {
    "quiet": ("", "Here it is progress=False."),
    "resume": ("", "'kullback fit --resume DIR' on the command line goes on with an unfinished fit."),
    "data": ("", "The data file comes after the program: kb.fit(program, data)."),
    "adapt_delta": ("target_accept", "Here it is target_accept."),
    "max_treedepth": ("max_depth", "Here it is max_depth."),
    "iter": ("draws", "Here it is draws, which does not count warmup."),
    "iter_sampling": ("draws", "Here it is draws."),
    "num_samples": ("draws", "Here it is draws."),
    "iter_warmup": ("warmup", "Here it is warmup."),
    "num_warmup": ("warmup", "Here it is warmup."),
    "num_chains": ("chains", "Here it is chains."),
    "parallel_chains": ("threads", "Here it is threads."),
    "cores": ("threads", "Here it is threads."),
    "output_dir": ("out", "Here it is out."),
    "algorithm": ("method", "Here it is method."),
    "tolerance": ("bound_tol", "How little the bound may rise before a fit ends is bound_tol."),
    "adam_rate": ("rate", "Adam's rate is rate."),
    "shape": ("prior_shape", "The shape of the gamma prior of rates is prior_shape."),
}


@declared("_fit")
def fit(
    program: ProgramLike | Model,
    data: Data = None,
    *,
    method: str = "auto",
    chains: int = 4,
    threads: int | None = None,
    tolerance: float | None = None,
    wasserstein: bool = False,
    budget: float | None = None,
    minibatch: str | None = None,
    strata: str | None = None,
    stream: str | Sequence[str] | None = None,
    force: bool = False,
    checkpoint: float = 1,
    sensitivity: bool = False,
    warmup: int = 1000,
    draws: int = 1000,
    thin: int = 1,
    target_accept: float = 0.8,
    max_depth: int = 10,
    metric: Literal["unit", "diagonal", "dense"] = "diagonal",
    step_size: float = 1,
    step_size_jitter: float = 0,
    paths: int = 4,
    resample: bool = True,
    elbo_draws: int = 25,
    history: int = 6,
    max_iterations: int = 2000,
    tol_obj: float = 1e-12,
    tol_rel_obj: float = 10000,
    tol_grad: float = 1e-08,
    tol_rel_grad: float = 10000000,
    tol_param: float = 1e-08,
    sampling: str = "iid",
    batch_size: int | str = "auto",
    row_sampling: str = "uniform",
    row_control: str = "auto",
    family: str = "auto",
    objective: str = "auto",
    estimator: str = "auto",
    optimizer: str = "auto",
    grad_draws: int | str = "auto",
    max_steps: int = 10000,
    learning_rate: float | str = "auto",
    decay: float = 0,
    layers: int | str = "auto",
    hidden: int | str = "auto",
    bins: int | str = "auto",
    aux_draws: int | str = "auto",
    rank: int | str = "auto",
    components: int | str = "auto",
    importance_draws: int = 10,
    alpha: float = 0.5,
    order: float = 2,
    partitions: int = 10,
    divergence: str = "hellinger",
    dispersion: float | str = "auto",
    power: float = 1,
    damping: float = 1,
    sweeps: int = 200,
    tol_sites: float = 1e-06,
    int_time: float = 6.283185307179586,
    sg_step_size: float | str = "auto",
    sg_schedule: Literal["constant", "decaying", "cyclical"] = "constant",
    sg_decay: float = 0.55,
    sg_delay: int | str = "auto",
    sg_cycles: int = 10,
    sg_exploration: float = 0.8,
    sg_anchor: Literal["chosen", "mode", "none"] = "chosen",
    sg_noise: Literal["plain", "corrected"] = "plain",
    sg_updates: int | str = "auto",
    sg_log_density: Literal["full", "none"] = "full",
    sg_preconditioner: Literal["none", "rmsprop", "rmsprop-biased"] = "none",
    sg_rms_decay: float = 0.99,
    sg_rms_floor: float = 1,
    sg_friction: float | str = "auto",
    particles: int = 1000,
    svgd_particles: int = 100,
    svgd_variant: Literal["natural", "plain", "mirrored"] = "natural",
    svgd_kernel: Literal["imq", "rbf"] = "imq",
    svgd_bandwidth: float | str = "auto",
    svgd_optimizer: Literal["adagrad", "coin"] = "adagrad",
    svgd_start: Literal["path", "spread"] = "path",
    svgd_tol: float = 0.003,
    temperatures: int = 10,
    seed: int | None = None,
    init: float | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    include_paths: Iterable[str | os.PathLike[str]] = (),
    max_memory: int | str | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Fit:
    """Fits a Stan program to data, with the draws of 'kullback fit' on the command line for the same seed
    (docs/fit.md).

    program             The path of a Stan file, its text, or a Model, which has its data
    data                A dict of numbers and arrays, a data frame, an Arrow table, the path of a JSON file; None for
                        none

    method              How to infer: kb.methods() lists them ["auto"]
    chains              Number of chains (MCMC methods only) [4]
    threads             Threads (default: the machine's cores)
    tolerance           Accuracy of every mean and sd, in posterior sds; the certificate says whether it was reached
    wasserstein         With the certificate: also bound Wasserstein distances from the posterior, by coupled chains
    budget              Seconds after which method auto gives the best answer so far (the result then depends on the
                        clock)
    minibatch           Take so many rows at a time of all data whose first size is N, such as N=256
    strata              Integer data, a number for each row: minibatches take their share of rows of each value
    stream              Rows that stay on disk: NAME=FILE with the numbers of a variable row after row, of the kind that
                        the ending says (.f64 .f32 .i64 .i32 .i16 .u8), or FILE.csv (repeatable)
    force               Replace what is there already
    checkpoint          Seconds between saves of unfinished chains [1]
    sensitivity         Look for conflicts of prior and data: how the posterior answers when either counts a little more
    warmup              Iterations in which a chain adapts; they are not kept (nuts, hmc, mala, rwm, sgld, sghmc, sgnht,
                        tempering) [1000]
    draws               Draws to keep: of each chain, or of the approximation (nuts, pathfinder, laplace, vi, advi,
                        fullrank, lowrank, dadvi, ep, iw, renyi, cubo, flow, hmc, mala, rwm, sgld, sghmc, sgnht,
                        tempering) [1000]
    thin                Keep every n-th iteration; draws are counted before thinning (nuts, hmc, mala, rwm, sgld, sghmc,
                        sgnht, tempering) [1]
    target_accept       Mean acceptance that the step size is adapted to, in (0, 1) (nuts, hmc) [0.8]
    max_depth           Doublings of a trajectory at most (nuts) [10]
    metric              Shape of the inverse metric: unit, diagonal or dense (nuts, hmc, mala, sgld, sghmc, sgnht)
                        ["diagonal"]
    step_size           Step size before adaptation; with warmup=0, the step size (nuts, hmc, mala, rwm) [1]
    step_size_jitter    Relative uniform jitter of the step size, in [0, 1) (nuts, hmc, mala) [0]
    paths               Paths of Pathfinder (pathfinder) [4]
    resample            Resample Pathfinder's draws by their weights; 0: draws of the mixture of its paths, with log q
                        (pathfinder) [True]
    elbo_draws          Draws for each ELBO estimate along a path of Pathfinder (pathfinder, ep, sgld, sghmc, sgnht)
                        [25]
    history             Updates that L-BFGS remembers (pathfinder, laplace, vi, advi, fullrank, lowrank, dadvi, ep, iw,
                        renyi, cubo, flow, optimize, sgld, sghmc, sgnht) [6]
    max_iterations      Iterations of an optimiser at most (pathfinder, laplace, ep, optimize, sgld, sghmc, sgnht, svgd)
                        [2000]
    tol_obj             An optimiser stops where the log density changes by less; 0: never (pathfinder, laplace, ep,
                        optimize, sgld, sghmc, sgnht) [1e-12]
    tol_rel_obj         The same relative to the log density, in units of 2.2e-16 (pathfinder, laplace, ep, optimize,
                        sgld, sghmc, sgnht) [10000]
    tol_grad            An optimiser stops where the norm of the gradient is below it (pathfinder, laplace, ep,
                        optimize, sgld, sghmc, sgnht) [1e-08]
    tol_rel_grad        The same relative to curvature and log density, in units of 2.2e-16 (pathfinder, laplace, ep,
                        optimize, sgld, sghmc, sgnht) [10000000]
    tol_param           An optimiser stops where the parameters move by less (pathfinder, laplace, ep, optimize, sgld,
                        sghmc, sgnht) [1e-08]
    sampling            Noise of the draws: iid, antithetic or sobol (vi, advi, fullrank, lowrank, dadvi, iw, renyi,
                        cubo, flow) ["iid"]
    batch_size          Rows of the data in a minibatch (vi, advi, fullrank, lowrank, dadvi, iw, renyi, cubo, flow,
                        sgld, sghmc, sgnht) ["auto"]
    row_sampling        How minibatches choose rows: uniform, epochs, strata or importance (vi, advi, fullrank, lowrank,
                        dadvi, iw, renyi, cubo, flow) ["uniform"]
    row_control         Control variate of minibatches: anchor or none (vi, advi, fullrank, lowrank, dadvi, iw, renyi,
                        cubo, flow) ["auto"]
    family              Family of the approximation (vi) ["auto"]
    objective           What the approximation maximises (vi) ["auto"]
    estimator           Estimator of the gradient (vi, advi, fullrank, lowrank, iw, renyi, cubo, flow) ["auto"]
    optimizer           What is done with the gradient (vi, advi, fullrank, lowrank, iw, renyi, cubo, flow) ["auto"]
    grad_draws          Draws of each gradient of the objective (vi, advi, fullrank, lowrank, dadvi, iw, renyi, cubo,
                        flow) ["auto"]
    max_steps           Steps of the approximation at most (vi, advi, fullrank, lowrank, dadvi, iw, renyi, cubo, flow)
                        [10000]
    learning_rate       First step size of the optimiser (vi, advi, fullrank, lowrank, dadvi, iw, renyi, cubo, flow)
                        ["auto"]
    decay               Robbins-Monro: the step size falls as step^-decay, 0.5 < decay <= 1; 0: in stages (vi, advi,
                        fullrank, lowrank, dadvi, iw, renyi, cubo, flow) [0]
    layers              Layers of a flow (vi, flow) ["auto"]
    hidden              Hidden units of the nets of a flow (vi, flow) ["auto"]
    bins                Bins of each spline of a flow (vi) ["auto"]
    aux_draws           Further draws of the mixing noise behind each log q of a semi-implicit family (vi) ["auto"]
    rank                Rank of the low-rank part of a covariance (vi, lowrank) ["auto"]
    components          Components of a mixture (vi) ["auto"]
    importance_draws    Draws of one value of a bound of several draws (vi, iw, renyi) [10]
    alpha               Order of the Renyi bound: 1 is the ELBO, less covers more mass (vi, renyi) [0.5]
    order               Order of the chi upper bound, above 1 (vi, cubo) [2]
    partitions          Temperatures of the thermodynamic objective (vi) [10]
    divergence          f-divergence: forward-kl, reverse-kl, chi2 or hellinger (vi) ["hellinger"]
    dispersion          Variance of overdispersed draws relative to q's (vi, advi, fullrank, lowrank, iw, renyi, cubo,
                        flow) ["auto"]
    power               Power of expectation propagation, in (0, 1]; towards 0 it is variational (ep) [1]
    damping             Part of an update of expectation propagation that is made at most, in (0, 1] (ep) [1]
    sweeps              Sweeps of expectation propagation over its sites at most (ep) [200]
    tol_sites           Expectation propagation stops where a sweep asks for less, in sd (ep) [1e-06]
    int_time            Integration time of a trajectory of static HMC (hmc) [6.283185307179586]
    sg_step_size        Step size of stochastic-gradient MCMC in coordinates of the metric; auto: by the curvature at
                        the mode (sgld, sghmc, sgnht) ["auto"]
    sg_schedule         Step sizes of stochastic-gradient MCMC from update to update (sgld, sghmc, sgnht) ["constant"]
    sg_decay            Decaying: what multiplies the gradient falls as (delay + iteration)^-decay; Robbins-Monro above
                        0.5 (sgld, sghmc, sgnht) [0.55]
    sg_delay            Decaying: iterations before the step size has fallen much; auto: those of the warm-up (sgld,
                        sghmc, sgnht) ["auto"]
    sg_cycles           Cyclical: cycles of the step size (sgld, sghmc, sgnht) [10]
    sg_exploration      Cyclical: first part of each cycle that is not kept (sgld, sghmc, sgnht) [0.8]
    sg_anchor           Control variates against the noise of minibatches: at the mode, or none; chosen: where there are
                        minibatches (sgld, sghmc, sgnht) ["chosen"]
    sg_noise            Injected noise: as in the diffusion, or less by the measured noise of minibatches (sgld, sghmc)
                        ["plain"]
    sg_updates          Updates of an iteration of stochastic-gradient MCMC; auto: until a coordinate has moved by its
                        sd, 50 at most (sgld, sghmc, sgnht) ["auto"]
    sg_log_density      lp__ of kept draws: with all rows, or none (NaN) (sgld, sghmc, sgnht) ["full"]
    sg_preconditioner   Preconditioner of sgld beside the metric; rmsprop-biased lacks its correction (sgld) ["none"]
    sg_rms_decay        RMSProp: what is kept of the mean of squared gradients at each update (sgld) [0.99]
    sg_rms_floor        RMSProp: added to the root of the mean square, in coordinates of the metric (sgld) [1]
    sg_friction         Friction of momenta in coordinates of the metric; auto: one over the largest standard deviation
                        (sghmc, sgnht) ["auto"]
    particles           Particles of sequential Monte Carlo (smc) [1000]
    svgd_particles      Particles of SVGD (svgd) [100]
    svgd_variant        SVGD in coordinates of unit curvature, in unconstrained ones, or with a kernel of constrained
                        values (svgd) ["natural"]
    svgd_kernel         Kernel of SVGD: inverse multiquadric or Gaussian (svgd) ["imq"]
    svgd_bandwidth      Bandwidth of SVGD's kernel in its coordinates; auto: by the median distance of particles (svgd)
                        ["auto"]
    svgd_optimizer      Steps of SVGD: AdaGrad with a step size that falls by itself, or coin betting, which has none
                        (svgd) ["adagrad"]
    svgd_start          Where particles of SVGD start: drawn from a Gaussian on the path to the mode, or spread around
                        the start (svgd) ["path"]
    svgd_tol            SVGD stops where its force would move particles by less, in standard deviations (svgd) [0.003]
    temperatures        Temperatures of parallel tempering, the target's included (tempering) [10]
    seed                Seed of all random numbers; a random one unless given (fit.seed says which)
    init                uniform(-init, init) in each unconstrained coordinate [2], "pathfinder", a JSON file, or a dict
                        with values of parameters
    include_paths       Folders where #include looks, after that of the program
    max_memory          Refuse a program that needs more bytes: 500_000_000 or "500MB"
    out                 Folder of the results; without one nothing is written
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_commands")
def certify(
    fit: Fit | str | os.PathLike[str],
    *,
    seed: int = 0,
    wasserstein: bool = False,
    threads: int | None = None,
    tolerance: float = 0.1,
) -> Certificate:
    """Estimate how wrong a fit's draws are, or draws from another program (docs/certificate.md).

    fit                 A fit, or its folder

    seed                Seed of the chains that check the draws [0]
    wasserstein         Also bound Wasserstein distances from the posterior, by coupled chains: of normal approximations
    threads             Threads (default: the machine's cores)
    tolerance           How wrong a mean or sd may be, in posterior standard deviations
    """


@declared("_programs")
def simulate(
    program: ProgramLike,
    data: Data = None,
    *,
    draws: int = 1000,
    data_sets: int = 0,
    seed: int | None = None,
    force: bool = False,
    include_paths: Iterable[str | os.PathLike[str]] = (),
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Simulation:
    """Draw parameters and data from a program's prior (docs/simulate.md).

    program             The path of a Stan file, or its text
    data                A dict of numbers and arrays, a data frame, an Arrow table, the path of a JSON file; None for
                        none

    draws               Draws from the prior [1000]
    data_sets           Write data-K.json, and params-K.json with what made them, for the first so many draws [0]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    force               Replace what is there already
    include_paths       Folders where #include looks, after that of the program
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_programs")
def calibrate(
    program: ProgramLike,
    data: Data = None,
    *,
    method: str = "advi",
    simulations: int = 200,
    seed: int | None = None,
    threads: int | None = None,
    level: float = 0.01,
    force: bool = False,
    warmup: int = 1000,
    draws: int = 1000,
    thin: int = 1,
    target_accept: float = 0.8,
    max_depth: int = 10,
    metric: Literal["unit", "diagonal", "dense"] = "diagonal",
    step_size: float = 1,
    step_size_jitter: float = 0,
    paths: int = 4,
    resample: bool = True,
    elbo_draws: int = 25,
    history: int = 6,
    max_iterations: int = 2000,
    tol_obj: float = 1e-12,
    tol_rel_obj: float = 10000,
    tol_grad: float = 1e-08,
    tol_rel_grad: float = 10000000,
    tol_param: float = 1e-08,
    sampling: str = "iid",
    batch_size: int | str = "auto",
    row_sampling: str = "uniform",
    row_control: str = "auto",
    family: str = "auto",
    objective: str = "auto",
    estimator: str = "auto",
    optimizer: str = "auto",
    grad_draws: int | str = "auto",
    max_steps: int = 10000,
    learning_rate: float | str = "auto",
    decay: float = 0,
    layers: int | str = "auto",
    hidden: int | str = "auto",
    bins: int | str = "auto",
    aux_draws: int | str = "auto",
    rank: int | str = "auto",
    components: int | str = "auto",
    importance_draws: int = 10,
    alpha: float = 0.5,
    order: float = 2,
    partitions: int = 10,
    divergence: str = "hellinger",
    dispersion: float | str = "auto",
    power: float = 1,
    damping: float = 1,
    sweeps: int = 200,
    tol_sites: float = 1e-06,
    int_time: float = 6.283185307179586,
    sg_step_size: float | str = "auto",
    sg_schedule: Literal["constant", "decaying", "cyclical"] = "constant",
    sg_decay: float = 0.55,
    sg_delay: int | str = "auto",
    sg_cycles: int = 10,
    sg_exploration: float = 0.8,
    sg_anchor: Literal["chosen", "mode", "none"] = "chosen",
    sg_noise: Literal["plain", "corrected"] = "plain",
    sg_updates: int | str = "auto",
    sg_log_density: Literal["full", "none"] = "full",
    sg_preconditioner: Literal["none", "rmsprop", "rmsprop-biased"] = "none",
    sg_rms_decay: float = 0.99,
    sg_rms_floor: float = 1,
    sg_friction: float | str = "auto",
    particles: int = 1000,
    svgd_particles: int = 100,
    svgd_variant: Literal["natural", "plain", "mirrored"] = "natural",
    svgd_kernel: Literal["imq", "rbf"] = "imq",
    svgd_bandwidth: float | str = "auto",
    svgd_optimizer: Literal["adagrad", "coin"] = "adagrad",
    svgd_start: Literal["path", "spread"] = "path",
    svgd_tol: float = 0.003,
    temperatures: int = 10,
    include_paths: Iterable[str | os.PathLike[str]] = (),
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Calibration:
    """Check a method on data simulated from a program's prior: are its posteriors right? (docs/calibrate.md).

    program             The path of a Stan file, or its text
    data                A dict of numbers and arrays, a data frame, an Arrow table, the path of a JSON file; None for
                        none

    method              Method that is calibrated ["advi"]
    simulations         Data sets to simulate and fit [200]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    threads             Threads (default: the machine's cores)
    level               Share of exact methods that all tests together may call wrong [0.01]
    force               Replace what is there already
    warmup              Iterations in which a chain adapts; they are not kept (nuts, hmc, mala, rwm, sgld, sghmc, sgnht,
                        tempering) [1000]
    draws               Draws to keep: of each chain, or of the approximation (nuts, pathfinder, laplace, vi, advi,
                        fullrank, lowrank, dadvi, ep, iw, renyi, cubo, flow, hmc, mala, rwm, sgld, sghmc, sgnht,
                        tempering) [1000]
    thin                Keep every n-th iteration; draws are counted before thinning (nuts, hmc, mala, rwm, sgld, sghmc,
                        sgnht, tempering) [1]
    target_accept       Mean acceptance that the step size is adapted to, in (0, 1) (nuts, hmc) [0.8]
    max_depth           Doublings of a trajectory at most (nuts) [10]
    metric              Shape of the inverse metric: unit, diagonal or dense (nuts, hmc, mala, sgld, sghmc, sgnht)
                        ["diagonal"]
    step_size           Step size before adaptation; with warmup=0, the step size (nuts, hmc, mala, rwm) [1]
    step_size_jitter    Relative uniform jitter of the step size, in [0, 1) (nuts, hmc, mala) [0]
    paths               Paths of Pathfinder (pathfinder) [4]
    resample            Resample Pathfinder's draws by their weights; 0: draws of the mixture of its paths, with log q
                        (pathfinder) [True]
    elbo_draws          Draws for each ELBO estimate along a path of Pathfinder (pathfinder, ep, sgld, sghmc, sgnht)
                        [25]
    history             Updates that L-BFGS remembers (pathfinder, laplace, vi, advi, fullrank, lowrank, dadvi, ep, iw,
                        renyi, cubo, flow, optimize, sgld, sghmc, sgnht) [6]
    max_iterations      Iterations of an optimiser at most (pathfinder, laplace, ep, optimize, sgld, sghmc, sgnht, svgd)
                        [2000]
    tol_obj             An optimiser stops where the log density changes by less; 0: never (pathfinder, laplace, ep,
                        optimize, sgld, sghmc, sgnht) [1e-12]
    tol_rel_obj         The same relative to the log density, in units of 2.2e-16 (pathfinder, laplace, ep, optimize,
                        sgld, sghmc, sgnht) [10000]
    tol_grad            An optimiser stops where the norm of the gradient is below it (pathfinder, laplace, ep,
                        optimize, sgld, sghmc, sgnht) [1e-08]
    tol_rel_grad        The same relative to curvature and log density, in units of 2.2e-16 (pathfinder, laplace, ep,
                        optimize, sgld, sghmc, sgnht) [10000000]
    tol_param           An optimiser stops where the parameters move by less (pathfinder, laplace, ep, optimize, sgld,
                        sghmc, sgnht) [1e-08]
    sampling            Noise of the draws: iid, antithetic or sobol (vi, advi, fullrank, lowrank, dadvi, iw, renyi,
                        cubo, flow) ["iid"]
    batch_size          Rows of the data in a minibatch (vi, advi, fullrank, lowrank, dadvi, iw, renyi, cubo, flow,
                        sgld, sghmc, sgnht) ["auto"]
    row_sampling        How minibatches choose rows: uniform, epochs, strata or importance (vi, advi, fullrank, lowrank,
                        dadvi, iw, renyi, cubo, flow) ["uniform"]
    row_control         Control variate of minibatches: anchor or none (vi, advi, fullrank, lowrank, dadvi, iw, renyi,
                        cubo, flow) ["auto"]
    family              Family of the approximation (vi) ["auto"]
    objective           What the approximation maximises (vi) ["auto"]
    estimator           Estimator of the gradient (vi, advi, fullrank, lowrank, iw, renyi, cubo, flow) ["auto"]
    optimizer           What is done with the gradient (vi, advi, fullrank, lowrank, iw, renyi, cubo, flow) ["auto"]
    grad_draws          Draws of each gradient of the objective (vi, advi, fullrank, lowrank, dadvi, iw, renyi, cubo,
                        flow) ["auto"]
    max_steps           Steps of the approximation at most (vi, advi, fullrank, lowrank, dadvi, iw, renyi, cubo, flow)
                        [10000]
    learning_rate       First step size of the optimiser (vi, advi, fullrank, lowrank, dadvi, iw, renyi, cubo, flow)
                        ["auto"]
    decay               Robbins-Monro: the step size falls as step^-decay, 0.5 < decay <= 1; 0: in stages (vi, advi,
                        fullrank, lowrank, dadvi, iw, renyi, cubo, flow) [0]
    layers              Layers of a flow (vi, flow) ["auto"]
    hidden              Hidden units of the nets of a flow (vi, flow) ["auto"]
    bins                Bins of each spline of a flow (vi) ["auto"]
    aux_draws           Further draws of the mixing noise behind each log q of a semi-implicit family (vi) ["auto"]
    rank                Rank of the low-rank part of a covariance (vi, lowrank) ["auto"]
    components          Components of a mixture (vi) ["auto"]
    importance_draws    Draws of one value of a bound of several draws (vi, iw, renyi) [10]
    alpha               Order of the Renyi bound: 1 is the ELBO, less covers more mass (vi, renyi) [0.5]
    order               Order of the chi upper bound, above 1 (vi, cubo) [2]
    partitions          Temperatures of the thermodynamic objective (vi) [10]
    divergence          f-divergence: forward-kl, reverse-kl, chi2 or hellinger (vi) ["hellinger"]
    dispersion          Variance of overdispersed draws relative to q's (vi, advi, fullrank, lowrank, iw, renyi, cubo,
                        flow) ["auto"]
    power               Power of expectation propagation, in (0, 1]; towards 0 it is variational (ep) [1]
    damping             Part of an update of expectation propagation that is made at most, in (0, 1] (ep) [1]
    sweeps              Sweeps of expectation propagation over its sites at most (ep) [200]
    tol_sites           Expectation propagation stops where a sweep asks for less, in sd (ep) [1e-06]
    int_time            Integration time of a trajectory of static HMC (hmc) [6.283185307179586]
    sg_step_size        Step size of stochastic-gradient MCMC in coordinates of the metric; auto: by the curvature at
                        the mode (sgld, sghmc, sgnht) ["auto"]
    sg_schedule         Step sizes of stochastic-gradient MCMC from update to update (sgld, sghmc, sgnht) ["constant"]
    sg_decay            Decaying: what multiplies the gradient falls as (delay + iteration)^-decay; Robbins-Monro above
                        0.5 (sgld, sghmc, sgnht) [0.55]
    sg_delay            Decaying: iterations before the step size has fallen much; auto: those of the warm-up (sgld,
                        sghmc, sgnht) ["auto"]
    sg_cycles           Cyclical: cycles of the step size (sgld, sghmc, sgnht) [10]
    sg_exploration      Cyclical: first part of each cycle that is not kept (sgld, sghmc, sgnht) [0.8]
    sg_anchor           Control variates against the noise of minibatches: at the mode, or none; chosen: where there are
                        minibatches (sgld, sghmc, sgnht) ["chosen"]
    sg_noise            Injected noise: as in the diffusion, or less by the measured noise of minibatches (sgld, sghmc)
                        ["plain"]
    sg_updates          Updates of an iteration of stochastic-gradient MCMC; auto: until a coordinate has moved by its
                        sd, 50 at most (sgld, sghmc, sgnht) ["auto"]
    sg_log_density      lp__ of kept draws: with all rows, or none (NaN) (sgld, sghmc, sgnht) ["full"]
    sg_preconditioner   Preconditioner of sgld beside the metric; rmsprop-biased lacks its correction (sgld) ["none"]
    sg_rms_decay        RMSProp: what is kept of the mean of squared gradients at each update (sgld) [0.99]
    sg_rms_floor        RMSProp: added to the root of the mean square, in coordinates of the metric (sgld) [1]
    sg_friction         Friction of momenta in coordinates of the metric; auto: one over the largest standard deviation
                        (sghmc, sgnht) ["auto"]
    particles           Particles of sequential Monte Carlo (smc) [1000]
    svgd_particles      Particles of SVGD (svgd) [100]
    svgd_variant        SVGD in coordinates of unit curvature, in unconstrained ones, or with a kernel of constrained
                        values (svgd) ["natural"]
    svgd_kernel         Kernel of SVGD: inverse multiquadric or Gaussian (svgd) ["imq"]
    svgd_bandwidth      Bandwidth of SVGD's kernel in its coordinates; auto: by the median distance of particles (svgd)
                        ["auto"]
    svgd_optimizer      Steps of SVGD: AdaGrad with a step size that falls by itself, or coin betting, which has none
                        (svgd) ["adagrad"]
    svgd_start          Where particles of SVGD start: drawn from a Gaussian on the path to the mode, or spread around
                        the start (svgd) ["path"]
    svgd_tol            SVGD stops where its force would move particles by less, in standard deviations (svgd) [0.003]
    temperatures        Temperatures of parallel tempering, the target's included (tempering) [10]
    include_paths       Folders where #include looks, after that of the program
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_programs")
def optimize(
    program: ProgramLike,
    data: Data = None,
    *,
    jacobian: bool = False,
    seed: int | None = None,
    force: bool = False,
    history: int = 6,
    max_iterations: int = 2000,
    tol_obj: float = 1e-12,
    tol_rel_obj: float = 10000,
    tol_grad: float = 1e-08,
    tol_rel_grad: float = 10000000,
    tol_param: float = 1e-08,
    init: float | str | os.PathLike[str] | Mapping[str, Any] = 2,
    include_paths: Iterable[str | os.PathLike[str]] = (),
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Optimum:
    """Find the most probable parameters: maximum likelihood or a posteriori (docs/fit.md).

    program             The path of a Stan file, or its text
    data                A dict of numbers and arrays, a data frame, an Arrow table, the path of a JSON file; None for
                        none

    jacobian            Maximise the density of the unconstrained parameters, as Laplace does (default: of the
                        constrained)
    seed                Seed of the starting point (default: a random one)
    force               Replace what is there already
    history             Updates that L-BFGS remembers [6]
    max_iterations      Iterations of an optimiser at most [2000]
    tol_obj             An optimiser stops where the log density changes by less; 0: never [1e-12]
    tol_rel_obj         The same relative to the log density, in units of 2.2e-16 [10000]
    tol_grad            An optimiser stops where the norm of the gradient is below it [1e-08]
    tol_rel_grad        The same relative to curvature and log density, in units of 2.2e-16 [10000000]
    tol_param           An optimiser stops where the parameters move by less [1e-08]
    init                uniform(-init, init) in each unconstrained coordinate, a JSON file, or a dict with values of
                        parameters
    include_paths       Folders where #include looks, after that of the program
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_compared")
def compare(
    *fits: Fit | str | os.PathLike[str] | Mapping[str, Fit | str | os.PathLike[str]],
    distance: bool = False,
    log_lik: str = "log_lik",
) -> Comparison | Distance:
    """Compare fits: which model predicts better, or how far apart two posteriors are (docs/compare.md).

    fits                Fits or their folders, or a dict of them by name

    distance            How far apart the posteriors are, instead of how well the models predict
    log_lik             Variable with the log likelihood of each observation ["log_lik"]
    """


@declared("_commands")
def mixture(
    data: Rows,
    *,
    kind: Literal["gaussian", "categorical", "poisson"] = "gaussian",
    method: Literal["cavi", "svi", "streaming"] = "cavi",
    starts: int = 1,
    update: str | os.PathLike[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    stream: bool = False,
    components: int = 10,
    weights: Literal["dirichlet", "dp"] = "dirichlet",
    concentration: float | None = None,
    start: Literal["kmeans", "random"] = "kmeans",
    join: bool = True,
    covariance: Literal["full", "tied", "diagonal", "spherical"] = "full",
    mean_precision: float = 1,
    degrees: float | None = None,
    mean: str | float | Sequence[float] | None = None,
    covariance_prior: str | float | Sequence[float] | None = None,
    covariance_scale: float = 1,
    level_concentration: float = 1,
    prior_shape: float = 1,
    prior_rate: float | None = None,
    passes: int | None = None,
    bound_tol: float = 1e-06,
    first_steps: int = 1,
    batch: int = 1024,
    step: Literal["robbins-monro", "adam"] = "robbins-monro",
    delay: float = 10,
    forgetting: float = 0.7,
    rate: float = 0.02,
    row_sampling: Literal["uniform", "importance"] = "uniform",
    polish: int = 2,
    inner: int = 50,
    seed: int | None = None,
    threads: int | None = None,
    no_units: bool = False,
    save_every: float = 10,
    resume: bool = False,
    force: bool = False,
    report: bool = False,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Result:
    """Find groups of rows: Bayesian mixtures of Gaussians, categories or counts (docs/mixture.md).

    data                An array [rows, columns], a dict of columns, a data frame, an Arrow table, or files

    kind                gaussian: Gaussian mixture with normal-Wishart (or normal-gamma) priors and Dirichlet or
                        Dirichlet process weights; categorical: Mixture of products of categorical distributions with
                        Dirichlet priors (latent classes); poisson: Mixture of products of Poisson distributions with
                        gamma priors ["gaussian"]
    method              cavi: coordinate ascent on all data; svi: minibatches and natural gradients; streaming: piece
                        after piece, once ["cavi"]
    starts              Starts from different random points; the best bound wins [1]
    update              Folder of an earlier fit: its posterior is the prior of this one
    ignore              Columns to leave out
    stream              Read the data piece by piece, in little memory
    components          Number of components; with weights dp the most there can be [10]
    weights             Prior of the weights: finite, or a Dirichlet process (stick breaking) ["dirichlet"]
    concentration       Concentration of the weights' prior (default: 1 / components)
    start               First assignments ["kmeans"]
    join                Whether two components become one where that raises the bound [True]
    covariance          Shape of covariances; tied: one for all (gaussian) ["full"]
    mean_precision      How many rows the prior of a component's mean is worth (gaussian) [1]
    degrees             Degrees of freedom of the prior of precisions (default: number of columns) (gaussian)
    mean                Prior mean: one number or one for each column (default: mean of the data) (gaussian)
    covariance_prior    Prior scale of covariances: variances, one number or one for each column (default: covariance of
                        the data) (gaussian)
    covariance_scale    Factor of that scale (gaussian) [1]
    level_concentration  Dirichlet concentration of each level in each component (categorical) [1]
    prior_shape         Shape of the gamma prior of each rate (poisson) [1]
    prior_rate          Rate of that prior (default: its shape / mean of the column) (poisson)
    passes              Passes over the data, at most (cavi, svi) [500; svi: 20]
    bound_tol           cavi ends when a pass raises the bound by less than this part of its size; streaming goes on to
                        the next piece (cavi, streaming) [1e-06]
    first_steps         Steps of the first pass, each on a part of the units; not with stream (cavi) [1]
    batch               Units of a minibatch, or of a piece (svi, streaming) [1024]
    step                How far a minibatch moves the posterior (svi) ["robbins-monro"]
    delay               Step t of robbins-monro has length (delay + t)^-forgetting (svi) [10]
    forgetting          The exponent in it: above 0.5 and up to 1 converges (svi) [0.7]
    rate                Rate of the steps of adam (svi) [0.02]
    row_sampling        Which rows or documents make a minibatch (svi) ["uniform"]
    polish              Passes of cavi at the end, which remove what noise is left; not with stream (svi) [2]
    inner               Updates on one piece, at most (streaming) [50]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    threads             Threads (default: all cores)
    no_units            Leave out the table with a line for each row
    save_every          Seconds between checkpoints [10]
    resume              Go on with an interrupted fit in the folder
    force               Replace what is there already
    report              Write DIR/report.html, too
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_commands")
def hmm(
    data: Rows,
    *,
    kind: Literal["gaussian", "categorical", "poisson"] = "gaussian",
    method: Literal["cavi", "svi", "streaming"] = "cavi",
    starts: int = 1,
    update: str | os.PathLike[str] | None = None,
    sequence: str | None = None,
    ignore: str | Sequence[str] | None = None,
    stream: bool = False,
    states: int = 3,
    concentration: float | None = None,
    sticky: float = 0,
    subchain: int = 1000,
    buffer: int = 50,
    covariance: Literal["full", "diagonal"] = "full",
    mean_precision: float = 1,
    degrees: float | None = None,
    covariance_scale: float = 1,
    emission_concentration: float | None = None,
    prior_shape: float = 1,
    passes: int | None = None,
    bound_tol: float = 1e-06,
    first_steps: int = 1,
    batch: int = 1024,
    step: Literal["robbins-monro", "adam"] = "robbins-monro",
    delay: float = 10,
    forgetting: float = 0.7,
    rate: float = 0.02,
    row_sampling: Literal["uniform", "importance"] = "uniform",
    polish: int = 2,
    inner: int = 50,
    seed: int | None = None,
    threads: int | None = None,
    no_units: bool = False,
    save_every: float = 10,
    resume: bool = False,
    force: bool = False,
    report: bool = False,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Result:
    """Find hidden states in sequences: Bayesian hidden Markov models (docs/hmm.md).

    data                An array [rows, columns], a dict of columns, a data frame, an Arrow table, or files

    kind                gaussian: Hidden Markov model whose rows are Gaussian in each state; categorical: Hidden Markov
                        model whose rows are categories, in one or several columns; poisson: Hidden Markov model whose
                        rows are counts, Poisson in each state ["gaussian"]
    method              cavi: coordinate ascent on all data; svi: minibatches and natural gradients; streaming: piece
                        after piece, once ["cavi"]
    starts              Starts from different random points; the best bound wins [1]
    update              Folder of an earlier fit: its posterior is the prior of this one
    sequence            Column whose change begins a new sequence
    ignore              Columns to leave out
    stream              Read the data piece by piece, in little memory
    states              Number of hidden states [3]
    concentration       Concentration of the Dirichlet priors of initial probabilities and transitions (default: 1 /
                        states)
    sticky              Added to the prior of staying in a state: as if so many stays had been seen [0]
    subchain            Rows of a part of a sequence in a minibatch [1000]
    buffer              Rows at either end of a part that give context and do not count [50]
    covariance          Shape of the states' covariances (gaussian) ["full"]
    mean_precision      How many rows the prior mean, that of the data, is worth (gaussian) [1]
    degrees             Degrees of freedom of the prior of precisions (default: number of columns) (gaussian)
    covariance_scale    The prior scale matrix is the data's covariance times this (gaussian) [1]
    emission_concentration  Concentration of the Dirichlet priors of categories (default: 1 / their number)
                        (categorical)
    prior_shape         Shape of the gamma prior of rates, whose mean is that of the column (poisson) [1]
    passes              Passes over the data, at most (cavi, svi) [500; svi: 20]
    bound_tol           cavi ends when a pass raises the bound by less than this part of its size; streaming goes on to
                        the next piece (cavi, streaming) [1e-06]
    first_steps         Steps of the first pass, each on a part of the units; not with stream (cavi) [1]
    batch               Units of a minibatch, or of a piece (svi, streaming) [1024]
    step                How far a minibatch moves the posterior (svi) ["robbins-monro"]
    delay               Step t of robbins-monro has length (delay + t)^-forgetting (svi) [10]
    forgetting          The exponent in it: above 0.5 and up to 1 converges (svi) [0.7]
    rate                Rate of the steps of adam (svi) [0.02]
    row_sampling        Which rows or documents make a minibatch (svi) ["uniform"]
    polish              Passes of cavi at the end, which remove what noise is left; not with stream (svi) [2]
    inner               Updates on one piece, at most (streaming) [50]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    threads             Threads (default: all cores)
    no_units            Leave out the table with a line for each row
    save_every          Seconds between checkpoints [10]
    resume              Go on with an interrupted fit in the folder
    force               Replace what is there already
    report              Write DIR/report.html, too
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_commands")
def factors(
    data: Rows,
    *,
    kind: Literal["pca", "fa", "matrix"] = "pca",
    method: Literal["cavi", "svi", "streaming"] = "cavi",
    starts: int = 1,
    update: str | os.PathLike[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    stream: bool = False,
    vocabulary: str | os.PathLike[str] | None = None,
    allow_empty: bool = False,
    factors: int = 10,
    mean_precision: float = 0.001,
    init: Literal["covariance", "random"] = "covariance",
    ard_shape: float = 1e-09,
    ard_rate: float = 1e-09,
    noise_shape: float = 1e-06,
    noise_rate: float = 1e-06,
    noise_sd: float | None = None,
    rotate: bool = True,
    reconstruct: str | None = None,
    standardize: bool = False,
    passes: int | None = None,
    bound_tol: float = 1e-06,
    first_steps: int = 1,
    batch: int = 1024,
    step: Literal["robbins-monro", "adam"] = "robbins-monro",
    delay: float = 10,
    forgetting: float = 0.7,
    rate: float = 0.02,
    row_sampling: Literal["uniform", "importance"] = "uniform",
    polish: int = 2,
    inner: int = 50,
    seed: int | None = None,
    threads: int | None = None,
    no_units: bool = False,
    save_every: float = 10,
    resume: bool = False,
    force: bool = False,
    report: bool = False,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Result:
    """Find a few factors behind many columns: Bayesian PCA, factor analysis, matrix factorisation (docs/factors.md).

    data                An array [rows, columns], a dict of columns, a data frame, an Arrow table, or files

    kind                pca: Probabilistic principal components with automatic rank: the same noise in every column; fa:
                        Bayesian factor analysis with automatic rank: each column has its own noise; matrix: Bayesian
                        matrix factorisation of ratings with biases of users and items, and automatic rank ["pca"]
    method              cavi: coordinate ascent on all data; svi: minibatches and natural gradients; streaming: piece
                        after piece, once ["cavi"]
    starts              Starts from different random points; the best bound wins [1]
    update              Folder of an earlier fit: its posterior is the prior of this one
    ignore              Columns to leave out
    stream              Read the data piece by piece, in little memory
    vocabulary          File of the words, one a line (matrix)
    allow_empty         Keep documents without words (matrix)
    factors             Most factors; those that the data do not need are shut [10]
    mean_precision      Precision of the prior of a column's mean, in its variances [0.001]
    init                First loadings: from the covariance of the rows, or random (pca, fa) ["covariance"]
    ard_shape           Shape of the gamma prior of a factor's precision [1e-09]
    ard_rate            Rate of the gamma prior of a factor's precision, for data of variance 1 [1e-09]
    noise_shape         Shape of the gamma prior of a noise precision [1e-06]
    noise_rate          Rate of the gamma prior of a noise precision, for data of variance 1 [1e-06]
    noise_sd            Standard deviation of the noise in units of the data, where it is known
    rotate              Whether factors are rotated between passes, which takes fewer of them [True]
    reconstruct         Columns whose reconstruction is written for each row: all, or names with commas between
    standardize         Whether each column is divided by its standard deviation first (pca)
    passes              Passes over the data, at most (cavi, svi) [500; svi: 20]
    bound_tol           cavi ends when a pass raises the bound by less than this part of its size; streaming goes on to
                        the next piece (cavi, streaming) [1e-06]
    first_steps         Steps of the first pass, each on a part of the units; not with stream (cavi) [1]
    batch               Units of a minibatch, or of a piece (svi, streaming) [1024]
    step                How far a minibatch moves the posterior (svi) ["robbins-monro"]
    delay               Step t of robbins-monro has length (delay + t)^-forgetting (svi) [10]
    forgetting          The exponent in it: above 0.5 and up to 1 converges (svi) [0.7]
    rate                Rate of the steps of adam (svi) [0.02]
    row_sampling        Which rows or documents make a minibatch (svi) ["uniform"]
    polish              Passes of cavi at the end, which remove what noise is left; not with stream (svi) [2]
    inner               Updates on one piece, at most (streaming) [50]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    threads             Threads (default: all cores)
    no_units            Leave out the table with a line for each row
    save_every          Seconds between checkpoints [10]
    resume              Go on with an interrupted fit in the folder
    force               Replace what is there already
    report              Write DIR/report.html, too
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_commands")
def regress(
    data: Rows,
    target: str,
    *,
    kind: Literal["linear", "logistic"] = "linear",
    method: Literal["cavi", "svi", "streaming"] = "cavi",
    starts: int = 1,
    update: str | os.PathLike[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    stream: bool = False,
    prior: Literal["gaussian", "ridge", "ard", "spike-slab"] = "ridge",
    precision: float | None = None,
    precision_shape: float | None = None,
    precision_rate: float | None = None,
    inclusion: float | None = None,
    scale: bool = True,
    intercept_precision: float | None = None,
    noise: float | None = None,
    noise_shape: float = 1e-06,
    noise_rate: float = 1e-06,
    passes: int | None = None,
    bound_tol: float = 1e-06,
    first_steps: int = 1,
    batch: int = 1024,
    step: Literal["robbins-monro", "adam"] = "robbins-monro",
    delay: float = 10,
    forgetting: float = 0.7,
    rate: float = 0.02,
    row_sampling: Literal["uniform", "importance"] = "uniform",
    polish: int = 2,
    inner: int = 50,
    seed: int | None = None,
    threads: int | None = None,
    no_units: bool = False,
    save_every: float = 10,
    resume: bool = False,
    force: bool = False,
    report: bool = False,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Result:
    """Explain a column by others: Bayesian linear and logistic regression with selection (docs/regress.md).

    data                An array [rows, columns], a dict of columns, a data frame, an Arrow table, or files
    target              The column to explain

    kind                linear: Bayesian linear regression: exact with a Gaussian prior; shrinkage, relevance or
                        selection of columns learned; logistic: Bayesian logistic regression by the bound of Jaakkola
                        and Jordan, with the same priors ["linear"]
    method              cavi: coordinate ascent on all data; svi: minibatches and natural gradients; streaming: piece
                        after piece, once ["cavi"]
    starts              Starts from different random points; the best bound wins [1]
    update              Folder of an earlier fit: its posterior is the prior of this one
    ignore              Columns to leave out
    stream              Read the data piece by piece, in little memory
    prior               gaussian: known precision; ridge: one learned precision; ard: one for each column; spike-slab:
                        columns in or out ["ridge"]
    precision           Prior precision of standardised coefficients (gaussian: 1 unless given; spike-slab: learned
                        unless given)
    precision_shape     Shape of the gamma prior of learned precisions (1e-6; spike-slab: 1)
    precision_rate      Its rate (ridge: 1e-6; ard: 1e-12; spike-slab: 1)
    inclusion           spike-slab: prior probability that a column is in (learned unless given)
    scale               Whether columns are scaled, or else only centred [True]
    intercept_precision  Prior precision of the intercept [1e-06; logistic: 0.01]
    noise               Standard deviation of the noise where it is known (linear)
    noise_shape         Shape of the gamma prior of the noise precision (linear) [1e-06]
    noise_rate          Its rate, for a target of standard deviation 1 (linear) [1e-06]
    passes              Passes over the data, at most (cavi, svi) [500; svi: 20]
    bound_tol           cavi ends when a pass raises the bound by less than this part of its size; streaming goes on to
                        the next piece (cavi, streaming) [1e-06]
    first_steps         Steps of the first pass, each on a part of the units; not with stream (cavi) [1]
    batch               Units of a minibatch, or of a piece (svi, streaming) [1024]
    step                How far a minibatch moves the posterior (svi) ["robbins-monro"]
    delay               Step t of robbins-monro has length (delay + t)^-forgetting (svi) [10]
    forgetting          The exponent in it: above 0.5 and up to 1 converges (svi) [0.7]
    rate                Rate of the steps of adam (svi) [0.02]
    row_sampling        Which rows or documents make a minibatch (svi) ["uniform"]
    polish              Passes of cavi at the end, which remove what noise is left; not with stream (svi) [2]
    inner               Updates on one piece, at most (streaming) [50]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    threads             Threads (default: all cores)
    no_units            Leave out the table with a line for each row
    save_every          Seconds between checkpoints [10]
    resume              Go on with an interrupted fit in the folder
    force               Replace what is there already
    report              Write DIR/report.html, too
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_commands")
def topics(
    data: Any,
    vocabulary: Any = None,
    *,
    kind: Literal["lda", "hdp"] = "lda",
    method: Literal["cavi", "svi", "streaming"] = "cavi",
    starts: int = 1,
    update: str | os.PathLike[str] | None = None,
    allow_empty: bool = False,
    ignore: str | Sequence[str] | None = None,
    stream: bool = False,
    topics: int | None = None,
    alpha: float | None = None,
    eta: float | None = None,
    learn_alpha: bool = False,
    inner_tolerance: float = 0.001,
    inner_rounds: int = 100,
    fresh_passes: int = 10,
    top_words: int = 10,
    topic_words: bool = False,
    tables: int = 10,
    gamma: float = 1,
    passes: int | None = None,
    bound_tol: float = 1e-06,
    first_steps: int = 1,
    batch: int = 1024,
    step: Literal["robbins-monro", "adam"] = "robbins-monro",
    delay: float = 10,
    forgetting: float = 0.7,
    rate: float = 0.02,
    row_sampling: Literal["uniform", "importance"] = "uniform",
    polish: int = 2,
    inner: int = 50,
    seed: int | None = None,
    threads: int | None = None,
    no_units: bool = False,
    save_every: float = 10,
    resume: bool = False,
    force: bool = False,
    report: bool = False,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Result:
    """Find topics in documents: latent Dirichlet allocation, hierarchical Dirichlet process (docs/topics.md).

    data                Lists of words, an array or sparse matrix of counts [documents, words], or files
    vocabulary          The words, or a file with one on each line; of lists of words it is made of them

    kind                lda: Latent Dirichlet allocation: each document is a mixture of topics, each topic a
                        distribution of words; hdp: Hierarchical Dirichlet process: topics as in lda, as many as the
                        documents need ["lda"]
    method              cavi: coordinate ascent on all data; svi: minibatches and natural gradients; streaming: piece
                        after piece, once ["cavi"]
    starts              Starts from different random points; the best bound wins [1]
    update              Folder of an earlier fit: its posterior is the prior of this one
    allow_empty         Keep documents without words
    ignore              Columns to leave out
    stream              Read the data piece by piece, in little memory
    topics              Number of topics [10; hdp: 50]
    alpha               Prior of a document's proportions, each topic (default: 1 / topics) [; hdp: 1]
    eta                 Prior of a topic's words, each word (default: 1 / topics) [; hdp: 0.01]
    learn_alpha         Whether alpha is learned, one for each topic, by Newton steps (lda)
    inner_tolerance     A document is done when its topics change less, in tokens each [0.001]
    inner_rounds        The most rounds in one document and pass [100]
    fresh_passes        Passes in which documents start afresh; from then on the bound never falls [10]
    top_words           Words of each topic in topics.csv [10]
    topic_words         Write all probabilities to topic_words.csv
    tables              The most topics of one document (hdp) [10]
    gamma               Concentration of the topics: the larger, the more of them (hdp) [1]
    passes              Passes over the data, at most (cavi, svi) [500; svi: 20]
    bound_tol           cavi ends when a pass raises the bound by less than this part of its size; streaming goes on to
                        the next piece (cavi, streaming) [1e-06]
    first_steps         Steps of the first pass, each on a part of the units; not with stream (cavi) [1]
    batch               Units of a minibatch, or of a piece (svi, streaming) [1024]
    step                How far a minibatch moves the posterior (svi) ["robbins-monro"]
    delay               Step t of robbins-monro has length (delay + t)^-forgetting (svi) [10]
    forgetting          The exponent in it: above 0.5 and up to 1 converges (svi) [0.7]
    rate                Rate of the steps of adam (svi) [0.02]
    row_sampling        Which rows or documents make a minibatch (svi) ["uniform"]
    polish              Passes of cavi at the end, which remove what noise is left; not with stream (svi) [2]
    inner               Updates on one piece, at most (streaming) [50]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    threads             Threads (default: all cores)
    no_units            Leave out the table with a line for each row
    save_every          Seconds between checkpoints [10]
    resume              Go on with an interrupted fit in the folder
    force               Replace what is there already
    report              Write DIR/report.html, too
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_commands")
def bnn(
    data: Rows,
    target: str,
    *,
    labels: str | os.PathLike[str] | None = None,
    image: str | None = None,
    ignore: str | Sequence[str] | None = None,
    validation: float = 0.1,
    architecture: Literal["auto", "mlp", "conv"] = "auto",
    filters: str | None = None,
    kernel: int | None = None,
    hidden: str | float | Sequence[float] = 50,
    activation: Literal["identity", "relu", "leaky-relu", "elu", "gelu", "silu", "softplus", "tanh", "sigmoid"] = "relu",
    residual: bool = False,
    likelihood: str = "auto",
    noise: float | None = None,
    prior: str = "gaussian",
    posterior: str = "ensemble",
    members: int | None = None,
    draws: int = 100,
    epochs: int | str = "auto",
    batch: int | str = "auto",
    patience: int | None = None,
    precision: Literal["float32", "float64", "tf32", "bf16"] = "float32",
    seed: int | None = None,
    save_every: float = 30,
    resume: bool = False,
    force: bool = False,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    device_memory: int | str | None = None,
    prior_scale: float = 1,
    prior_bias_scale: float = 1,
    prior_wide_share: float = 0.5,
    prior_narrow: float = 0.0025,
    rate: float | None = None,
    schedule: Literal["constant", "cosine"] = "cosine",
    kl_warmup: float = 0.2,
    initial_sd: float | None = None,
    step_draws: int | None = None,
    alpha: float = 0,
    gradient: Literal["auto", "weights", "local", "flipout"] = "auto",
    rank: int | None = None,
    ess: float | None = None,
    temperature: float = 1,
    hess_init: float = 2,
    beta1: float = 0.9,
    beta2: float = 0.999,
    clip_radius: float | None = None,
    precision_rate: float = 0.02,
    momentum: float = 0.9,
    features: Literal["trained", "frozen"] = "trained",
    final_rate: float = 0.3,
    burn_in: float = 0.3,
    draws_kept: int | None = None,
    memory: float = 0.99,
    friction: float = 0.05,
    cycles: int = 5,
    explore: float = 0.5,
    explore_temperature: float = 0,
    trajectory: float = 1.57,
    max_leapfrogs: int = 1000,
    target_accept: float = 0.8,
    warm_up: float = 0.5,
    curvature: Literal["diagonal", "kronecker", "last-layer", "full"] = "kronecker",
    prediction: Literal["linearised", "sampled"] = "linearised",
    tune_prior: bool = True,
    swag_rate: float = 0.002,
    collect_from: float = 0.5,
    scale: float = 1,
    drop: float = 0.05,
    drop_inputs: bool = False,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Result:
    """Explain a column by others with a Bayesian neural network (docs/networks.md).

    data                An array [rows, columns], a dict of columns, a data frame, an Arrow table, or files
    target              The column to explain

    labels              Of a file of images: the IDX or .npy file with their classes
    image               HEIGHTxWIDTH, or HEIGHTxWIDTHx3: the other columns of a table are the pixels of images
    ignore              Column to leave out; may be given several times
    validation          Part of the rows that is held out, to judge and to stop by; 0: none [0.1]
    architecture        Of the network; conv: convolutions, of images; auto: conv where there are images ["auto"]
    filters             Of conv: filters of each convolution, after which the image is halved (default: 16,32)
    kernel              Of conv: side of a convolution's window, odd (default: 3)
    hidden              Units of each hidden layer: 50,50; none: a linear model [50]
    activation          Of hidden layers ["relu"]
    residual            Hidden layers of equal size become x + f(x)
    likelihood          gaussian: a number with the same noise everywhere; heteroscedastic: noise that depends on the
                        inputs; categorical: classes; auto: categorical where the target is text or has two values, else
                        gaussian ["auto"]
    noise               Of gaussian: sd of the noise where it is known (default: it is learned)
    prior               Of the weights (gaussian, scale-mixture, laplace, horseshoe) ["gaussian"]
    posterior           Of the parameters; 'kullback-deep posteriors' says what each is for (map, mle, ensemble,
                        mean-field, low-rank, matrix-normal, ivon, natural-gradient, last-layer, sgld, psgld, sghmc,
                        cyclical, hmc, laplace, swag, dropout) ["ensemble"]
    members             Independent networks or chains, which predict together (default: 5 of ensemble, 4 of most
                        chains, else 1)
    draws               Of the parameters of each member, for predictions [100]
    epochs              Passes over the data; auto: about 20,000 steps ["auto"]
    batch               Rows of a minibatch; auto: 32, of hmc all ["auto"]
    patience            Epochs without a better held-out figure after which training ends; the best epoch is kept; 0:
                        never (default: a fifth of the epochs)
    precision           Type of numbers; tf32: a GPU's fast products of float32; bf16: products of training steps in
                        bfloat16 ["float32"]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    save_every          Seconds between checkpoints [30]
    resume              Go on with an interrupted training in the folder
    force               Replace what is there already
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    device_memory       Most of the device's memory for the rows; 0: none (default: half of what is free); rows that
                        need more stay in the host's memory and are copied a minibatch ahead
    prior_scale         Sd of a weight times the root of the number of inputs of its layer [1]
    prior_bias_scale    Sd of a bias [1]
    prior_wide_share    Probability that a weight has the wide normal (scale-mixture) [0.5]
    prior_narrow        Sd of the narrow normal as a part of the wide one's (scale-mixture) [0.0025]
    rate                Rate of Adam (map, mle, ensemble, mean-field, low-rank, matrix-normal, ivon, natural-gradient,
                        last-layer, sgld, psgld, sghmc, cyclical, laplace, swag, dropout) [0.005; mean-field: 0.01;
                        low-rank: 0.01; matrix-normal: 0.01; ivon: 0.1; natural-gradient: 0.05; sgld: 0.03; psgld: 0.01;
                        sghmc: 0.01; cyclical: 0.02]
    schedule            Of the rate; cosine: it falls to 0 (map, mle, ensemble, mean-field, low-rank, matrix-normal,
                        ivon, natural-gradient, last-layer, laplace, dropout) ["cosine"]
    kl_warmup           Part of the training in which the weight of the KL term rises from 0 to 1 (mean-field, low-rank,
                        matrix-normal) [0.2]
    initial_sd          Sd of each parameter at the start (mean-field, low-rank, matrix-normal, natural-gradient,
                        last-layer) [0.02; last-layer: 0.05]
    step_draws          Draws of the parameters in each step; auto: 1, with alpha=10 (mean-field, low-rank,
                        matrix-normal, ivon, natural-gradient) [auto; ivon: 1; natural-gradient: 1]
    alpha               0: the evidence lower bound; above 0, as 0.5 or 1: black-box alpha divergence, which covers more
                        of the posterior the larger it is (mean-field, low-rank, matrix-normal) [0]
    gradient            Noise of the rows of a minibatch: weights (all the same draw), local (each its own, in what
                        layers give), flipout (random signs of one draw); auto: local, with alpha weights (mean-field,
                        matrix-normal) ["auto"]
    rank                Directions besides the diagonal (low-rank, swag) [5; swag: 20]
    ess                 Effective sample size (default: the rows of the training data) (ivon)
    temperature         Divides the effective sample size: the KL term counts so many times (ivon, sgld, psgld, sghmc,
                        cyclical) [1]
    hess_init           Curvature of the mean loss at the start, for each parameter (ivon) [2]
    beta1               Memory of the gradient (ivon) [0.9]
    beta2               Memory of the curvature; nearer to 1 for more than some 10,000 steps (ivon) [0.999]
    clip_radius         Bound of each entry of a Newton step; without one small sets of rows can throw it far off (ivon,
                        natural-gradient) [0.03; natural-gradient: 1]
    precision_rate      Of steps of the precisions, 1 is the curvature of one step's draw (natural-gradient) [0.02]
    momentum            Memory of the gradient of the means (natural-gradient) [0.9]
    features            Layers before the last; frozen: at their random start (last-layer) ["trained"]
    final_rate          What the rate falls to, as a part of it; 1: it stays (sgld) [0.3]
    burn_in             The part of the epochs before draws are kept (sgld, psgld, sghmc) [0.3]
    draws_kept          The most draws that are kept of each chain, evenly spread over its epochs (sgld, psgld, sghmc,
                        cyclical, hmc) [100; hmc: 1000]
    memory              Of the running second moments of gradients (psgld) [0.99]
    friction            The part of its velocity that a chain loses in a step (sghmc, cyclical) [0.05]
    cycles              How often the rate falls to 0 (cyclical) [5]
    explore             The part of a cycle in which no draws are kept (cyclical) [0.5]
    explore_temperature  Of the noise at the beginning of that part, from which it falls to 0; large: crosses barriers
                        (cyclical) [0]
    trajectory          Mean length of a transition, in units of the sd of a parameter (hmc) [1.57]
    max_leapfrogs       The most steps of a transition (hmc) [1000]
    target_accept       Mean acceptance that the step size is adapted to (hmc) [0.8]
    warm_up             The part of the epochs in which step sizes and masses are adapted (hmc) [0.5]
    curvature           Of the loss; kronecker: factors by layer; last-layer: the full matrix of the last layer
                        (laplace) ["kronecker"]
    prediction          By the net as a linear function of its weights, or by draws of weights (laplace) ["linearised"]
    tune_prior          Scale the prior's precision after training, by the evidence (laplace) [True]
    swag_rate           Rate of Adam while points are collected: the larger, the wider (swag) [0.002]
    collect_from        The part of the epochs before points are collected (swag) [0.5]
    scale               Factor of the covariance (swag) [1]
    drop                Probability that an input of a layer is left out (dropout) [0.05]
    drop_inputs         Leave out inputs of the network too (dropout)
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_commands")
def vae(
    data: Rows,
    labels: Any = None,
    *,
    conditional: bool = False,
    image: str | None = None,
    ignore: str | Sequence[str] | None = None,
    validation: float = 0.1,
    latent: int = 20,
    hidden: str | float | Sequence[float] = 400,
    architecture: Literal["mlp", "conv", "residual"] = "mlp",
    filters: str | float | Sequence[float] = "32,64",
    activation: Literal["identity", "relu", "leaky-relu", "elu", "gelu", "silu", "softplus", "tanh", "sigmoid"] = "relu",
    decoder: str = "auto",
    prior: str = "gaussian",
    posterior: str = "gaussian",
    objective: str = "vae",
    epochs: int | str = "auto",
    batch: int = 128,
    rate: float = 0.001,
    schedule: Literal["constant", "cosine"] = "constant",
    patience: int | None = None,
    judge_every: int = 1,
    precision: Literal["float32", "float64", "tf32", "bf16"] = "float32",
    seed: int | None = None,
    save_every: float = 30,
    resume: bool = False,
    force: bool = False,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    device_memory: int | str | None = None,
    binarise: Literal["stochastic", "fixed", "no"] = "stochastic",
    noise: str = "learned",
    levels: int = 256,
    components: int = 1,
    prior_layers: int = 6,
    prior_hidden: int = 100,
    top_latent: int | None = None,
    top_hidden: int = 100,
    codes: int = 512,
    code_size: int | None = None,
    pseudo_inputs: int = 500,
    floor: Literal["none", "delta", "batch-norm"] = "none",
    floor_nats: float = 1,
    flow_layers: int = 4,
    flow_reflections: int = 8,
    flow_hidden: int = 200,
    flow_context: int = 50,
    code_gradient: Literal["straight", "rotation"] = "rotation",
    codebook: Literal["means", "loss"] = "means",
    commitment: float = 0.25,
    code_decay: float = 0.99,
    code_restart: float = 0.05,
    refine_hidden: int = 200,
    samples: int | None = None,
    refine_steps: int = 5,
    refine_rate: float = 0.1,
    refine_momentum: float = 0.5,
    refine_clip: float = 5,
    refine_gradient: Literal["through", "stopped"] = "through",
    beta: float | None = None,
    warm_up: float | None = None,
    gradient: Literal["dreg", "plain"] = "dreg",
    groups: int = 8,
    elbo_share: float = 0.5,
    alpha: float = 0.5,
    partitions: int = 2,
    partition_start: float = 0.1,
    info_alpha: float = 0,
    info_lambda: float = 100,
    corruption: float = 0.1,
    consistency: float = 0.1,
    shift: int = 2,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Result:
    """Learn latent variables of rows or images: variational autoencoders (docs/autoencoders.md).

    data                An array [rows, columns], images as bytes [rows, height, width], a table, or files
    labels              A number for each image, a file with them, or the name of a column

    conditional         Give the label to both networks
    image               Rows of a table are images: 28x28, or 32x32x3
    ignore              Column to leave out; may be given several times
    validation          Part of the rows that is held out, to judge and to stop by; 0: none [0.1]
    latent              Latent variables [20]
    hidden              Units of each hidden layer of the encoder, in reverse of the decoder: 200,200; none: linear
                        [400]
    architecture        Of both networks ["mlp"]
    filters             Of the convolutions, each of which halves the image (conv, residual) ["32,64"]
    activation          Of hidden layers ["relu"]
    decoder             Of a row given the latent variables; auto: bernoulli of images and of columns of 0 and 1, else
                        gaussian (bernoulli, gaussian, categorical, discretised-logistic) ["auto"]
    prior               Of the latent variables (gaussian, flow, hierarchical, codes, vamp) ["gaussian"]
    posterior           Family of the latent variables given a row (gaussian, planar, radial, sylvester, iaf,
                        hierarchical, vq, iterative) ["gaussian"]
    objective           Objective to maximise (vae, semi-amortised, iterative, beta, annealed, iwae, miwae, ciwae,
                        piwae, renyi, tvo, infovae, denoising, consistency) ["vae"]
    epochs              Passes over the data; auto: about 20,000 steps ["auto"]
    batch               Rows of a minibatch [128]
    rate                Rate of Adam [0.001]
    schedule            Of the rate; cosine: it falls to 0 ["constant"]
    patience            Epochs without a better held-out figure after which training ends; the best epoch is kept; 0:
                        never (default: a fifth of the epochs)
    judge_every         Epochs between two held-out figures [1]
    precision           Type of numbers; tf32: a GPU's fast products of float32; bf16: products of training steps in
                        bfloat16 ["float32"]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    save_every          Seconds between checkpoints [30]
    resume              Go on with an interrupted training in the folder
    force               Replace what is there already
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    device_memory       Most of the device's memory for the rows; 0: none (default: half of what is free); rows that
                        need more stay in the host's memory and are copied a minibatch ahead
    binarise            Of levels between 0 and 1: anew in each step, once by the seed, or no (bernoulli) ["stochastic"]
    noise               Sd of the noise: learned (one for all columns), output (by column and latent variables), or a
                        number (gaussian) ["learned"]
    levels              Levels of a pixel from 0 to 1 (categorical, discretised-logistic) [256]
    components          Logistic distributions mixed for each pixel (discretised-logistic) [1]
    prior_layers        Couplings of the flow of the prior (flow) [6]
    prior_hidden        Units of the networks in the couplings (flow) [100]
    top_latent          Latent variables of the upper of two layers, of those in latent (default: a third of them)
                        (hierarchical)
    top_hidden          Units of the networks between the two layers of latent variables (hierarchical) [100]
    codes               Codes of the book (codes) [512]
    code_size           Latent variables of a code (default: all in latent) (codes)
    pseudo_inputs       Components of the VampPrior (vamp) [500]
    floor               Against unused latent variables (gaussian) ["none"]
    floor_nats          Least divergence from the prior of all latent variables together (gaussian) [1]
    flow_layers         Layers of the flow of the posterior (planar, radial, sylvester, iaf) [4]
    flow_reflections    Householder reflections of a layer (sylvester) [8]
    flow_hidden         Units of the masked networks (iaf) [200]
    flow_context        Numbers of the encoder that the masked networks see (iaf) [50]
    code_gradient       Past the codes; straight: unchanged (vq) ["rotation"]
    codebook            How codes move: as running means, or by the gradient of a loss (vq) ["means"]
    commitment          Weight of the squared distance that draws outputs to their codes (vq) [0.25]
    code_decay          Of running means (vq) [0.99]
    code_restart        A code with less than this part of its fair share moves to a row of the minibatch; 0: never (vq)
                        [0.05]
    refine_hidden       Units of the network that refines the posterior (iterative) [200]
    samples             Draws of the latent variables of a row (vae, semi-amortised, iterative, beta, annealed, iwae,
                        miwae, ciwae, piwae, renyi, tvo, denoising, consistency) [1; iwae: 50; miwae: 8; ciwae: 50;
                        piwae: 8; renyi: 50; tvo: 50]
    refine_steps        Steps that refine the posterior of a row (semi-amortised, iterative) [5]
    refine_rate         Length of the refining steps (semi-amortised) [0.1]
    refine_momentum     Part of a refining step that goes on in the next (semi-amortised) [0.5]
    refine_clip         Longest gradient of a row (semi-amortised) [5]
    refine_gradient     How the encoder learns: through the refining steps, or by the bound before them (semi-amortised)
                        ["through"]
    beta                Weight of the divergence (beta, annealed) [4; annealed: 1]
    warm_up             Part of the training in which the weight rises from 0 (beta, annealed) [0; annealed: 0.2]
    gradient            Of the encoder; dreg: doubly reparameterised (iwae, miwae) ["dreg"]
    groups              Groups of draws, each with its own bound (miwae, piwae) [8]
    elbo_share          Weight of the ELBO (ciwae) [0.5]
    alpha               Order; 1 is the ELBO, 0 the IWAE (renyi) [0.5]
    partitions          Intervals of the integral from 0 to 1 (tvo) [2]
    partition_start     Where the second interval begins (tvo) [0.1]
    info_alpha          1 takes the divergence of each row out (infovae) [0]
    info_lambda         Weight of the divergence of the mean posterior (infovae) [100]
    corruption          Probability that a pixel becomes 0 or 1 at random; of other data, sd of normal noise (denoising)
                        [0.1]
    consistency         Weight of the divergence between the two posteriors (consistency) [0.1]
    shift               Pixels that an image moves at most (consistency) [2]
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_commands")
def ebm(
    data: Rows,
    *,
    image: str | None = None,
    ignore: str | Sequence[str] | None = None,
    validation: float = 0.1,
    energy: str = "auto",
    sampler: str = "auto",
    training: str = "weighted",
    energy_decay: float = 0,
    epochs: int | str = "auto",
    batch: int = 128,
    rate: float = 0.001,
    schedule: Literal["constant", "cosine"] = "cosine",
    patience: int = 0,
    judge_every: int = 1,
    precision: Literal["float32", "float64"] = "float32",
    seed: int | None = None,
    save_every: float = 30,
    resume: bool = False,
    force: bool = False,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    hidden: str | float | Sequence[float] = "64,64",
    architecture: Literal["mlp", "conv"] = "mlp",
    filters: str | float | Sequence[float] = "16,32",
    activation: Literal["identity", "relu", "leaky-relu", "elu", "gelu", "silu", "softplus", "tanh", "sigmoid"] = "silu",
    hidden_units: int = 64,
    step_size: float | None = None,
    target_accept: float | None = None,
    leapfrogs: int = 5,
    memory: float = 0.99,
    chain_steps: int | None = None,
    chains: int | None = None,
    least_effective: float = 0.5,
    moved: int = 0,
    renewed: float = 0,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Result:
    """Learn the density of rows or images as an energy: networks and Boltzmann machines (docs/energy.md).

    data                An array [rows, columns], images as bytes [rows, height, width], a table, or files

    image               Rows of a table are images: 28x28, or 32x32x3
    ignore              Column to leave out; may be given several times
    validation          Part of the rows that is held out, to judge and to stop by; 0: none [0.1]
    energy              What the energy is; auto: rbm of columns of 0 and 1, else net (net, rbm) ["auto"]
    sampler             How chains move; auto: mala of numbers, gibbs of 0 and 1 (mala, hmc, langevin, preconditioned,
                        gibbs) ["auto"]
    training            What stands in for draws of the model (weighted, persistent, cd, short-run, exact) ["weighted"]
    energy_decay        Times the mean squares of energies is added to the loss, which keeps them small [0]
    epochs              Passes over the data; auto: about 20,000 steps ["auto"]
    batch               Rows of a minibatch, and chains of cd and short-run [128]
    rate                Rate of Adam [0.001]
    schedule            Of the rate; cosine: it falls to 0 ["cosine"]
    patience            Epochs without a better held-out log likelihood after which training ends and the best is kept;
                        0: never. Where log Z is exact [0]
    judge_every         Epochs between two held-out figures [1]
    precision           Type of numbers ["float32"]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    save_every          Seconds between checkpoints [30]
    resume              Go on with an interrupted training in the folder
    force               Replace what is there already
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    hidden              Units of each hidden layer: 64,64; none: linear (net) ["64,64"]
    architecture        Of the network; conv: convolutions, of images (net) ["mlp"]
    filters             Of the convolutions, each of which halves the image (net) ["16,32"]
    activation          Of hidden layers (net) ["silu"]
    hidden_units        Of the machine; up to 16 its constant is summed exactly (rbm) [64]
    step_size           Of the chains, at first (mala, hmc, langevin, preconditioned) [0.1; langevin: 0.01;
                        preconditioned: 0.01]
    target_accept       Mean acceptance that the step size is adapted to (mala, hmc) [0.6; hmc: 0.8]
    leapfrogs           Steps of a trajectory (hmc) [5]
    memory              Of the running second moments of slopes (preconditioned) [0.99]
    chain_steps         Transitions of each chain in a step of the training (weighted, persistent, cd, short-run) [1;
                        persistent: 10; short-run: 50]
    chains              That go on from step to step (weighted, persistent) [512; persistent: 256]
    least_effective     Part of the chains that must count; where fewer do, they are drawn anew by weight (weighted)
                        [0.5]
    moved               Chains that move in a step, at random; 0: all (persistent) [0]
    renewed             Part of the chains that begin anew at the base each time (persistent) [0]
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_commands")
def diffusion(
    data: Rows,
    labels: Any = None,
    *,
    conditional: bool = False,
    label_dropout: float = 0.1,
    image: str | None = None,
    ignore: str | Sequence[str] | None = None,
    validation: float = 0.1,
    architecture: Literal["auto", "mlp", "unet"] = "auto",
    hidden: str | float | Sequence[float] = "128,128,128",
    filters: str | float | Sequence[float] = "32,64,64",
    activation: Literal["identity", "relu", "leaky-relu", "elu", "gelu", "silu", "softplus", "tanh", "sigmoid"] = "silu",
    parameterisation: str = "edm",
    sde: str = "vp",
    states: str = "continuous",
    weighting: str = "auto",
    times: Literal["auto", "uniform", "log-ratio", "lognormal"] = "auto",
    epochs: int | str = "auto",
    batch: int = 256,
    rate: float | None = None,
    schedule: Literal["constant", "cosine"] = "cosine",
    averaging: float = 0.999,
    judge_every: int = 1,
    precision: Literal["float32", "float64", "tf32"] = "float32",
    seed: int | None = None,
    save_every: float = 30,
    resume: bool = False,
    force: bool = False,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    noise_schedule: str = "linear",
    beta_min: float = 0.1,
    beta_max: float = 20,
    sigma_min: float | None = None,
    sigma_max: float | None = None,
    cld_beta: float = 4,
    cld_mass: float = 0.25,
    cld_start: float = 0.04,
    noise_steps: int = 1000,
    first_beta: float = 0.0001,
    last_beta: float = 0.02,
    first_log_ratio: float = -10,
    last_log_ratio: float = 5,
    pixel_levels: int | None = None,
    max_categories: int = 64,
    sweeps: int = 8,
    heat_bath_loss: Literal["prediction", "classification"] = "prediction",
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Result:
    """Learn to turn noise into rows or images: diffusion models (docs/diffusion.md).

    data                An array [rows, columns], images as bytes [rows, height, width], a table, or files
    labels              A number for each image, a file with them, or the name of a column

    conditional         Give the label to the network (continuous states)
    label_dropout       Part of the rows whose label it does not see, as guidance needs it (continuous states) [0.1]
    image               Rows of a table are images: 28x28, or 32x32x3
    ignore              Column to leave out; may be given several times
    validation          Part of the rows that is held out, to judge and to stop by; 0: none [0.1]
    architecture        Of the network; auto: unet of images, else mlp ["auto"]
    hidden              Units of each hidden layer (mlp) ["128,128,128"]
    filters             Channels at each resolution, each half of the one before (unet) ["32,64,64"]
    activation          Of hidden layers ["silu"]
    parameterisation    What the network's output stands for (noise, data, score, velocity, edm, flow) (continuous
                        states) ["edm"]
    sde                 How data become noise (vp, ve, sub-vp, cld, ddpm, edm, flow, learned) (continuous states) ["vp"]
    states              What rows are made of; states NAME help shows their options (continuous, or of categories and
                        counts masked, blackout, glauber, flow) ["continuous"]
    weighting           Of the errors at different levels of noise; auto: edm of rows, noise of images (noise, data,
                        velocity, edm, likelihood, min-snr) (continuous states) ["auto"]
    times               At which the network is trained; auto: lognormal of rows and of edm, uniform of images,
                        log-ratio with weighting likelihood (continuous states) ["auto"]
    epochs              Passes over the data; auto: about 20,000 steps ["auto"]
    batch               Rows of a minibatch [256]
    rate                Rate of Adam (default: 0.003 of rows, 0.001 of images and of a score) [; discrete states: 0.001]
    schedule            Of the rate; cosine: it falls to 0 ["cosine"]
    averaging           Of the running mean of the parameters, which is what is kept; 0: the last ones [0.999]
    judge_every         Epochs between two held-out figures [1]
    precision           Type of numbers; tf32: a GPU's fast products of float32 ["float32"]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    save_every          Seconds between checkpoints [30]
    resume              Go on with an interrupted training in the folder
    force               Replace what is there already
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    noise_schedule      Of the noise: linear (rates), cosine, or a file with the shares of signal that remain at equal
                        distances of time (vp, sub-vp) (continuous states) ["linear"]
    beta_min            Rate of the noise at the beginning (linear) (vp, sub-vp) (continuous states) [0.1]
    beta_max            Rate of the noise at the end (linear) (vp, sub-vp) (continuous states) [20]
    sigma_min           Sd of the noise at the beginning (ve, edm) [0.01; edm: 0.002] (continuous states)
    sigma_max           Sd of the noise at the end (ve, edm) [50; edm: 80] (continuous states)
    cld_beta            Speed of the dynamics (cld) (continuous states) [4]
    cld_mass            Mass of the velocity (cld) (continuous states) [0.25]
    cld_start           Variance of the velocity at the beginning, as a part of its last one (cld) (continuous states)
                        [0.04]
    noise_steps         Steps of the noise (ddpm) (continuous states) [1000]
    first_beta          Variance that the first step adds (ddpm) (continuous states) [0.0001]
    last_beta           Variance that the last step adds (ddpm) (continuous states) [0.02]
    first_log_ratio     Log of noise over signal (variances) at the beginning, before training (learned) (continuous
                        states) [-10]
    last_log_ratio      Log of noise over signal (variances) at the end, before training (learned) (continuous states)
                        [5]
    pixel_levels        Of images: levels that brightness is divided into (default: 2, blackout 256) (discrete states)
    max_categories      Most different values of a column (discrete states) [64]
    sweeps              Over the columns, from data to noise (glauber) (discrete states) [8]
    heat_bath_loss      How conditionals are learned: by prediction of the value, or by classification as data or noise
                        (glauber) (discrete states) ["prediction"]
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_commands")
def score(
    data: Rows,
    labels: Any = None,
    *,
    conditional: bool = False,
    label_dropout: float = 0.1,
    image: str | None = None,
    ignore: str | Sequence[str] | None = None,
    validation: float = 0.1,
    architecture: Literal["auto", "mlp", "unet"] = "auto",
    hidden: str | float | Sequence[float] = "128,128,128",
    filters: str | float | Sequence[float] = "32,64,64",
    activation: Literal["identity", "relu", "leaky-relu", "elu", "gelu", "silu", "softplus", "tanh", "sigmoid"] = "silu",
    parameterisation: str = "edm",
    objective: str = "denoising",
    weighting: str = "auto",
    times: Literal["auto", "uniform", "log-ratio", "lognormal"] = "auto",
    epochs: int | str = "auto",
    batch: int = 256,
    rate: float | None = None,
    schedule: Literal["constant", "cosine"] = "cosine",
    averaging: float = 0.999,
    judge_every: int = 1,
    precision: Literal["float32", "float64", "tf32"] = "float32",
    seed: int | None = None,
    save_every: float = 30,
    resume: bool = False,
    force: bool = False,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    levels: int = 30,
    sigma_min: float = 0.01,
    sigma_max: float = 20,
    noise_levels: str | None = None,
    exact_dims: int = 16,
    slices: int = 1,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Result:
    """Learn the gradient of the log density of rows or images at levels of noise (docs/diffusion.md).

    data                An array [rows, columns], images as bytes [rows, height, width], a table, or files
    labels              A number for each image, a file with them, or the name of a column

    conditional         Give the label to the network
    label_dropout       Part of the rows whose label it does not see, as guidance needs it [0.1]
    image               Rows of a table are images: 28x28, or 32x32x3
    ignore              Column to leave out; may be given several times
    validation          Part of the rows that is held out, to judge and to stop by; 0: none [0.1]
    architecture        Of the network; auto: unet of images, else mlp ["auto"]
    hidden              Units of each hidden layer (mlp) ["128,128,128"]
    filters             Channels at each resolution, each half of the one before (unet) ["32,64,64"]
    activation          Of hidden layers ["silu"]
    parameterisation    What the network's output stands for (noise, data, score, velocity, edm, flow) ["edm"]
    objective           How the score is learned (denoising, explicit, sliced) ["denoising"]
    weighting           Of the errors at different levels of noise; auto: edm of rows, noise of images (noise, data,
                        velocity, edm, likelihood, min-snr) ["auto"]
    times               At which the network is trained; auto: lognormal of rows and of edm, uniform of images,
                        log-ratio with weighting likelihood ["auto"]
    epochs              Passes over the data; auto: about 20,000 steps ["auto"]
    batch               Rows of a minibatch [256]
    rate                Rate of Adam (default: 0.003 of rows, 0.001 of images and of a score)
    schedule            Of the rate; cosine: it falls to 0 ["cosine"]
    averaging           Of the running mean of the parameters, which is what is kept; 0: the last ones [0.999]
    judge_every         Epochs between two held-out figures [1]
    precision           Type of numbers; tf32: a GPU's fast products of float32 ["float32"]
    seed                Seed of all random numbers (default: a random one, which is recorded)
    save_every          Seconds between checkpoints [30]
    resume              Go on with an interrupted training in the folder
    force               Replace what is there already
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    levels              Noise levels, geometric [30]
    sigma_min           The smallest level [0.01]
    sigma_max           The largest level [20]
    noise_levels        The levels themselves, falling: 10,3,1,0.3,0.1
    exact_dims          Columns up to which the divergence is exact (explicit) [16]
    slices              Random directions for each row (sliced) [1]
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_applied")
def predict(
    result: Fit | Result | str | os.PathLike[str],
    data: Any = None,
    *,
    vocabulary: str | os.PathLike[str] | None = None,
    allow_empty: bool = False,
    stream: bool = False,
    seed: int = 0,
    force: bool = False,
    labels: str | os.PathLike[str] | None = None,
    draws: int | None = None,
    ood: str | Sequence[str] | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Any:
    """Applies a result to new data. Of a program's fit: its generated quantities drawn anew, as a Fit; else a Result
    with the table of predictions (docs/results.md).

    result              a Fit, a mixture, a network, ..., or the folder of one
    data                New data, in the form of those it was fitted to; of a program None stands for the same

    vocabulary          File of the words, one a line (topics)
    allow_empty         Keep documents without words (topics)
    stream              Read new data piece by piece, in little memory (not of Stan programs)
    seed                Seed of the predictions' random numbers [0]
    force               Replace what is there already
    labels              Of a file of images: the file with their classes, for figures
    draws               Draws of each member (default: as trained)
    ood                 Rows of another origin: does the network know that it does not know them? Adds the AUROC of its
                        epistemic uncertainty; may be given several times
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_applied")
def sample(
    result: Result | str | os.PathLike[str],
    count: int = 64,
    *,
    seed: int = 1,
    label: str | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    from_: Literal["auto", "exact", "chains", "base", "annealed"] = "auto",
    transitions: int | None = None,
    sampler: str = "auto",
    steps: int = 100,
    grid: Literal["auto", "uniform", "quadratic", "edm", "log-ratio"] = "auto",
    guidance: float = 0,
    strip: str | os.PathLike[str] | None = None,
    corrections: int = 1,
    snr: float = 0.1,
    tolerance: float = 1e-05,
    eta: float = 0,
    inner_steps: int = 10,
    langevin_size: float = 0.1,
    progress: bool | None = None,
) -> np.ndarray:
    """Draw new rows from a fitted autoencoder, energy or diffusion model (docs/diffusion.md).

    result              A result, or its folder
    count               Of new rows

    seed                Of the random numbers; another gives others [1]
    label               Of a conditional model: the label of the rows (default: each in turn) (vae, diffusion, score)
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    from_               Where chains begin: exact (few hidden units: draws of the model itself), chains (of the
                        training), base, annealed; auto: the first of exact, chains, annealed that there is (ebm)
                        ["auto"]
    transitions         Of each chain (default: 500, of annealed ones 100, of a short run as in the training) (ebm)
    sampler             How; auto: heun, after 'kullback score' langevin (euler, ancestral, pc, heun, rk45, ddim,
                        langevin) (diffusion, score) ["auto"]
    steps               From noise to data (diffusion, score, discrete-diffusion) [100]
    grid                Where in time the steps are; auto: edm, of a ladder and of cld uniform (diffusion, score)
                        ["auto"]
    guidance            Of a conditional model: how much more like its label a sample is to be (diffusion, score) [0]
    strip               PNG file of the way from noise to images (diffusion, score, discrete-diffusion)
    corrections         Langevin steps at each time (pc) (diffusion, score) [1]
    snr                 Size of the Langevin steps: gradient against noise (pc) (diffusion, score) [0.1]
    tolerance           Relative and absolute error of a step (rk45) (diffusion, score) [1e-05]
    eta                 Part of the ancestral noise that is added (ddim) (diffusion, score, discrete-diffusion) [0]
    inner_steps         Langevin steps at each level (langevin) (diffusion, score) [10]
    langevin_size       Of a Langevin step, in units of the variance of the noise (langevin) (diffusion, score) [0.1]
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_applied")
def loglik(
    result: Result | str | os.PathLike[str],
    data: Rows,
    *,
    temperatures: int = 1000,
    chains: int = 1000,
    leapfrogs: int = 5,
    transitions: int = 1,
    raise_rows: int = 100,
    raise_chains: int = 16,
    seed: int = 1,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    labels: str | None = None,
    rows: int | None = None,
    tolerance: float = 0.0001,
    exact_dims: int = 32,
    probes: int = 4,
    draws: int | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Give the log likelihood of new rows under a fitted energy or diffusion model (docs/energy.md).

    result              A result, or its folder
    data                Rows of the kind that it was trained on, as arrays, a table or files

    temperatures        From the base to the model (ebm) [1000]
    chains              Of the annealing (ebm) [1000]
    leapfrogs           Steps of a transition (numbers) (ebm) [5]
    transitions         At each temperature (ebm) [1]
    raise_rows          Rows of the conservative figure; 0: none (ebm) [100]
    raise_chains        Chains of each of those rows (ebm) [16]
    seed                Of the random numbers; another gives others [1]
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    labels              Labels of the rows, as in the training (diffusion, score)
    rows                How many rows to take, from the first on (default: all) (diffusion, score, discrete-diffusion)
    tolerance           Relative and absolute error of a step of the solver (diffusion, score) [0.0001]
    exact_dims          Numbers of a state up to which the divergence is exact (diffusion, score) [32]
    probes              Random directions of its estimate beyond that (diffusion, score) [4]
    draws               Of the bound's estimate, for each row (default: 20, flow 10, glauber 1) (discrete-diffusion)
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_applied")
def evaluate(
    result: Result | str | os.PathLike[str],
    data: Rows,
    *,
    labels: str | None = None,
    train: str | os.PathLike[str] | None = None,
    rows: int | None = None,
    samples: int = 5000,
    gaps: bool = True,
    ais: bool = False,
    gap_rows: int = 100,
    ais_temperatures: int = 500,
    ais_chains: int = 16,
    ais_leapfrogs: int = 10,
    fit_steps: int = 500,
    refine_steps: int = 0,
    seed: int = 1,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Give the log likelihood of rows under a fitted autoencoder, and what its bound loses where
    (docs/autoencoders.md).

    result              A result, or its folder
    data                Rows of the kind that it was trained on, as arrays, a table or files

    labels              Labels of the rows, as in the training
    train               File with rows of the training data: adds what is lost on new rows (labels of conditional
                        models: a column)
    rows                How many rows to take, from the first on (default: all)
    samples             Draws of the importance weighting of a row [5000]
    gaps                Fit posteriors to single rows, to see where the bound is lost [True]
    ais                 Log likelihood by annealed importance sampling too
    gap_rows            Rows of the gaps and of the annealing [100]
    ais_temperatures    Of the annealing [500]
    ais_chains          Chains of the annealing for a row [16]
    ais_leapfrogs       Leapfrog steps of a transition [10]
    fit_steps           Steps of the fit to a single row [500]
    refine_steps        Steps that refine the posterior of each row before all else [0]
    seed                Of the random numbers; another gives others [1]
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    progress            True, False, or None: on a terminal and in a notebook
    """


@declared("_applied")
def encode(
    result: Result | str | os.PathLike[str],
    data: Rows,
    *,
    labels: str | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations of the latent variables of rows, [rows, latent] each, by a fitted autoencoder
    (docs/autoencoders.md).

    result              A result, or its folder
    data                Rows of the kind that it was trained on, as arrays, a table or files

    labels              Of a conditional model: IDX file, or column
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    """


@declared("_applied")
def decode(
    result: Result | str | os.PathLike[str],
    latents: Any,
    *,
    label: str | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
) -> np.ndarray:
    """Give the rows that latent variables stand for, by a fitted autoencoder (docs/autoencoders.md).

    result              A result, or its folder
    latents             An array [rows, latent]

    label               Of a conditional model: the label of the rows
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    """


@declared("_applied")
def restore(
    result: Result | str | os.PathLike[str],
    observed: Rows,
    *,
    operator: str | None = None,
    noise_sd: float | None = None,
    method: str = "tsmc",
    count: int = 64,
    label: str | None = None,
    guidance: float = 0,
    end_noise: float | None = None,
    seed: int = 1,
    force: bool = False,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
    mask: str | None = None,
    box: str | None = None,
    blur_sd: float = 1,
    factor: int = 2,
    matrix: str | None = None,
    low: float = 0,
    high: float = 1,
    particles: int = 256,
    runs: int = 4,
    steps: int | None = None,
    resample_below: float = 0.5,
    twist_sd: float = 1,
    chains: int = 64,
    inner_steps: int = 5,
    ladder_size: float = 0.3,
    adjusted_steps: int = 200,
    kept: int = 10,
    rate: float = 0.1,
    red_weight: Literal["score", "ratio"] = "score",
    prior_weight: float = 1,
    repulsion: float = 0,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Restored:
    """Restore rows or images from what was observed of them, with a diffusion model as the prior (docs/restore.md).

    result              A result, or its folder
    observed            An array with a row y for each x, in the data's units; a table, or a file

    operator            What was done to x (inpaint, blur, downsample, linear, clip, phase)
    noise_sd            Sd of the noise, in the units of OBSERVED
    method              How (tsmc, langevin, red-diff) ["tsmc"]
    count               Draws of each row [64]
    label               Of a conditional model: the label of the rows, or none
    guidance            Of a conditional model: how much more like its label x is to be [0]
    end_noise           Noise at which the way to the data ends, for data with the sd 1 (default: 0.03; langevin 0.1)
    seed                Of the random numbers; another gives others [1]
    force               Replace what is there already
    device              Where numbers are; auto: CUDA where there is a device ["auto"]
    threads             Threads (default: all cores; training of small networks: one)
    mask                CSV, .npy or IDX file with a number for each of a row: 0 where it is not seen (inpaint)
    box                 TOP,LEFT,HEIGHT,WIDTH: pixels that are not seen (inpaint)
    blur_sd             Of the kernel, in pixels (blur) [1]
    factor              Sides of the squares, in pixels (downsample) [2]
    matrix              CSV or .npy file: a row for each observed number, a column for each of x (linear)
    low                 The lowest number that can be seen (clip) [0]
    high                The highest (clip) [1]
    particles           Of a run (tsmc) [256]
    runs                Independent of each other, for the Monte Carlo error (tsmc) [4]
    steps               From noise to data [200; langevin: 100; red-diff: 500]
    resample_below      Effective part of the particles below which they are resampled (tsmc) [0.5]
    twist_sd            Sd of x that guesses of p(y | state) reckon with (tsmc) [1]
    chains              Each its own way from noise (langevin) [64]
    inner_steps         Langevin steps at each level (langevin) [5]
    ladder_size         Of a step of the ladder, below 1 (langevin) [0.3]
    adjusted_steps      At the last level; the first half warms up (langevin) [200]
    kept                Draws of each chain that are kept (langevin) [10]
    rate                Of Adam at the beginning; it falls to 0 (red-diff) [0.1]
    red_weight          Of the prior at each level; ratio: the paper's (red-diff) ["score"]
    prior_weight        Weight that the prior has beside that (red-diff) [1]
    repulsion           Between particles, for diverse answers; 1: as diverse as the posterior (red-diff) [0]
    out                 Folder of the results; without one it is temporary and goes with the result
    progress            True, False, or None: on a terminal and in a notebook
    """
