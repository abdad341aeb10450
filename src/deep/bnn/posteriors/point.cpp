// The most probable parameters (MAP), or those of the largest likelihood (MLE), by Adam. As an ensemble of
// several members from different starts: Lakshminarayanan, Pritzel, Blundell 2017.
#include "deep/bnn/posteriors/point.hpp"

#include <utility>

#include "deep/bnn/minibatch_gradient.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

Point::Point(const BayesNet& net, PointOptions options, const PosteriorStart& start)
    : net_(net),
      options_(std::move(options)),
      flat_(fresh_parameters(net.layout(), start)),
      adam_(flat_, {.rate = options_.rate}) {}

torch::Tensor Point::step(const Minibatch& batch) {
  PlainRule plain;
  return step(batch, plain);
}

torch::Tensor Point::step(const Minibatch& batch, AffineRule& rule) {
  const auto [loss, gradient] = minibatch_gradient(net_, flat_, batch, rule, options_.has_prior);
  adam_.step(flat_, gradient, batch.step.count, options_.scale(batch.step.progress));
  return loss.mean();
}

Predictive Point::predict(const torch::Tensor& x, std::int64_t) {
  const torch::NoGradGuard no_gradient;
  PlainRule plain;
  return one_draw(net_.predict(net_.split(flat_), x, plain));
}

void Point::visit(const VisitTensor& visit) {
  visit("flat", flat_);
  adam_.visit("adam", visit);
}

PointOptions point_options(const OptionValues& values, bool has_prior) {
  const Schedule schedule = values[kFallingRate];
  return {.rate = values[kAdamRate],
          .scale = [schedule](const torch::Tensor& progress) { return rate_scale(schedule, progress); },
          .has_prior = has_prior};
}

namespace {

template <bool has_prior>
std::unique_ptr<Posterior> make_point(const BayesNet& net, const OptionValues& values,
                                      const PosteriorStart& start) {
  return std::make_unique<Point>(net, point_options(values, has_prior), start);
}

}  // namespace

extern const PosteriorRecord kMap;
const PosteriorRecord kMap{
    .name = "map",
    .summary = "the most probable parameters",
    .use_when = "You want a baseline, or members for an ensemble; it knows nothing of its own uncertainty.",
    .citation = "",
    .options = kPointOptions,
    .make = make_point<true>};

extern const PosteriorRecord kMle;
const PosteriorRecord kMle{.name = "mle",
                           .summary = "the parameters of the largest likelihood, without a prior",
                           .use_when = "You want the net that ordinary training gives.",
                           .citation = "",
                           .options = kPointOptions,
                           .make = make_point<false>};

extern const PosteriorRecord kEnsemble;
const PosteriorRecord kEnsemble{.name = "ensemble",
                                .summary = "several most probable nets from different starts",
                                .use_when =
                                    "You want good predictions with a robust idea of what is not known, at "
                                    "the cost of several trainings.",
                                .citation =
                                    "Lakshminarayanan, Pritzel, Blundell 2017, Simple and scalable "
                                    "predictive uncertainty estimation using deep ensembles",
                                .options = kPointOptions,
                                .members = 5,
                                .make = make_point<true>};

}  // namespace kullback::deep
