// Log densities, gradients and Hessians of a kb_model.
#include <fmt/format.h>

#include "base/error.hpp"
#include "capi/guard.hpp"
#include "capi/model.hpp"

using namespace kullback;
using namespace kullback::capi;

namespace {

SharedDensity& density_of(kb_model& model, int jacobian, int constants) {
  return *model.densities[(jacobian != 0 ? 1U : 0U) + (constants != 0 ? 2U : 0U)];
}

}  // namespace

kb_status kb_model_log_density(kb_model* model, size_t points, const double* theta, int jacobian,
                               int constants, double* log_density, double* gradient, kb_status* status,
                               kb_error** error) {
  return guarded(error, [&] {
    require(model, "kb_model_log_density", "model");
    if (points == 0) return KB_OK;
    if (model->prepared->dim > 0) require(theta, "kb_model_log_density", "theta");
    require(log_density, "kb_model_log_density", "log_density");
    density_of(*model, jacobian, constants).evaluate({points, theta, log_density, gradient, status});
    return KB_OK;
  });
}

kb_status kb_model_explain(kb_model* model, const double* theta, int jacobian, int constants,
                           kb_error** error) {
  return guarded(error, [&] {
    require(model, "kb_model_explain", "model");
    if (model->prepared->dim > 0) require(theta, "kb_model_explain", "theta");
    const std::string why = density_of(*model, jacobian, constants).why_not_finite(theta);
    if (why.empty()) return KB_OK;
    throw Failure(KB_NOT_FINITE, {why, why, ""});
  });
}

kb_status kb_model_hessian_times(kb_model* model, const double* theta, size_t count, const double* v,
                                 double* result, kb_error** error) {
  return guarded(error, [&] {
    require(model, "kb_model_hessian_times", "model");
    if (count == 0 || model->prepared->dim == 0) return KB_OK;
    require(theta, "kb_model_hessian_times", "theta");
    require(v, "kb_model_hessian_times", "v");
    require(result, "kb_model_hessian_times", "result");
    SharedDensity& density = density_of(*model, 1, 0);
    if (density.hessian_times(theta, count, v, result)) return KB_OK;
    std::string why = density.why_not_finite(theta);
    if (why.empty()) why = "the density is not finite beside theta, or a direction is not finite.";
    throw Failure(KB_NOT_FINITE, {why, why, ""});
  });
}
