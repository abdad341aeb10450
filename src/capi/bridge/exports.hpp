// BridgeStan's C interface, version 2 (Roualdes, Ward, Carpenter, Seyboldt, Axen: BridgeStan, JOSS 2023), as
// this library exports it. Callers include BridgeStan's own bridgestan.h or bridgestanR.h; its declarations
// are repeated here, so that nothing of BridgeStan is needed to build.
#pragma once

#include <cstddef>

#include "base/random.hpp"
#include "capi/bridge/model.hpp"

struct bs_model {
  kullback::capi::BridgeModel model;
};
struct bs_rng {
  kullback::Random random;
};

#define KULLBACK_BS extern "C" __attribute__((visibility("default")))

KULLBACK_BS const int bs_major_version;
KULLBACK_BS const int bs_minor_version;
KULLBACK_BS const int bs_patch_version;

KULLBACK_BS bs_model* bs_model_construct(const char* data, unsigned int seed, char** error);
KULLBACK_BS void bs_model_destruct(bs_model* m);
KULLBACK_BS void bs_free_error_msg(char* error);
KULLBACK_BS const char* bs_name(const bs_model* m);
KULLBACK_BS const char* bs_model_info(const bs_model* m);
KULLBACK_BS const char* bs_param_names(const bs_model* m, bool include_tp, bool include_gq);
KULLBACK_BS const char* bs_param_unc_names(const bs_model* m);
KULLBACK_BS int bs_param_num(const bs_model* m, bool include_tp, bool include_gq);
KULLBACK_BS int bs_param_unc_num(const bs_model* m);
KULLBACK_BS int bs_param_constrain(const bs_model* m, bool include_tp, bool include_gq,
                                   const double* theta_unc, double* theta, bs_rng* rng, char** error);
KULLBACK_BS int bs_param_unconstrain(const bs_model* m, const double* theta, double* theta_unc, char** error);
KULLBACK_BS int bs_param_unconstrain_json(const bs_model* m, const char* json, double* theta_unc,
                                          char** error);
// Since 2.9.
KULLBACK_BS int bs_param_initialize(const bs_model* m, const char* json, bs_rng* rng, double init_radius,
                                    int max_tries, bool jacobian, double* theta_unc, char** error);
KULLBACK_BS int bs_log_density(const bs_model* m, bool propto, bool jacobian, const double* theta_unc,
                               double* value, char** error);
KULLBACK_BS int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian,
                                        const double* theta_unc, double* value, double* gradient,
                                        char** error);
KULLBACK_BS int bs_log_density_hessian(const bs_model* m, bool propto, bool jacobian, const double* theta_unc,
                                       double* value, double* gradient, double* hessian, char** error);
KULLBACK_BS int bs_log_density_hessian_vector_product(const bs_model* m, bool propto, bool jacobian,
                                                      const double* theta_unc, const double* v, double* value,
                                                      double* product, char** error);
KULLBACK_BS bs_rng* bs_rng_construct(unsigned int seed, char** error);
KULLBACK_BS void bs_rng_destruct(bs_rng* rng);
KULLBACK_BS int bs_set_print_callback(void (*callback)(const char* text, std::size_t size), char** error);
