// The same for R, whose .C passes pointers only: bridgestanR.h. A message is given twice, as R copies
// strings: the second pointer is the one to free.
#include "capi/bridge/exports.hpp"

namespace {

bool flag(const int* value) { return *value != 0; }

}  // namespace

KULLBACK_BS void bs_version_R(int* major, int* minor, int* patch) {
  *major = bs_major_version;
  *minor = bs_minor_version;
  *patch = bs_patch_version;
}

KULLBACK_BS void bs_model_construct_R(char** data, int* seed, bs_model** m, char** error,
                                      void** error_pointer) {
  *m = bs_model_construct(*data, static_cast<unsigned>(*seed), error);
  *error_pointer = *error;
}

KULLBACK_BS void bs_model_destruct_R(bs_model** m) { bs_model_destruct(*m); }

KULLBACK_BS void bs_free_error_msg_R(void** error) { bs_free_error_msg(static_cast<char*>(*error)); }

KULLBACK_BS void bs_name_R(bs_model** m, const char** name) { *name = bs_name(*m); }

KULLBACK_BS void bs_model_info_R(bs_model** m, const char** info) { *info = bs_model_info(*m); }

KULLBACK_BS void bs_param_names_R(bs_model** m, int* include_tp, int* include_gq, const char** names) {
  *names = bs_param_names(*m, flag(include_tp), flag(include_gq));
}

KULLBACK_BS void bs_param_unc_names_R(bs_model** m, const char** names) { *names = bs_param_unc_names(*m); }

KULLBACK_BS void bs_param_num_R(bs_model** m, int* include_tp, int* include_gq, int* count) {
  *count = bs_param_num(*m, flag(include_tp), flag(include_gq));
}

KULLBACK_BS void bs_param_unc_num_R(bs_model** m, int* count) { *count = bs_param_unc_num(*m); }

KULLBACK_BS void bs_param_constrain_R(bs_model** m, int* include_tp, int* include_gq, const double* theta_unc,
                                      double* theta, bs_rng** rng, int* code, char** error,
                                      void** error_pointer) {
  *code = bs_param_constrain(*m, flag(include_tp), flag(include_gq), theta_unc, theta, *rng, error);
  *error_pointer = *error;
}

KULLBACK_BS void bs_param_unconstrain_R(bs_model** m, const double* theta, double* theta_unc, int* code,
                                        char** error, void** error_pointer) {
  *code = bs_param_unconstrain(*m, theta, theta_unc, error);
  *error_pointer = *error;
}

KULLBACK_BS void bs_param_unconstrain_json_R(bs_model** m, const char** json, double* theta_unc, int* code,
                                             char** error, void** error_pointer) {
  *code = bs_param_unconstrain_json(*m, *json, theta_unc, error);
  *error_pointer = *error;
}

// Its arguments are in the order of the others: inputs, the result, the code, the message.
KULLBACK_BS void bs_param_initialize_R(bs_model** m, const char** json, bs_rng** rng, double* init_radius,
                                       int* max_tries, int* jacobian, double* theta_unc, int* code,
                                       char** error, void** error_pointer) {
  *code = bs_param_initialize(*m, *json, *rng, *init_radius, *max_tries, flag(jacobian), theta_unc, error);
  *error_pointer = *error;
}

KULLBACK_BS void bs_log_density_R(bs_model** m, int* propto, int* jacobian, const double* theta_unc,
                                  double* value, int* code, char** error, void** error_pointer) {
  *code = bs_log_density(*m, flag(propto), flag(jacobian), theta_unc, value, error);
  *error_pointer = *error;
}

KULLBACK_BS void bs_log_density_gradient_R(bs_model** m, int* propto, int* jacobian, const double* theta_unc,
                                           double* value, double* gradient, int* code, char** error,
                                           void** error_pointer) {
  *code = bs_log_density_gradient(*m, flag(propto), flag(jacobian), theta_unc, value, gradient, error);
  *error_pointer = *error;
}

KULLBACK_BS void bs_log_density_hessian_R(bs_model** m, int* propto, int* jacobian, const double* theta_unc,
                                          double* value, double* gradient, double* hessian, int* code,
                                          char** error, void** error_pointer) {
  *code =
      bs_log_density_hessian(*m, flag(propto), flag(jacobian), theta_unc, value, gradient, hessian, error);
  *error_pointer = *error;
}

KULLBACK_BS void bs_log_density_hessian_vector_product_R(bs_model** m, int* propto, int* jacobian,
                                                         const double* theta_unc, const double* v,
                                                         double* value, double* product, int* code,
                                                         char** error, void** error_pointer) {
  *code = bs_log_density_hessian_vector_product(*m, flag(propto), flag(jacobian), theta_unc, v, value,
                                                product, error);
  *error_pointer = *error;
}

KULLBACK_BS void bs_rng_construct_R(int* seed, bs_rng** rng, char** error, void** error_pointer) {
  *rng = bs_rng_construct(static_cast<unsigned>(*seed), error);
  *error_pointer = *error;
}

KULLBACK_BS void bs_rng_destruct_R(bs_rng** rng) { bs_rng_destruct(*rng); }
