#include "conjugate/regress/options.hpp"

#include "base/error.hpp"

namespace kullback::conjugate::regress {

namespace {

void refuse_unused(const OptionValues& values, const OptionRecord& option, bool is_used,
                   const std::string& reader) {
  if (is_used || !values.is_given(option)) return;
  throw Error(ErrorKind::usage,
              flag_of(option.name) + " has no effect with --prior " + values.text_of(option::kPrior) + "; " +
                  reader + " reads it.",
              "Leave it out, or choose another --prior.");
}

}  // namespace

PriorChoice read_prior(const OptionValues& values, const Shape& shape) {
  PriorChoice choice;
  choice.prior = values[option::kPrior];
  const bool is_gaussian = choice.prior == Prior::gaussian, is_slab = choice.prior == Prior::spike_slab;
  refuse_unused(values, option::kPrecision, is_gaussian || is_slab, "gaussian or spike-slab");
  refuse_unused(values, option::kInclusion, is_slab, "spike-slab");
  const bool is_learned = !is_gaussian && !values.is_given(option::kPrecision);
  refuse_unused(values, option::kPrecisionShape, is_learned, "a prior that learns its precision");
  refuse_unused(values, option::kPrecisionRate, is_learned, "a prior that learns its precision");
  choice.size = shape.columns;
  choice.precision = values.given(option::kPrecision).value_or(is_gaussian ? 1 : 0);
  // Spike and slab: with no column included, a vague gamma would make E log lambda, and with it all odds,
  // minus infinity. ARD: a rate d lets the precision of a useless column grow to sqrt(N / 2d) at most, which
  // must be far above N.
  const double usual_shape = is_slab ? 1 : kVague;
  const double usual_rate = is_slab ? 1 : choice.prior == Prior::ard ? kVague * kVague : kVague;
  choice.precisions = {values.given(option::kPrecisionShape).value_or(usual_shape),
                       values.given(option::kPrecisionRate).value_or(usual_rate)};
  choice.inclusion = values[option::kInclusion];
  return choice;
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

}  // namespace kullback::conjugate::regress
