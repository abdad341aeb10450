#!/usr/bin/env python3
"""Prints a valid Stan program of about N lines that uses the language as people do: bench/long_program.py N"""
import sys

FUNCTION = """  real link{i}(real x, data real scale) {{
    real y = x / scale;
    if (y > 0) {{
      return log1p(y) + {i};
    }}
    return -log1p(-y) + {i};
  }}
"""
DATA = """  int<lower=0> N{i};
  array[N{i}] int<lower=1, upper=5> g{i};
  matrix[N{i}, 3] x{i};
  vector[N{i}] y{i};
"""
PARAMETERS = """  vector[5] a{i};
  vector[3] b{i};
  real<lower=0> tau{i};
  real<lower=0> sigma{i};
"""
MODEL = """  a{i} ~ normal(0, tau{i});
  b{i} ~ student_t(4, 0, 2.5);
  tau{i} ~ exponential(1);
  sigma{i} ~ normal(0, 1);
  for (n in 1:N{i}) {{
    real mu = a{i}[g{i}[n]] + x{i}[n] * b{i};
    target += normal_lpdf(y{i}[n] | link{i}(mu, 2.0), sigma{i});
  }}
"""
GENERATED = """  vector[N{i}] y_rep{i};
  for (n in 1:N{i}) {{
    y_rep{i}[n] = normal_rng(a{i}[g{i}[n]] + x{i}[n] * b{i}, sigma{i});
  }}
"""
BLOCKS = (("functions", FUNCTION), ("data", DATA), ("parameters", PARAMETERS), ("model", MODEL),
          ("generated quantities", GENERATED))


def program(lines):
    copies = max(1, lines // sum(text.count("\n") for _, text in BLOCKS))
    return "".join(f"{name} {{\n" + "".join(text.format(i=i) for i in range(copies)) + "}\n" for name, text in BLOCKS)


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
