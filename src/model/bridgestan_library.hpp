// A shared library with BridgeStan's C interface, loaded. The interface is that of bridgestan.h, version 2
// (Roualdes, Ward, Carpenter, Seyboldt, Axen: BridgeStan, JOSS 2023); its declarations are repeated here, so
// that nothing of BridgeStan is needed to build.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kullback::model {

struct BridgeStanLibrary {
  void* (*construct)(const char* data, unsigned seed, char** error);
  void (*destruct)(void* model);
  void (*free_error)(char* error);
  const char* (*name)(const void* model);
  const char* (*info)(const void* model);
  const char* (*param_names)(const void* model, bool transformed, bool generated);
  const char* (*param_unc_names)(const void* model);
  int (*param_num)(const void* model, bool transformed, bool generated);
  int (*param_unc_num)(const void* model);
  int (*param_constrain)(const void* model, bool transformed, bool generated, const double* theta,
                         double* params, void* random, char** error);
  void* (*rng_construct)(unsigned seed, char** error);
  void (*rng_destruct)(void* random);
  int (*log_density)(const void* model, bool propto, bool jacobian, const double* theta, double* value,
                     char** error);
  int (*log_density_gradient)(const void* model, bool propto, bool jacobian, const double* theta,
                              double* value, double* gradient, char** error);

  explicit BridgeStanLibrary(const std::string& path);

  std::string take(char* error) const;  // the text of a message, which is freed
  // A model is immutable; without STAN_THREADS all models of a library share one autodiff stack.
  bool has_threads(const void* model) const;
};

std::vector<std::string> split_at_commas(std::string_view text);

}  // namespace kullback::model
