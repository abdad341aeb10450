// math/linear_algebra against the scalar loops it replaced (Textbook) and, where the machine has it, against
// LAPACK, opened at run time; docs/benchmarks.md has the tables. One core: OPENBLAS_NUM_THREADS=1.
#include "math/linear_algebra.hpp"

#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "math/instruction_set.hpp"

namespace kullback::math::linear {
namespace {

std::vector<double> normals(std::size_t count) {
  Random random(1);
  std::vector<double> result(count);
  for (double& number : result) number = random.normal();
  return result;
}

// Symmetric, with eigenvalues from 1 on: the same by rows and by columns.
std::vector<double> positive_definite(std::size_t n) {
  const std::vector<double> b = normals(n * n);
  std::vector<double> a(n * n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        a[i * n + j] += b[k * n + i] * b[k * n + j] / static_cast<double>(n);
    }
  }
  for (std::size_t i = 0; i < n; ++i) a[i * (n + 1)] += 1;
  return a;
}

std::size_t size_of(const benchmark::State& state) { return static_cast<std::size_t>(state.range(0)); }

// ---- what stood in infer/mcmc/dense, certify/whitening and conjugate ----
KULLBACK_VECTORIZE bool textbook_cholesky(const std::vector<double>& a, std::size_t n,
                                          std::vector<double>& lower) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = lower.data() + i * n;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = lower.data() + j * n;
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (i != j) {
        row[j] = sum / other[j];
      } else {
        if (!(sum > 0) || !std::isfinite(sum)) return false;
        row[i] = std::sqrt(sum);
      }
    }
  }
  return true;
}

KULLBACK_VECTORIZE void textbook_solve(const std::vector<double>& lower, std::size_t n,
                                       std::vector<double>& x) {
  for (std::size_t i = 0; i < n; ++i) {
    double sum = x[i];
    for (std::size_t j = 0; j < i; ++j) sum -= lower[i * n + j] * x[j];
    x[i] = sum / lower[i * n + i];
  }
}

KULLBACK_VECTORIZE void textbook_solve_transposed(const std::vector<double>& lower, std::size_t n,
                                                  std::vector<double>& x) {
  for (std::size_t i = n; i-- > 0;) {
    double sum = x[i];
    for (std::size_t k = i + 1; k < n; ++k) sum -= lower[k * n + i] * x[k];
    x[i] = sum / lower[i * n + i];
  }
}

KULLBACK_VECTORIZE void textbook_update(std::vector<double>& lower, std::size_t n, std::vector<double>& v) {
  for (std::size_t k = 0; k < n; ++k) {
    const double old = lower[k * n + k];
    const double now = std::hypot(old, v[k]);
    const double cosine = now / old;
    const double sine = v[k] / old;
    lower[k * n + k] = now;
    for (std::size_t i = k + 1; i < n; ++i) {
      double& entry = lower[i * n + k];
      entry = (entry + sine * v[i]) / cosine;
      v[i] = cosine * v[i] - sine * entry;
    }
  }
}

KULLBACK_VECTORIZE void textbook_inverse(const std::vector<double>& lower, std::size_t n,
                                         std::vector<double>& result) {
  std::vector<double> column(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = i == j ? 1.0 : 0.0;
      for (std::size_t k = j; k < i; ++k) sum -= lower[i * n + k] * column[k];
      column[i] = sum / lower[i * n + i];
    }
    for (std::size_t i = n; i-- > j;) {
      double sum = column[i];
      for (std::size_t k = i + 1; k < n; ++k) sum -= lower[k * n + i] * column[k];
      column[i] = sum / lower[i * n + i];
      result[i * n + j] = column[i];
    }
  }
}

KULLBACK_VECTORIZE void textbook_multiply_symmetric(const std::vector<double>& a,
                                                    const std::vector<double>& x,
                                                    std::vector<double>& result) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) result[i] = 0;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) result[i] += a[j * n + i] * x[j];
  }
}

// ---- pairs ----
struct Problem {
  explicit Problem(const benchmark::State& state)
      : n(size_of(state)), a(positive_definite(n)), lower(n * n), inverse(n * n), b(normals(n)), x(n) {
    textbook_cholesky(a, n, lower);
  }
  View rows() { return View::by_rows(lower.data(), n, n); }
  View vector() { return View::vector(x.data(), n); }

  std::size_t n;
  std::vector<double> a, lower, inverse, b, x;
};

