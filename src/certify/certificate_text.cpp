#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "certify/certificate.hpp"
#include "run/json_text.hpp"
#include "run/text.hpp"

namespace kullback::certify {

namespace {

using run::append_wrapped;
using run::json_number;

std::string testimony_json(const std::optional<Testimony>& testimony) {
  if (!testimony) return "null";
  return fmt::format("{{\"estimate\": {}, \"low\": {}, \"high\": {}, \"supports\": {}}}",
                     json_number(testimony->error.estimate), json_number(testimony->error.low),
                     json_number(testimony->error.high), testimony->supports);
}

// What holds by both witnesses where there are two.
const Interval* best_interval(const Moment& moment) {
  if (moment.importance) return &moment.importance->error;
  return moment.chains ? &moment.chains->error : nullptr;
}

std::string error_json(const Moment& moment) {
  const Interval* interval = best_interval(moment);
  return interval == nullptr ? "null" : json_number(interval->estimate);
}

std::string moment_json(const Moment& moment) {
  return fmt::format("{{\"verdict\": {}, \"importance\": {}, \"chains\": {}}}",
                     json_string(verdict_name(moment.verdict)), testimony_json(moment.importance),
                     testimony_json(moment.chains));
}

std::string parameter_json(const ParameterCertificate& parameter) {
  const std::string location = parameter.by_quantiles ? "median" : "mean";
  const std::string scale = parameter.by_quantiles ? "iqr" : "sd";
  return fmt::format(
      "{{\"name\": {}, \"judged_by\": \"{} and {}\", \"{}\": {}, \"{}\": {}, \"{}_error\": {}, \"{}_error\": "
      "{}, "
      "\"verdict\": {}, \"khat\": {}, \"autocorrelation\": {}, \"{}_witnesses\": {}, \"{}_witnesses\": {}}}",
      json_string(parameter.name), location, scale, location, json_number(parameter.location.given), scale,
      json_number(parameter.scale.given), location, error_json(parameter.location), scale,
      error_json(parameter.scale), json_string(verdict_name(parameter.verdict)), json_number(parameter.khat),
      json_number(parameter.autocorrelation), location, moment_json(parameter.location), scale,
      moment_json(parameter.scale));
}

template <class Item, class Text>
std::string json_lines(const std::vector<Item>& items, const Text& text) {
  std::string result = "[";
  for (std::size_t i = 0; i < items.size(); ++i) result += (i == 0 ? "\n    " : ",\n    ") + text(items[i]);
  return result + (items.empty() ? "]" : "\n  ]");
}

std::string chains_json(const std::optional<ChainFacts>& chains) {
  if (!chains) return "null";
  return fmt::format(
      "{{\"chains\": {}, \"transitions\": {}, \"acceptance\": {}, \"autocorrelation\": {}, \"rhat\": {}, "
      "\"divergences\": {}}}",
      chains->chains, chains->transitions, json_number(chains->acceptance),
      json_number(chains->autocorrelation), json_number(chains->rhat), chains->divergences);
}

std::string worst_errors(const Certificate& certificate) {
  const ParameterCertificate* mean_of = nullptr;
  const ParameterCertificate* sd_of = nullptr;
  const auto size = [](const Moment& moment) {
    const Interval* interval = best_interval(moment);
    return interval == nullptr ? -1.0 : std::max(std::abs(interval->low), std::abs(interval->high));
  };
  for (const ParameterCertificate& parameter : certificate.parameters) {
    if (mean_of == nullptr || size(parameter.location) > size(mean_of->location)) mean_of = &parameter;
    if (sd_of == nullptr || size(parameter.scale) > size(sd_of->scale)) sd_of = &parameter;
  }
  const auto text = [](const char* what, const ParameterCertificate& parameter, const Moment& moment) {
    const Interval& interval = *best_interval(moment);
    return fmt::format("{} of {} off by {:.3f} ({:.3f} to {:.3f})", what, parameter.name, interval.estimate,
                       interval.low, interval.high);
  };
  if (mean_of == nullptr || best_interval(mean_of->location) == nullptr ||
      best_interval(sd_of->scale) == nullptr)
    return {};
  return fmt::format("Worst: {}; {}.",
                     text(mean_of->by_quantiles ? "median" : "mean", *mean_of, mean_of->location),
                     text(sd_of->by_quantiles ? "interquartile range" : "sd (log)", *sd_of, sd_of->scale));
}

// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  const std::size_t shown = names.size() <= kShown + 1 ? names.size() : kShown;
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return shown == names.size() ? text : text + fmt::format(" and {} more", names.size() - shown);
}

std::vector<std::string> judged_by_quantiles(const Certificate& certificate) {
  std::vector<std::string> names;
  for (const ParameterCertificate& parameter : certificate.parameters)
    if (parameter.by_quantiles) names.push_back(parameter.name);
  return names;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::met: return "met";
    case Verdict::not_met: return "not met";
    case Verdict::cannot_tell: return "cannot tell";
  }
  return "";
}

std::string_view certified_name(Certified certified) {
  switch (certified) {
    case Certified::raw: return "raw";
    case Certified::reweighted: return "reweighted";
    case Certified::chains: return "chains";
  }
  return "";
}

