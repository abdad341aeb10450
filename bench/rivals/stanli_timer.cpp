// Times stanli's gradient through the C interface of its shared library, without Python.
// usage: stanli_timer LIBRARY PROGRAM DATA POINT REPEAT
#include <dlfcn.h>

#include <cstdint>

#include "timer.hpp"

namespace {

struct ModelOptions {
  std::uint32_t seed = 1;
  int threads_per_chain = 1;
  int fast_math = 0;
};

void* library = nullptr;

template <class Function>
Function* symbol(const char* name) {
  void* found = dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string("the library has no ") + name);
  return reinterpret_cast<Function*>(found);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 6) throw std::runtime_error("usage: stanli_timer LIBRARY PROGRAM DATA POINT REPEAT");
  library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  auto* make = symbol<void*(const char*, const char*, const ModelOptions*, char*, std::size_t)>(
      "stanli_model_new_from_stan_with_opts");
  auto* dimension = symbol<std::int64_t(const void*)>("stanli_n_unconstrained");
  auto* evaluate = symbol<int(void*, const double*, double*, double*)>("stanli_grad");

  const double start = timer::processor_nanoseconds();
  const std::string program = timer::read_file(argv[2]), data = timer::read_file(argv[3]);
  char error[4096] = "";
  const ModelOptions options;
  void* model = make(program.c_str(), data.c_str(), &options, error, sizeof error);
  if (model == nullptr) throw std::runtime_error(error);
  const double prepared = timer::processor_nanoseconds() - start;
  const auto gradient_at = [&](const double* theta, double* gradient) {
    double log_density = 0;
    evaluate(model, theta, &log_density, gradient);
    return log_density;
  };
  timer::report(static_cast<std::size_t>(dimension(model)), argv[4], std::atol(argv[5]), prepared,
                gradient_at);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
