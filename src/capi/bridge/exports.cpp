// Nothing is thrown across the boundary: a failure is -1 or null, and its message a string of malloc's that
// the caller frees with bs_free_error_msg.
#include "capi/bridge/exports.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "capi/bridge/prints.hpp"
#include "capi/bridge/version.hpp"

namespace capi = kullback::capi;
using kullback::Error;
using kullback::ErrorKind;

const int bs_major_version = capi::kInterfaceMajor;
const int bs_minor_version = capi::kInterfaceMinor;
const int bs_patch_version = capi::kInterfacePatch;

namespace {

constexpr std::uint32_t kRandomPurpose = 9;  // of the random streams

// In BridgeStan's words.
void tell(char** error, const char* function, const std::string& what, const std::string& hint) noexcept {
  if (error == nullptr) return;
  try {
    const std::string below = hint.empty() ? "" : "\n  hint: " + hint;
    *error = strdup((std::string(function) + "() failed with exception: " + what + below + "\n").c_str());
  } catch (...) {
    *error = nullptr;  // no memory for the message either
  }
}

template <class Work>
std::invoke_result_t<Work> guarded(const char* function, char** error, Work&& work) noexcept {
  try {
    return work();
  } catch (const Error& e) {
    tell(error, function, e.message(), e.hint());
  } catch (const std::bad_alloc&) {
    tell(error, function, "out of memory", "Use fewer threads or smaller data.");
  } catch (const std::exception& e) {
    tell(error, function, e.what(), {});
  } catch (...) {
    tell(error, function, "unknown exception", {});
  }
  if constexpr (std::is_pointer_v<std::invoke_result_t<Work>>) {
    return nullptr;
  } else {
    return -1;
  }
}

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw Error(ErrorKind::usage, std::string(name) + " is a null pointer.");
}

const capi::BridgeModel& model_of(const bs_model* m) {
  require(m, "the model");
  return m->model;
}

// Programs without parameters have no numbers to point at.
void require(const double* numbers, int count, const char* name) {
  if (count > 0) require(numbers, name);
}

}  // namespace

bs_model* bs_model_construct(const char* data, unsigned int seed, char** error) {
  return guarded("construct", error, [&] { return new bs_model{{capi::own_program(), data, seed}}; });
}

void bs_model_destruct(bs_model* m) { delete m; }

void bs_free_error_msg(char* error) { std::free(error); }

const char* bs_name(const bs_model* m) { return m != nullptr ? m->model.name().c_str() : nullptr; }

const char* bs_model_info(const bs_model* m) { return m != nullptr ? m->model.info().c_str() : nullptr; }

const char* bs_param_names(const bs_model* m, bool include_tp, bool include_gq) {
  return m != nullptr ? m->model.names({include_tp, include_gq}).c_str() : nullptr;
}

const char* bs_param_unc_names(const bs_model* m) {
  return m != nullptr ? m->model.coordinate_names().c_str() : nullptr;
}

int bs_param_num(const bs_model* m, bool include_tp, bool include_gq) {
  return m != nullptr ? m->model.size({include_tp, include_gq}) : -1;
}

int bs_param_unc_num(const bs_model* m) { return m != nullptr ? m->model.dim() : -1; }

int bs_param_constrain(const bs_model* m, bool include_tp, bool include_gq, const double* theta_unc,
                       double* theta, bs_rng* rng, char** error) {
  return guarded("param_constrain", error, [&] {
    const capi::BridgeModel& model = model_of(m);
    require(theta_unc, model.dim(), "theta_unc");
    require(theta, model.size({include_tp, include_gq}), "theta");
    model.constrain({include_tp, include_gq}, theta_unc, theta, rng != nullptr ? &rng->random : nullptr);
    return 0;
  });
}

int bs_param_unconstrain(const bs_model* m, const double* theta, double* theta_unc, char** error) {
  return guarded("param_unconstrain", error, [&] {
    const capi::BridgeModel& model = model_of(m);
    require(theta, model.size({}), "theta");
    require(theta_unc, model.dim(), "theta_unc");
    model.unconstrain(theta, theta_unc);
    return 0;
  });
}

int bs_param_unconstrain_json(const bs_model* m, const char* json, double* theta_unc, char** error) {
  return guarded("param_unconstrain_json", error, [&] {
    const capi::BridgeModel& model = model_of(m);
    require(json, "json");
    require(theta_unc, model.dim(), "theta_unc");
    model.unconstrain_json(json, theta_unc);
    return 0;
  });
}

int bs_param_initialize(const bs_model* m, const char* json, bs_rng* rng, double init_radius, int max_tries,
                        bool jacobian, double* theta_unc, char** error) {
  return guarded("param_initialize", error, [&] {
    const capi::BridgeModel& model = model_of(m);
    require(rng, "rng");
    require(theta_unc, model.dim(), "theta_unc");
    model.initialize({json, init_radius, max_tries, jacobian}, rng->random, theta_unc);
    return 0;
  });
}

int bs_log_density(const bs_model* m, bool propto, bool jacobian, const double* theta_unc, double* value,
                   char** error) {
  return guarded("log_density", error, [&] {
    const capi::BridgeModel& model = model_of(m);
    require(theta_unc, model.dim(), "theta_unc");
    require(value, "lp");
    *value = model.log_density({propto, jacobian}, theta_unc, nullptr);
    return 0;
  });
}

int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian, const double* theta_unc,
                            double* value, double* gradient, char** error) {
  return guarded("log_density_gradient", error, [&] {
    const capi::BridgeModel& model = model_of(m);
    require(theta_unc, model.dim(), "theta_unc");
    require(gradient, model.dim(), "grad");
    require(value, "val");
    *value = model.log_density({propto, jacobian}, theta_unc, gradient);
    return 0;
  });
}

int bs_log_density_hessian(const bs_model* m, bool propto, bool jacobian, const double* theta_unc,
                           double* value, double* gradient, double* hessian, char** error) {
  return guarded("log_density_hessian", error, [&] {
    const capi::BridgeModel& model = model_of(m);
    require(theta_unc, model.dim(), "theta_unc");
    require(gradient, model.dim(), "grad");
    require(hessian, model.dim(), "hessian");
    require(value, "val");
    *value = model.log_density_hessian({propto, jacobian}, theta_unc, gradient, hessian);
    return 0;
  });
}

int bs_log_density_hessian_vector_product(const bs_model* m, bool propto, bool jacobian,
                                          const double* theta_unc, const double* v, double* value,
                                          double* product, char** error) {
  return guarded("log_density_hessian_vector_product", error, [&] {
    const capi::BridgeModel& model = model_of(m);
    require(theta_unc, model.dim(), "theta_unc");
    require(v, model.dim(), "vector");
    require(product, model.dim(), "hvp");
    require(value, "val");
    *value = model.hessian_times({propto, jacobian}, theta_unc, v, product);
    return 0;
  });
}

bs_rng* bs_rng_construct(unsigned int seed, char** error) {
  return guarded("construct_rng", error,
                 [&] { return new bs_rng{kullback::Random(seed, 0, kRandomPurpose)}; });
}

void bs_rng_destruct(bs_rng* rng) { delete rng; }

int bs_set_print_callback(void (*callback)(const char* text, std::size_t size), char** error) {
  return guarded("set_print_callback", error, [&] {
    capi::set_print_callback(callback);
    return 0;
  });
}
