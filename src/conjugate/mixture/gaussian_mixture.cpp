#include "conjugate/mixture/axis_gaussian.hpp"
#include "conjugate/mixture/dense_gaussian.hpp"
#include "conjugate/mixture/gaussian_prior.hpp"
#include "conjugate/mixture/mixture.hpp"
#include "conjugate/record.hpp"

namespace kullback::conjugate {

namespace {

std::unique_ptr<Model> make(const Settings& settings, const Shape& shape) {
  const std::size_t components = mixture::component_count(settings);
  const std::size_t covariance = settings.choice("covariance", {"full", "tied", "diagonal", "spherical"});
  auto gaussians = covariance < 2 ? mixture::make_dense_gaussian(components, covariance == 1, settings, shape)
                                  : mixture::make_axis_gaussian(components, covariance == 3, settings, shape);
  return std::make_unique<mixture::Mixture>(std::move(gaussians), settings, shape);
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
    .options = mixture::options_with(mixture::gaussian_options()),
    .make = &make,
};

}  // namespace kullback::conjugate
