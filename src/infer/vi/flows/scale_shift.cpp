// y = x exp(s) + t with s = 3 tanh(a / 3), c = (a, t): log-scales between -3 and 3, so that no step of an
// optimiser makes a flow explode (Dinh, Sohl-Dickstein and Bengio 2017 bound them by tanh as well).
#include <vector>

#include "infer/vi/flows/transformer.hpp"
#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

namespace kullback::infer::flows {

namespace {

constexpr double kBound = 3;

struct ForwardBody {
  KULLBACK_INLINE static void run(const TransformerPass& pass) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < pass.lanes; ++k) {
      const double bounded = math::fast::tanh(pass.c[k] / kBound);
      const double scale = math::fast::exp_bounded(kBound * bounded);
      pass.y[k] = pass.x[k] * scale + pass.c[pass.lanes + k];
      pass.log_slope[k] += kBound * bounded;
      pass.slope[k] = scale;
      pass.curve[k] = 0;
      pass.kept[k] = 1 - bounded * bounded;
      pass.kept[pass.lanes + k] = scale;
    }
  }
};

class ScaleShift final : public Transformer {
 public:
  std::size_t count() const override { return 2; }
  std::size_t kept() const override { return 2; }

  void forward(const TransformerPass& pass) const override { math::dispatch<ForwardBody>(pass); }

  void backward(const TransformerAdjoint& adjoint) const override {
    const std::size_t lanes = adjoint.lanes;
    const double* scale = adjoint.kept + lanes;
    for (std::size_t k = 0; k < lanes; ++k) {
      adjoint.result[k] = (adjoint.y[k] * adjoint.x[k] * scale[k] + adjoint.log_slope[k]) * adjoint.kept[k];
      adjoint.result[lanes + k] = adjoint.y[k];
    }
  }

  void inverse(std::size_t lanes, const double* y, const double* c, double* x) const override {
    for (std::size_t k = 0; k < lanes; ++k) {
      const double log_scale = kBound * math::fast::tanh(c[k] / kBound);
      x[k] = (y[k] - c[lanes + k]) * math::fast::exp_bounded(-log_scale);
    }
  }
};

}  // namespace

std::unique_ptr<Transformer> make_scale_shift() { return std::make_unique<ScaleShift>(); }

}  // namespace kullback::infer::flows
