# Each target installs what it needs (tools/setup.sh), builds, and does its job.
FUZZ_SECONDS := $(or $(SECONDS),600)

.PHONY: help run deep python wheel try-wheel test sanitize bench fuzz format clean

help:
	@echo 'make run                 build kullback, check the examples, fit eight schools'
	@echo 'make deep                build kullback-deep too: neural networks, on LibTorch'
	@echo 'make python              print the signatures of the Python package from what the programs take'
	@echo 'make wheel               build what needs nothing but glibc, in build/dist: a wheel for Python, an archive'
	@echo 'make try-wheel           install and use both in an empty Debian (as root)'
	@echo 'make test                all that a change must pass; STAGES="arrows headers" runs only those'
	@echo 'make sanitize            every test under the address, undefined-behaviour and thread sanitizers'
	@echo 'make bench               build and run the benchmarks'
	@echo 'make fuzz SECONDS=600    fuzz for that long, all harnesses together'
	@echo 'make format              apply clang-format to the sources'
	@echo 'make clean               remove every build folder'

run:
	@tools/setup.sh run
	@tools/build.sh release kullback kullback_shared
	build/kullback check --summary examples/*.stan
	build/kullback fit examples/eight_schools.stan examples/eight_schools.json --seed 1 --out build/eight_schools-fit --force

deep:
	@tools/setup.sh deep
	@KULLBACK_DEEP=ON tools/build.sh release kullback kullback-deep

python: deep
	tools/print_python.py

wheel:
	@tools/setup.sh wheel
	@tools/build.sh release kullback kullback_shared
	@tools/wheel.sh

try-wheel: wheel
	@tests/interop/try_wheel.sh

test:
	@tools/setup.sh test
	@tools/test.sh $(STAGES)

sanitize:
	@tools/setup.sh test
	@tools/test.sh threads whole_sanitizers whole_threads

bench:
	@tools/setup.sh bench
	@tools/bench.sh

fuzz:
	@tools/setup.sh fuzz
	@tools/fuzz.sh $(FUZZ_SECONDS)

format:
	@tools/setup.sh test
	@tools/format.sh apply

clean:
	rm -rf build build-dev build-asan build-tsan build-fuzz build-stack
