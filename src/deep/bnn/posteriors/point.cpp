// The most probable parameters (MAP), or those of the largest likelihood (MLE), by Adam. As an ensemble of
// several members from different starts: Lakshminarayanan, Pritzel, Blundell 2017.
#include <torch/csrc/autograd/autograd.h>

#include "deep/bnn/posterior.hpp"
#include "deep/train/adam.hpp"

namespace kullback::deep {

namespace {

class Point final : public Posterior {
 public:
  Point(const BayesNet& net, const Settings& settings, const PosteriorStart& start, bool has_prior)
      : net_(net),
        has_prior_(has_prior),
        schedule_(settings.choice("schedule", {"constant", "cosine"}) == 0 ? Schedule::constant
                                                                           : Schedule::cosine),
        flat_(fresh_parameters(net.layout(), start.nets, start.seed, start.options)),
        adam_(flat_, {.rate = settings.positive("rate")}) {}

  torch::Tensor step(const Minibatch& batch) override {
    const torch::Tensor flat = flat_.detach().requires_grad_();
    const Parameters parameters = net_.split(flat);
    PlainRule plain;
    // Loss per row of the training data: -(sum over the minibatch) / its size - log prior / all rows.
    torch::Tensor loss = -net_.log_likelihood(parameters, batch.rows.x, batch.rows.y, plain).sum(1) /
                         static_cast<double>(batch.step.batch);
    if (has_prior_)
      loss = loss - net_.log_prior(parameters) * (batch.step.share / static_cast<double>(batch.all_rows));
    torch::Tensor gradient = torch::autograd::grad({loss.sum()}, {flat})[0];
    batch.step.sum->add_up(gradient);
    adam_.step(flat_, gradient, batch.step.count, rate_scale(schedule_, batch.step.progress));
    return loss.detach().mean();
  }

  Predictive predict(const torch::Tensor& x, std::int64_t) override {
    const torch::NoGradGuard no_gradient;
    PlainRule plain;
    return one_draw(net_.predict(net_.split(flat_), x, plain));
  }

  torch::Tensor draw_parameters(std::int64_t) override { return flat_.unsqueeze(1); }
  torch::Tensor center() override { return flat_; }

  void visit(const VisitTensor& visit) override {
    visit("flat", flat_);
    adam_.visit("adam", visit);
  }

 private:
  const BayesNet& net_;
  bool has_prior_;
  Schedule schedule_;
  torch::Tensor flat_;
  Adam adam_;
};

const std::vector<Option> kOptions = {
    {"rate", "0.005", "rate of Adam"},
    {"schedule", "cosine", "of the rate: constant, or cosine (falls to 0)"}};

}  // namespace

extern const PosteriorRecord kMap;
const PosteriorRecord kMap{
    .name = "map",
    .summary = "the most probable parameters",
    .use_when = "You want a baseline, or members for an ensemble; it knows nothing of its own uncertainty.",
    .citation = "",
    .options = kOptions,
    .make = [](const BayesNet& net, const Settings& settings, const PosteriorStart& start)
        -> std::unique_ptr<Posterior> { return std::make_unique<Point>(net, settings, start, true); }};

extern const PosteriorRecord kMle;
const PosteriorRecord kMle{.name = "mle",
                           .summary = "the parameters of the largest likelihood, without a prior",
                           .use_when = "You want the net that ordinary training gives.",
                           .citation = "",
                           .options = kOptions,
                           .make = [](const BayesNet& net, const Settings& settings,
                                      const PosteriorStart& start) -> std::unique_ptr<Posterior> {
                             return std::make_unique<Point>(net, settings, start, false);
                           }};

extern const PosteriorRecord kEnsemble;
const PosteriorRecord kEnsemble{.name = "ensemble",
                                .summary = "several most probable nets from different starts",
                                .use_when =
                                    "You want good predictions with a robust idea of what is not known, at "
                                    "the cost of several trainings.",
                                .citation =
                                    "Lakshminarayanan, Pritzel, Blundell 2017, Simple and scalable "
                                    "predictive uncertainty estimation using deep ensembles",
                                .options = kOptions,
                                .members = 5,
                                .make = kMap.make};

}  // namespace kullback::deep
