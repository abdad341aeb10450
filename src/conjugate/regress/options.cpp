#include "conjugate/regress/options.hpp"

#include "base/error.hpp"

namespace kullback::conjugate::regress {

namespace {

constexpr double kVague = 1e-6;  // scikit-learn's

double positive_or(const Settings& settings, const std::string& name, double fallback) {
  return settings.has(name) ? settings.positive(name) : fallback;
}

void refuse_unused(const Settings& settings, const std::string& name, bool is_used,
                   const std::string& reader) {
  if (is_used || !settings.has(name)) return;
  throw Error(
      ErrorKind::usage,
      "--" + name + " has no effect with --prior " + settings.text("prior") + "; " + reader + " reads it.",
      "Leave it out, or choose another --prior.");
}

}  // namespace

PriorChoice read_prior(const Settings& settings, const Shape& shape) {
  PriorChoice choice;
  choice.prior = static_cast<Prior>(settings.choice("prior", {"gaussian", "ridge", "ard", "spike-slab"}));
  const bool is_gaussian = choice.prior == Prior::gaussian, is_slab = choice.prior == Prior::spike_slab;
  refuse_unused(settings, "precision", is_gaussian || is_slab, "gaussian or spike-slab");
  refuse_unused(settings, "inclusion", is_slab, "spike-slab");
  const bool is_learned = !is_gaussian && !settings.has("precision");
  refuse_unused(settings, "precision-shape", is_learned, "a prior that learns its precision");
  refuse_unused(settings, "precision-rate", is_learned, "a prior that learns its precision");
  choice.size = shape.columns;
  choice.precision = positive_or(settings, "precision", is_gaussian ? 1 : 0);
  choice.intercept_precision = settings.positive("intercept-precision");
  // Spike and slab: with no column included, a vague gamma would make E log lambda, and with it all odds,
  // minus infinity. ARD: a rate d lets the precision of a useless column grow to sqrt(N / 2d) at most, which
  // must be far above N.
  const double usual_shape = is_slab ? 1 : kVague;
  const double usual_rate = is_slab ? 1 : choice.prior == Prior::ard ? kVague * kVague : kVague;
  choice.precisions = {positive_or(settings, "precision-shape", usual_shape),
                       positive_or(settings, "precision-rate", usual_rate)};
  choice.inclusion = settings.has("inclusion") ? settings.fraction("inclusion") : 0;
  return choice;
}

void read_noise(const Settings& settings, PriorChoice& choice) {
  choice.knows_noise = settings.has("noise");
  if (choice.knows_noise && (settings.has("noise-shape") || settings.has("noise-rate"))) {
    throw Error(ErrorKind::usage, "--noise says what the noise is; its prior has no effect beside it.",
                "Leave out --noise, or --noise-shape and --noise-rate.");
  }
  choice.noise = {positive_or(settings, "noise-shape", kVague), positive_or(settings, "noise-rate", kVague)};
}

void refuse_target(const Shape& shape, bool is_logistic) {
  if (shape.columns == 0)
    throw Error(ErrorKind::bad_input, "a regression needs a target; the table has no column.");
  const std::size_t levels = shape.levels.size() < shape.columns ? 0 : shape.levels.back().size();
  if (levels == 0 || (is_logistic && levels == 2)) return;
  const std::string name = shape.names.empty() ? "target" : shape.names.back();
  const std::string values = levels == 1 ? "one value" : std::to_string(levels) + " different values";
  if (is_logistic) {
    throw Error(ErrorKind::bad_input,
                "the target '" + name + "' has " + values + "; logistic regression needs two.",
                levels == 1 ? "Check that --target names the right column."
                            : "Keep the rows of two of them, or make it one value against the rest.");
  }
  throw Error(ErrorKind::bad_input,
              "the target '" + name + "' is text with " + values + "; linear regression needs numbers.",
              "Use `--kind logistic` for two words.");
}

std::vector<Option> prior_options(bool is_linear) {
  std::vector<Option> all = {
      {"prior", "ridge",
       "gaussian: known precision; ridge: one learned precision; ard: one for each column; spike-slab: "
       "columns in or out"},
      {"precision", "",
       "prior precision of standardised coefficients (gaussian: 1 unless given; spike-slab: "
       "learned unless given)"},
      {"intercept-precision", is_linear ? "1e-6" : "0.01", "prior precision of the intercept"},
      {"precision-shape", "", "shape of the gamma prior of learned precisions (1e-6; spike-slab: 1)"},
      {"precision-rate", "", "its rate (ridge: 1e-6; ard: 1e-12; spike-slab: 1)"},
      {"inclusion", "", "spike-slab: prior probability that a column is in (learned unless given)"},
      {"scale", "true", "false: columns are centred, not scaled"},
  };
  if (is_linear) {
    all.push_back({"noise", "", "standard deviation of the noise where it is known"});
    all.push_back({"noise-shape", "", "shape of the gamma prior of the noise precision (1e-6)"});
    all.push_back({"noise-rate", "", "its rate, for a target of standard deviation 1 (1e-6)"});
  }
  return all;
}

}  // namespace kullback::conjugate::regress
