#include "conjugate/mixture/axis_gaussian.hpp"
#include "conjugate/mixture/dense_gaussian.hpp"
#include "conjugate/mixture/gaussian_prior.hpp"
#include "conjugate/mixture/mixture.hpp"
#include "conjugate/record.hpp"

namespace kullback::conjugate {

namespace {

enum class Covariance : unsigned char { full, tied, diagonal, spherical };

constexpr auto kCovariance =
    ChoiceOption<Covariance>("covariance", Covariance::full, "full|tied|diagonal|spherical",
                             "Shape of covariances; tied: one for all");

constexpr const OptionRecord* kShape[] = {&kCovariance};
constexpr auto kOptions = joined(mixture::kSharedOptions, kShape, mixture::kPriorOptions);

std::unique_ptr<Model> make(const OptionValues& values, const Shape& shape) {
  const std::size_t components = values[mixture::option::kComponents];
  const Covariance covariance = values[kCovariance];
  const bool is_dense = covariance == Covariance::full || covariance == Covariance::tied;
  auto gaussians =
      is_dense ? mixture::make_dense_gaussian(components, covariance == Covariance::tied, values, shape)
               : mixture::make_axis_gaussian(components, covariance == Covariance::spherical, values, shape);
  return std::make_unique<mixture::Mixture>(std::move(gaussians), values, shape);
}

}  // namespace

extern const ModelRecord k_gaussian_mixture;
const ModelRecord k_gaussian_mixture = {
    .verb = "mixture",
    .kind = "gaussian",
    .summary =
        "Gaussian mixture with normal-Wishart (or normal-gamma) priors and Dirichlet or Dirichlet "
        "process weights.",
    .use_when = "Rows of measurements fall into groups, or a density of any shape is wanted.",
    .citation = "Attias 2000; Blei, Jordan 2006",
    .data = DataKind::table,
    .takes_missing = true,
    .options = kOptions,
    .make = &make,
};

}  // namespace kullback::conjugate