std::string_view reason_name(ReasonCode code) {
  switch (code) {
    case ReasonCode::budget: return "budget";
    case ReasonCode::no_draws: return "no-draws";
    case ReasonCode::unchecked: return "unchecked";
    case ReasonCode::few_draws: return "few-draws";
    case ReasonCode::no_starts: return "no-starts";
    case ReasonCode::improper: return "improper";
    case ReasonCode::off: return "off";
    case ReasonCode::other_mode: return "other-mode";
    case ReasonCode::uneven_weights: return "uneven-weights";
    case ReasonCode::heavy_tail: return "heavy-tail";
    case ReasonCode::wide_intervals: return "wide-intervals";
    case ReasonCode::stuck: return "stuck";
    case ReasonCode::disagree: return "disagree";
    case ReasonCode::diverged: return "diverged";
  }
  return "";
}

bool has_reason(const Certificate& certificate, ReasonCode code) {
  return std::any_of(certificate.reasons.begin(), certificate.reasons.end(),
                     [&](const Reason& reason) { return reason.code == code; });
}

std::string_view unproven() {
  return "What this does not prove: modes that nothing visited cannot be detected; intervals "
         "are estimates with a family-wise level of 99 %, not a guarantee; only means and standard "
         "deviations "
         "(or medians and quartiles) of single parameters are judged, not their joint tails; and nothing "
         "says "
         "that the model is right.";
}

std::string to_json(const Certificate& certificate) {
  std::string text = "{\n";
  text += fmt::format("  \"tolerance\": {},\n  \"verdict\": {},\n  \"certified\": {},\n",
                      json_number(certificate.tolerance), json_string(verdict_name(certificate.verdict)),
                      json_string(certified_name(certificate.certified)));
  text += fmt::format("  \"reasons\": {},\n", json_lines(certificate.reasons, [](const Reason& reason) {
                        return json_string(reason.text);
                      }));
  text += fmt::format("  \"reason_codes\": {},\n", json_lines(certificate.reasons, [](const Reason& reason) {
                        return json_string(reason_name(reason.code));
                      }));
  text += fmt::format("  \"parameters\": {},\n", json_lines(certificate.parameters, parameter_json));
  text += fmt::format("  \"weights\": {},\n",
                      certificate.certified == Certified::chains
                          ? "null"
                          : fmt::format("{{\"proposal\": {}, \"khat\": {}, \"khat_limit\": {}, \"ess\": {}}}",
                                        json_string(certificate.proposal), json_number(certificate.khat),
                                        json_number(certificate.khat_limit), json_number(certificate.ess)));
  text += fmt::format("  \"chains\": {},\n", chains_json(certificate.chains));
  text +=
      fmt::format("  \"other_modes\": {},\n", json_lines(certificate.other_modes, [](const OtherMode& mode) {
                    return fmt::format("{{\"share\": {}, \"distance\": {}}}",
                                       json_number(std::exp(mode.log_share)), json_number(mode.distance));
                  }));
  text += fmt::format(
      "  \"without_prior\": {},\n",
      json_lines(certificate.without_prior, [](const std::string& name) { return json_string(name); }));
  text += fmt::format("  \"evidence\": {},\n", certificate.evidence.empty() ? "null" : certificate.evidence);
  text += fmt::format("  \"kernel_stein_discrepancy\": {},\n",
                      certificate.stein.empty() ? "null" : certificate.stein);
  text += fmt::format("  \"wasserstein\": {},\n",
                      certificate.wasserstein.empty() ? "null" : certificate.wasserstein);
  text +=
      fmt::format("  \"notes\": {},\n",
                  json_lines(certificate.notes, [](const std::string& note) { return json_string(note); }));
  text += fmt::format("  \"cost\": {{\"gradients\": {}, \"seconds\": {}}},\n", certificate.cost.gradients,
                      json_number(certificate.cost.seconds));
  text += fmt::format("  \"not_proved\": {}\n}}\n", json_string(unproven()));
  return text;
}

std::string certificate_text(const Certificate& certificate, std::size_t width) {
  std::string text;
  const bool is_of_chains = certificate.certified == Certified::chains;
  const std::string draws =
      std::string(certified_name(certificate.certified)) + (is_of_chains ? "" : " draws");
  const bool is_proviso = certificate.verdict == Verdict::met && !certificate.without_prior.empty();
  append_wrapped(text, "",
                 fmt::format("Tolerance {:g}: {} ({}, {} parameters){}.", certificate.tolerance,
                             verdict_name(certificate.verdict), draws, certificate.parameters.size(),
                             is_proviso ? ", if the posterior is proper" : ""),
                 width);
  for (const Reason& reason : certificate.reasons) append_wrapped(text, "  ", reason.text, width);
  if (const std::string worst = worst_errors(certificate); !worst.empty() && !is_of_chains)
    append_wrapped(text, "  ", worst, width);
  if (is_proviso)
    append_wrapped(text, "  ",
                   "Without a prior: " + some_of(certificate.without_prior) +
                       ". That the posterior is proper has not been shown; if it is not, the errors "
                       "are those of the part that the draws show.",
                   width);
  if (const std::vector<std::string> heavy = judged_by_quantiles(certificate); !heavy.empty())
    append_wrapped(text, "  ",
                   "Judged by median and interquartile range, as the tail is heavy: " + some_of(heavy) + ".",
                   width);
  for (const std::string& note : certificate.notes) append_wrapped(text, "  ", note, width);
  append_wrapped(text, "  ", unproven(), width);
  return text;
}

}  // namespace kullback::certify
