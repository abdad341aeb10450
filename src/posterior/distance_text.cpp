#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "posterior/distance.hpp"
#include "posterior/finding_parts.hpp"
#include "posterior/number_text.hpp"
#include "run/json_text.hpp"
#include "run/text.hpp"

namespace kullback::posterior {

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kNameWidth = 24;
constexpr std::size_t kMostNamed = 4;
constexpr double kNotableRhat = 1.05;

// Three decimals of a number below 10; infinity as it is.
std::string number_text(double number) {
  const double size = std::abs(number);
  return size < 10     ? fmt::format("{:.3f}", number)
         : size < 1000 ? fmt::format("{:.1f}", number)
                       : fmt::format("{:.1e}", number);
}

std::string signed_text(double number) { return (number >= 0 ? "+" : "") + number_text(number); }

std::string p_text(double p) {
  return p < 1e-16 ? "<1e-16" : p < 0.001 ? fmt::format("{:.0e}", p) : fmt::format("{:.3f}", p);
}

std::vector<std::string> at_most(std::vector<std::string> names, std::size_t most) {
  if (names.size() <= most) return names;
  const std::size_t more = names.size() - most;
  names.resize(most);
  names.push_back(fmt::format("{} more", more));
  return names;
}

std::string row_text(const ParameterDistance& row, std::size_t width) {
  const stats::MarginalDistance& apart = row.apart;
  return fmt::format("{:<{}} {:>8} {:>7} {:>7} {:>6} {:>9} {:>6} {:>7}\n",
                     shortened(run::printable(row.name), width), width, number_text(apart.wasserstein),
                     number_text(apart.noise), signed_text(apart.shift), number_text(apart.shift_error),
                     number_text(apart.sd_ratio), number_text(apart.sd_ratio_error), p_text(apart.p_value));
}

std::string table_of(const std::vector<ParameterDistance>& rows, std::size_t max_rows) {
  const std::size_t shown = max_rows == 0 ? rows.size() : std::min(max_rows, rows.size());
  std::size_t width = 9;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, std::min(rows[i].name.size(), kNameWidth));
  std::string text = fmt::format("{:<{}} {:>8} {:>7} {:>7} {:>6} {:>9} {:>6} {:>7}\n", "parameter", width,
                                 "distance", "noise", "shift", "se", "sd ratio", "se", "p");
  for (std::size_t i = 0; i < shown; ++i) text += row_text(rows[i], width);
  if (shown < rows.size())
    text += fmt::format("... and {}; --all shows them\n", counted(rows.size() - shown, "more row"));
  return text;
}

std::string joint_row(std::string_view name, const stats::TestedDistance& of) {
  return fmt::format("{:<22} {:>9.3g} {:>9.3g} {:>7}\n", name, of.value, of.noise, p_text(of.p_value));
}

std::string joint_text(const Distance& of) {
  if (!of.joint) return of.why_no_joint + "\n";
  std::string text = fmt::format("{:<22} {:>9} {:>9} {:>7}\n", "all together", "value", "noise", "p");
  text += joint_row("sliced Wasserstein", of.joint->sliced_wasserstein);
  text += joint_row("MMD^2", of.joint->mmd_squared);
  if (of.joint->gaussian_kl) text += joint_row("KL of Gaussians, nats", *of.joint->gaussian_kl);
  return text;
}

std::string apart_text(const ParameterDistance& of) {
  return fmt::format("{} ({} +- {} sds)", of.name, number_text(of.apart.wasserstein),
                     number_text(of.apart.noise));
}

std::string differ_text(const Distance& of) {
  std::vector<std::string> which;
  for (const ParameterDistance& parameter : of.parameters)
    if (parameter.differs) which.push_back(apart_text(parameter));
  if (!which.empty())
    return fmt::format("The posteriors differ (p {}), mostly in {}.", p_text(of.p_value),
                       listed(at_most(std::move(which), kMostNamed)));
  return fmt::format(
      "The posteriors differ (p {}) in all parameters together, but not demonstrably in any one: in how they "
      "depend on each other, or a little in many.",
      p_text(of.p_value));
}

std::string none_found_text(const Distance& of) {
  const auto reach = [](const ParameterDistance& row) { return row.apart.wasserstein + row.apart.noise; };
  const auto widest = std::max_element(of.parameters.begin(), of.parameters.end(),
                                       [&](const auto& a, const auto& b) { return reach(a) < reach(b); });
  return fmt::format(
      "No difference found (p {}). These draws leave room for a distance of {} sds in {}, less in others.",
      p_text(of.p_value), number_text(reach(*widest)), widest->name);
}

