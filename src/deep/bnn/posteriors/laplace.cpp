// The Laplace approximation (MacKay 1992; Ritter, Botev, Barber 2018; Daxberger et al. 2021, "Laplace
// Redux"): a normal distribution at the most probable weights, with the inverse of the generalised
// Gauss-Newton matrix plus the prior's precisions as covariance. Parameters of the likelihood (the noise)
// stay at their most probable values. Linearised predictions (Immer, Korzepa, Bauer 2021) take outputs as
// f(x) + J(x) (w - mode): normal with covariance J Sigma J'.
#include "base/error.hpp"
#include "deep/bnn/posteriors/laplace/curvature.hpp"
#include "deep/bnn/posteriors/laplace/prior_scale.hpp"
#include "deep/bnn/posteriors/options.hpp"
#include "deep/bnn/posteriors/point.hpp"
#include "deep/bnn/seeded_normal.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

namespace {

enum class CurvatureKind { diagonal, kronecker, last_layer, full };
constexpr auto kCurvature =
    ChoiceOption("curvature", CurvatureKind::kronecker, "diagonal|kronecker|last-layer|full",
                 "Of the loss; kronecker: factors by layer; last-layer: the full matrix of the last layer");
enum class Prediction { linearised, sampled };
constexpr auto kPrediction =
    ChoiceOption("prediction", Prediction::linearised, "linearised|sampled",
                 "By the net as a linear function of its weights, or by draws of weights");
constexpr auto kTunePrior =
    FlagOption("tune_prior", true, "Scale the prior's precision after training, by the evidence");
constexpr const OptionRecord* kOptions[] = {&kAdamRate, &kFallingRate, &kCurvature, &kPrediction,
                                            &kTunePrior};

torch::Tensor precisions_of(const BayesNet& net) {
  const torch::Tensor precisions = net.prior().precisions(net.layout());
  if (precisions.defined()) return precisions;
  throw Error(ErrorKind::usage, "laplace needs a prior of independent normal weights.",
              "Take --prior gaussian.");
}

std::unique_ptr<Curvature> make_curvature(const OptionValues& values, const CurvatureStart& start) {
  switch (values[kCurvature]) {
    case CurvatureKind::diagonal: return diagonal_curvature(start);
    case CurvatureKind::kronecker: return kronecker_curvature(start);
    case CurvatureKind::last_layer: return last_layer_curvature(start);
    case CurvatureKind::full: return full_curvature(start);
  }
  throw Error(ErrorKind::internal, "a curvature has no code.");
}

class Laplace final : public Posterior {
 public:
  Laplace(const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
      : net_(net),
        seeded_{.seed = start.seed, .first_net = start.first_net},
        is_linearised_(values[kPrediction] == Prediction::linearised),
        is_tuned_(values[kTunePrior]),
        map_(net, point_options(values, true), start),
        precisions_(precisions_of(net).to(start.options)),
        curvature_(make_curvature(
            values,
            {.net = net, .precisions = precisions_of(net), .nets = start.nets, .options = start.options})),
        scale_(torch::ones({start.nets}, start.options)),
        is_ready_(torch::zeros({1}, torch::kInt64)) {}

  torch::Tensor step(const Minibatch& batch) override { return map_.step(batch); }

  void finish(const NetRows& data, std::int64_t batch) override {
    curvature_->clear();
    for (std::int64_t first = 0; first < data.x.size(1); first += batch) {
      const torch::Tensor x = data.x.slice(1, first, first + batch).to(map_.center().device());
      const RecordedForward forward(net_.layout(), net_.net(), map_.center(), x);
      const torch::NoGradGuard no_gradient;
      const torch::Tensor hessian =
          net_.likelihood().output_hessian(net_.split(map_.center()), forward.outputs().detach());
      curvature_->add(forward.slopes_of(square_root(hessian)));
    }
    curvature_->decompose();
    if (is_tuned_) scale_.copy_(best_prior_scale(curvature_->relative(), size_of_weights()));
    is_ready_.fill_(1);
  }

  Predictive predict(const torch::Tensor& x, std::int64_t draws) override {
    if (!is_ready()) return map_.predict(x, draws);
    return is_linearised_ ? linearised(x, draws) : predict_draws(net_, draw_parameters(draws), x);
  }

  torch::Tensor draw_parameters(std::int64_t draws) override {
    const torch::NoGradGuard no_gradient;
    const torch::Tensor mode = map_.center();
    if (!is_ready()) return mode.unsqueeze(1);
    const torch::Tensor normal = seeded_normal(seeded_, mode.size(0), {draws, mode.size(1)}, mode.options());
    return mode.unsqueeze(1) + curvature_->draw(normal, scale_);
  }

  torch::Tensor center() override { return map_.center(); }

  void visit(const VisitTensor& visit) override {
    map_.visit(visit);
    curvature_->visit(visit);
    visit("prior_scale", scale_);
    visit("is_ready", is_ready_);
  }

 private:
  bool is_ready() const { return is_ready_.data_ptr<std::int64_t>()[0] != 0; }

  torch::Tensor size_of_weights() {
    const torch::Tensor squares = map_.center().square() * precisions_;
    torch::Tensor sum = torch::zeros_like(scale_);
    for (const Affine* layer : curvature_->layers()) {
      for (const std::size_t each : {layer->weight, layer->bias}) {
        const Slot& slot = net_.layout().slots()[each];
        sum.add_(squares.narrow(1, slot.first, slot.size).sum(1));
      }
    }
    return sum;
  }

  Predictive linearised(const torch::Tensor& x, std::int64_t draws) {
    const RecordedForward forward(net_.layout(), net_.net(), map_.center(), x);
    const RowSlopes jacobian = forward.jacobian();
    const torch::NoGradGuard no_gradient;
    const torch::Tensor covariance = curvature_->output_covariance(jacobian, scale_);
    const torch::Tensor& outputs = jacobian.outputs;
    Predictive at_mode = net_.likelihood().predict(net_.split(map_.center()), outputs);
    if (outputs.size(2) == 1 && at_mode.mean.defined()) {
      // One output is the mean: normal around it with both variances.
      at_mode.mean_variance = covariance.flatten(2).squeeze(2);
      at_mode.variance = at_mode.variance + at_mode.mean_variance;
      return one_draw(at_mode);
    }
    return predict_outputs(outputs, covariance, draws);
  }

  // Draws of the outputs of each row.
  Predictive predict_outputs(const torch::Tensor& outputs, const torch::Tensor& covariance,
                             std::int64_t draws) {
    const std::int64_t nets = outputs.size(0), rows = outputs.size(1), count = outputs.size(2);
    const torch::Tensor normal = seeded_normal(seeded_, nets, {draws, rows, count, 1}, outputs.options());
    const torch::Tensor drawn =
        outputs.unsqueeze(1) + square_root(covariance).unsqueeze(1).matmul(normal).squeeze(4);
    const torch::Tensor flat = map_.center().repeat_interleave(draws, 0);
    return as_draws(net_.likelihood().predict(net_.split(flat), drawn.flatten(0, 1)), draws);
  }

  const BayesNet& net_;
  SeededNoise seeded_;
  bool is_linearised_, is_tuned_;
  Point map_;
  torch::Tensor precisions_;
  std::unique_ptr<Curvature> curvature_;
  torch::Tensor scale_;     // of the prior's precisions, [nets]
  torch::Tensor is_ready_;  // 1 after finish()
};

}  // namespace

extern const PosteriorRecord kLaplace;
const PosteriorRecord kLaplace{
    .name = "laplace",
    .summary = "a normal distribution at the most probable weights, from the curvature there",
    .use_when = "You want error bars for the price of one ordinary training.",
    .citation =
        "Daxberger, Kristiadi, Immer, Eschenhagen, Bauer, Hennig 2021, Laplace Redux: effortless Bayesian "
        "deep "
        "learning",
    .options = kOptions,
    .suits_short_products = false,
    .make = [](const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
        -> std::unique_ptr<Posterior> { return std::make_unique<Laplace>(net, values, start); }};

}  // namespace kullback::deep
