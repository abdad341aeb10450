"""The systems that are compared, and the folder that keeps what they need."""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
STANLI = "stanli==0.24.0"
HTTPSTAN = "httpstan==4.13.0"  # carries the sources of Stan 2.35, its compiler and its libraries
STAN_VERSION = "2.35"
# CmdStan's flags, and the instructions of this machine.
STAN_FLAGS = ["-std=c++17", "-O3", "-march=native", "-w", "-D_REENTRANT", "-DBOOST_DISABLE_ASSERTS"]
STAN_LIBRARIES = ["sundials_cvodes", "sundials_idas", "sundials_kinsol", "sundials_nvecserial", "tbb"]


class Cache:
    def __init__(self, folder):
        self.folder = folder
        self.packages = folder / "packages"
        self.stan = self.packages / "httpstan"
        self.stan_models = folder / "stan"
        self.stanli_library = self.packages / "stanli/_bin/libstanli.so"
        self.stanli_timer = folder / "stanli_timer"
        self.stanli_sampler = folder / "stanli_sampler"
        self.stan_nuts = folder / "stan_nuts.so"
        self.stan_advi = folder / "stan_advi.so"

    def prepare(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.stan.is_dir() and self.stanli_library.exists()):
            run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", self.packages, STANLI, HTTPSTAN])
        (self.stan / "stanc").chmod(0o755)
        for program in (self.stanli_timer, self.stanli_sampler):
            run(["g++", "-std=c++20", "-O2", HERE / f"{program.name}.cpp", "-o", program, "-ldl"])
        self.precompile_stan()
        for library in (self.stan_nuts, self.stan_advi):
            self.compile_stan_algorithm(library)

    def compile_stan_algorithm(self, library):
        """One of Stan's algorithms for densities given as functions; hidden symbols keep its Eigen apart from ours."""
        run(["g++", *self.stan_flags(), "-fPIC", "-shared", "-fvisibility=hidden", "-fvisibility-inlines-hidden",
             HERE / f"{library.stem}.cpp", "-o", library, f"-L{self.stan}/lib", f"-Wl,-rpath,{self.stan}/lib", "-ltbb"])

    def precompile_stan(self):
        self.stan_models.mkdir(exist_ok=True)
        for name in ["stan_timer.hpp", "stan_timer.cpp", "timer.hpp"]:
            shutil.copy(HERE / name, self.stan_models / name)
        header = self.stan_models / "stan_timer.hpp"
        run(["g++", *self.stan_flags(), "-x", "c++-header", header, "-o", f"{header}.gch"])

    def stan_flags(self):
        return [*STAN_FLAGS, f"-I{self.stan}/include", f"-I{self.stan_models}"]

    def compile_models(self, models):
        for model in models:
            if (self.stan_models / model.name).exists():
                continue
            try:
                self.compile_model(model)
                print(f"compiled {model.name}", flush=True)
            except subprocess.CalledProcessError as error:
                print(f"Stan does not compile {model.name}: {error}", flush=True)

    def compile_model(self, model):
        generated = self.stan_models / f"{model.name}.hpp"
        program = self.stan_models / model.name
        run([self.stan / "stanc", f"--o={generated}", model.program])
        run(self.compiler_words(generated, f"{program}.new"))
        pathlib.Path(f"{program}.new").rename(program)

    def compiler_words(self, generated, program):
        """The model that stanc wrote to `generated`, with the main function of the timer."""
        return ["g++", *self.stan_flags(), f'-DSTAN_MODEL="{generated.name}"', self.stan_models / "stan_timer.cpp",
                "-o", program, f"-L{self.stan}/lib", f"-Wl,-rpath,{self.stan}/lib",
                *(f"-l{name}" for name in STAN_LIBRARIES)]


class Kullback:
    def __init__(self, program, lanes=1):
        self.program, self.lanes = program, lanes
        self.name = "kullback" if lanes == 1 else f"{lanes} lanes"

    def command(self, model, point, repeat):
        words = [self.program, "density", model.program, model.data, "--lanes", self.lanes]
        words += ["--repeat", repeat] if repeat else []
        return words + (["--point", point] if point else [])


class Stanli:
    name = "stanli"

    def __init__(self, cache):
        self.cache = cache
        if not cache.stanli_timer.exists():
            sys.exit("against.py: stanli is not in the cache; run 'bench/against.py prepare' first, or add '--skip stanli'.")

    def command(self, model, point, repeat):
        return [self.cache.stanli_timer, self.cache.stanli_library, model.program, model.data, point or "-", repeat]


class Stan:
    name = "Stan"

    def __init__(self, cache):
        self.folder = cache.stan_models

    def command(self, model, point, repeat):
        program = self.folder / model.name
        return [program, model.data, point or "-", repeat] if program.exists() else None


def run(words):
    subprocess.run([str(word) for word in words], check=True)