std::string verdict_text(const Distance& of) {
  switch (of.verdict) {
    case DistanceVerdict::same_draws:
      return "Both hold the same draws: they are one sample, not two to compare. Fit one of them with "
             "another seed.";
    case DistanceVerdict::differ: return differ_text(of);
    case DistanceVerdict::none_found: break;
  }
  return none_found_text(of);
}

void add_note(std::string& text, const std::string& note) { run::append_wrapped(text, "", note, kWidth); }

void add_names(std::string& text, const std::string& what, const std::vector<std::string>& names) {
  if (!names.empty()) add_note(text, fmt::format("{}: {}.", what, listed(at_most(names, 2 * kMostNamed))));
}

std::string_view verdict_name(DistanceVerdict verdict) {
  switch (verdict) {
    case DistanceVerdict::differ: return "differ";
    case DistanceVerdict::same_draws: return "same draws";
    case DistanceVerdict::none_found: break;
  }
  return "no difference found";
}

void add(std::string& text, std::string_view name, double number) {
  text += fmt::format("{}\"{}\": {}", text.ends_with('{') ? "" : ", ", name, run::json_number(number));
}

std::string row_json(const ParameterDistance& row) {
  const stats::MarginalDistance& apart = row.apart;
  std::string numbers = fmt::format("{{\"name\": {}, \"differs\": {}", json_string(row.name), row.differs);
  add(numbers, "distance", apart.wasserstein);
  add(numbers, "noise", apart.noise);
  add(numbers, "p_value", apart.p_value);
  add(numbers, "shift", apart.shift);
  add(numbers, "shift_se", apart.shift_error);
  add(numbers, "sd_ratio", apart.sd_ratio);
  add(numbers, "sd_ratio_se", apart.sd_ratio_error);
  add(numbers, "largest_gap", apart.largest_gap);
  add(numbers, "largest_gap_noise", apart.gap_noise);
  add(numbers, "first_effective", row.first_effective);
  add(numbers, "second_effective", row.second_effective);
  return numbers + "}";
}

std::string tested_json(const stats::TestedDistance& of) {
  std::string numbers = "{";
  add(numbers, "value", of.value);
  add(numbers, "noise", of.noise);
  add(numbers, "p_value", of.p_value);
  return numbers + "}";
}

std::string joint_json(const Distance& of) {
  if (!of.joint) return "null";
  return fmt::format(
      "{{\"sliced_wasserstein\": {}, \"mmd_squared\": {}, \"gaussian_kl\": {}, \"first_draws\": {}, "
      "\"second_draws\": {}}}",
      tested_json(of.joint->sliced_wasserstein), tested_json(of.joint->mmd_squared),
      of.joint->gaussian_kl ? tested_json(*of.joint->gaussian_kl) : "null", of.first_independent,
      of.second_independent);
}

std::string names_json(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + json_string(name);
  return "[" + text + "]";
}

}  // namespace

std::string distance_text(const Distance& distance, std::size_t max_rows) {
  std::string text = table_of(distance.parameters, max_rows) + "\n" + joint_text(distance) + "\n";
  add_note(text, verdict_text(distance));
  if (distance.largest_rhat > kNotableRhat)
    add_note(
        text,
        fmt::format("Chains disagree (R-hat {:.2f}, {}): the noise allows for it, but a posterior that they "
                    "have not found yet is not in these figures.",
                    distance.largest_rhat, distance.largest_rhat_name));
  add_names(text, "Only in " + distance.first, distance.only_in_first);
  add_names(text, "Only in " + distance.second, distance.only_in_second);
  add_names(text, "The same constant in both, and left out", distance.constant);
  return text;
}

std::string to_json(const Distance& distance) {
  std::string rows;
  for (const ParameterDistance& row : distance.parameters)
    rows += fmt::format("{}\n    {}", rows.empty() ? "" : ",", row_json(row));
  return fmt::format(
      "{{\"first\": {}, \"second\": {}, \"verdict\": \"{}\", \"p_value\": {}, \"level\": {},\n"
      "  \"parameters\": [{}],\n  \"joint\": {}, \"largest_rhat\": {},\n"
      "  \"only_in_first\": {}, \"only_in_second\": {}, \"constant\": {}}}",
      json_string(distance.first), json_string(distance.second), verdict_name(distance.verdict),
      run::json_number(distance.p_value), run::json_number(distance.level), rows, joint_json(distance),
      run::json_number(distance.largest_rhat), names_json(distance.only_in_first),
      names_json(distance.only_in_second), names_json(distance.constant));
}

}  // namespace kullback::posterior