template <class Do>
void repeat(benchmark::State& state, const Do& act) {
  Problem problem(state);
  for (auto _ : state) {
    act(problem);
    benchmark::DoNotOptimize(problem.lower.data());
    benchmark::DoNotOptimize(problem.x.data());
    benchmark::ClobberMemory();
  }
}

void cholesky_textbook(benchmark::State& state) {
  repeat(state, [](Problem& p) { textbook_cholesky(p.a, p.n, p.lower); });
}
void cholesky_rows(benchmark::State& state) {
  repeat(state, [](Problem& p) { cholesky(ConstView::by_rows(p.a.data(), p.n, p.n), p.rows()); });
}
void cholesky_columns(benchmark::State& state) {
  repeat(state, [](Problem& p) { cholesky({p.a.data(), p.n, p.n}, {p.lower.data(), p.n, p.n}); });
}
void solve_textbook(benchmark::State& state) {
  repeat(state, [](Problem& p) {
    p.x = p.b;
    textbook_solve(p.lower, p.n, p.x);
  });
}
void solve_rows(benchmark::State& state) {
  repeat(state, [](Problem& p) {
    p.x = p.b;
    solve_lower(p.rows(), p.vector());
  });
}
void solve_transposed_textbook(benchmark::State& state) {
  repeat(state, [](Problem& p) {
    p.x = p.b;
    textbook_solve_transposed(p.lower, p.n, p.x);
  });
}
void solve_transposed_rows(benchmark::State& state) {
  repeat(state, [](Problem& p) {
    p.x = p.b;
    solve_lower_transposed(p.rows(), p.vector());
  });
}
void update_textbook(benchmark::State& state) {
  repeat(state, [](Problem& p) {
    p.x = p.b;
    textbook_update(p.lower, p.n, p.x);
  });
}
void update_rows(benchmark::State& state) {
  repeat(state, [](Problem& p) {
    p.x = p.b;
    update_cholesky(p.rows(), p.x);
  });
}
void inverse_textbook(benchmark::State& state) {
  repeat(state, [](Problem& p) { textbook_inverse(p.lower, p.n, p.inverse); });
}
void inverse_rows(benchmark::State& state) {
  repeat(state, [](Problem& p) { inverse_of_cholesky(p.rows(), View::by_rows(p.inverse.data(), p.n, p.n)); });
}
void product_textbook(benchmark::State& state) {
  repeat(state, [](Problem& p) { textbook_multiply_symmetric(p.a, p.b, p.x); });
}
void product_rows(benchmark::State& state) {
  repeat(state, [](Problem& p) { multiply_symmetric(ConstView::by_rows(p.a.data(), p.n, p.n), p.b, p.x); });
}

void small(benchmark::internal::Benchmark* benchmark) {
  for (const int n : {2, 5, 10, 20, 50, 100, 200}) benchmark->Arg(n);
}
#define KULLBACK_PAIR(name)                 \
  BENCHMARK(name##_textbook)->Apply(small); \
  BENCHMARK(name##_rows)->Apply(small)
KULLBACK_PAIR(cholesky);
BENCHMARK(cholesky_columns)->Apply(small);
KULLBACK_PAIR(solve);
KULLBACK_PAIR(solve_transposed);
KULLBACK_PAIR(update);
KULLBACK_PAIR(inverse);
KULLBACK_PAIR(product);

// ---- LAPACK ----
using Int = int;
struct Lapack {
  void (*potrf)(const char*, const Int*, double*, const Int*, Int*);
  void (*getrf)(const Int*, const Int*, double*, const Int*, Int*, Int*);
  void (*syevd)(const char*, const char*, const Int*, double*, const Int*, double*, double*, const Int*, Int*,
                const Int*, Int*);
  void (*gesdd)(const char*, const Int*, const Int*, double*, const Int*, double*, double*, const Int*,
                double*, const Int*, double*, const Int*, Int*, Int*);
};

const Lapack* lapack() {
  static const auto found = []() -> const Lapack* {
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    static Lapack routines;
    const auto find = [&](auto& routine, const char* name) {
      routine = reinterpret_cast<std::remove_reference_t<decltype(routine)>>(dlsym(library, name));
      return routine != nullptr;
    };
    const bool has_all = find(routines.potrf, "dpotrf_") && find(routines.getrf, "dgetrf_") &&
                         find(routines.syevd, "dsyevd_") && find(routines.gesdd, "dgesdd_");
    return has_all ? &routines : nullptr;
  }();
  return found;
}

template <class Do>
void repeat_large(benchmark::State& state, bool needs_lapack, const Do& act) {
  if (needs_lapack && lapack() == nullptr) return state.SkipWithError("libopenblas.so.0 is not there");
  const std::size_t n = size_of(state);
  const std::vector<double> a = positive_definite(n);
  std::vector<double> work(n * n), values(n), u(n * n), v(n * n);
  for (auto _ : state) {
    work = a;
    act(n, work, values, u, v);
    benchmark::ClobberMemory();
  }
}
using Numbers = std::vector<double>;

void large_cholesky(benchmark::State& state) {
  repeat_large(state, false, [](std::size_t n, Numbers& a, Numbers&, Numbers&, Numbers&) {
    cholesky({a.data(), n, n}, {a.data(), n, n});
  });
}
void large_cholesky_lapack(benchmark::State& state) {
  repeat_large(state, true, [](std::size_t n, Numbers& a, Numbers&, Numbers&, Numbers&) {
    const Int size = static_cast<Int>(n);
    Int info = 0;
    lapack()->potrf("L", &size, a.data(), &size, &info);
  });
}
void large_lu(benchmark::State& state) {
  repeat_large(state, false, [](std::size_t n, Numbers& a, Numbers&, Numbers&, Numbers&) {
    benchmark::DoNotOptimize(lu({a.data(), n, n}));
  });
}
void large_lu_lapack(benchmark::State& state) {
  repeat_large(state, true, [](std::size_t n, Numbers& a, Numbers&, Numbers&, Numbers&) {
    const Int size = static_cast<Int>(n);
    Int info = 0;
    std::vector<Int> pivots(n);
    lapack()->getrf(&size, &size, a.data(), &size, pivots.data(), &info);
  });
}
void large_symmetric_eigen(benchmark::State& state) {
  repeat_large(state, false, [](std::size_t n, Numbers& a, Numbers& w, Numbers& u, Numbers&) {
    symmetric_eigen({a.data(), n, n}, View::vector(w.data(), n), {u.data(), n, n});
  });
}
void large_symmetric_eigen_lapack(benchmark::State& state) {
  repeat_large(state, true, [](std::size_t n, Numbers& a, Numbers& w, Numbers&, Numbers&) {
    const Int size = static_cast<Int>(n), work_size = 1 + 6 * size + 2 * size * size, places = 3 + 5 * size;
    Int info = 0;
    std::vector<double> work(static_cast<std::size_t>(work_size));
    std::vector<Int> more(static_cast<std::size_t>(places));
    lapack()->syevd("V", "L", &size, a.data(), &size, w.data(), work.data(), &work_size, more.data(), &places,
                    &info);
  });
}
void large_svd(benchmark::State& state) {
  repeat_large(state, false, [](std::size_t n, Numbers& a, Numbers& s, Numbers& u, Numbers& v) {
    svd({a.data(), n, n}, {u.data(), n, n}, View::vector(s.data(), n), {v.data(), n, n});
  });
}
void large_svd_lapack(benchmark::State& state) {
  repeat_large(state, true, [](std::size_t n, Numbers& a, Numbers& s, Numbers& u, Numbers& v) {
    const Int size = static_cast<Int>(n), work_size = 7 * size * size + 4 * size;
    Int info = 0;
    std::vector<double> work(static_cast<std::size_t>(work_size));
    std::vector<Int> more(8 * n);
    lapack()->gesdd("S", &size, &size, a.data(), &size, s.data(), u.data(), &size, v.data(), &size,
                    work.data(), &work_size, more.data(), &info);
  });
}

void large(benchmark::internal::Benchmark* benchmark) {
  for (const int n : {100, 300, 1000, 2000}) benchmark->Arg(n)->Unit(benchmark::kMillisecond);
}
#define KULLBACK_LARGE_PAIR(name) \
  BENCHMARK(name)->Apply(large);  \
  BENCHMARK(name##_lapack)->Apply(large)
KULLBACK_LARGE_PAIR(large_cholesky);
KULLBACK_LARGE_PAIR(large_lu);
KULLBACK_LARGE_PAIR(large_symmetric_eigen);
KULLBACK_LARGE_PAIR(large_svd);

}  // namespace
}  // namespace kullback::math::linear
