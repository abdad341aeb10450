#include "deep/energy/fit/loglik.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "deep/purpose.hpp"
#include "run/json_text.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kRowsAtOnce = 8192;
constexpr double kFewChains = 0.1;  // of the chains, that the weights leave
constexpr double kApart = 0.5;      // nats between the annealed and the conservative figure

torch::Tensor energies_of(const BuiltEbm& built, const torch::Tensor& x) {
  const Parameters parameters = built.parameters();
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& some : x.split(kRowsAtOnce))
    parts.push_back(built.energy()(parameters, some).to(torch::kCPU, torch::kFloat64));
  return at::cat(parts);
}

void add_findings(EbmLoglik& result, const EbmLoglikOptions& options) {
  const auto chains = static_cast<double>(options.annealing.chains);
  if (result.log_partition.effective < kFewChains * chains)
    result.findings.push_back(
        {.code = "few-chains",
         .message = "Few chains decide log Z: it may be far too low, and the likelihood too high.",
         .evidence = fmt::format("the weights of {} chains count as {:.3g}", options.annealing.chains,
                                 result.log_partition.effective),
         .advice = "Give more --temperatures."});
  if (result.raise_rows > 0 && result.same_rows - result.raise > kApart)
    result.findings.push_back(
        {.code = "estimates-apart",
         .message =
             "The conservative figure is well below the annealed one: the truth may be anywhere between.",
         .evidence = fmt::format("{:.5g} and {:.5g} nats on the same {} rows", result.raise, result.same_rows,
                                 result.raise_rows),
         .advice = "Give more --temperatures."});
}

void add_raise(EbmLoglik& result, const Annealing& annealing, const torch::Tensor& x, double units,
               const EbmLoglikOptions& options) {
  result.raise_rows = std::min(options.raise_rows, x.size(0));
  if (result.raise_rows == 0) return;
  const RowLogEstimates rows = annealing.raise(x.narrow(0, 0, result.raise_rows), options.raise_chains);
  const auto count = static_cast<double>(result.raise_rows);
  result.raise = rows.value.mean().item<double>() + units;
  result.raise_error = std::sqrt(rows.error.square().sum().item<double>()) / count;
  result.same_rows = result.row_values.narrow(0, 0, result.raise_rows).mean().item<double>();
}

std::string optional_number(bool has, double number) {
  return has ? run::json_number(number) : std::string("null");
}

}  // namespace

EbmLoglik loglik_of(const BuiltEbm& built, const torch::Tensor& prepared, const EbmLoglikOptions& options) {
  const torch::NoGradGuard no_gradient;
  Random random(options.annealing.seed, 0, static_cast<std::uint32_t>(Purpose::evaluation), 0x200);
  at::manual_seed(random());
  const torch::Tensor x = built.observed(prepared);
  const Parameters parameters = built.parameters();
  EbmLoglik result{.rows = x.size(0),
                   .is_levels = built.model().has_levels && built.energy().is_continuous()};
  const Annealing annealing(built.energy(), parameters, options.annealing);
  result.acceptance = annealing.acceptance();
  result.log_partition = annealing.log_partition();
  const double units = built.log_units();
  result.row_values = units - result.log_partition.value - energies_of(built, x);
  result.mean = result.row_values.mean().item<double>();
  if (result.rows > 1)
    result.over_rows = result.row_values.std().item<double>() / std::sqrt(static_cast<double>(result.rows));
  if (result.is_levels || !built.energy().is_continuous())
    result.bits_per_dim = -result.mean / (static_cast<double>(built.model().dim) * std::numbers::ln2);
  result.exact_by = built.energy().exact_partition_by();
  if (!result.exact_by.empty()) result.exact = built.energy().log_partition(parameters).item<double>();
  if (built.energy().has_exact_draws())
    result.upper =
        annealing.log_partition_reverse(built.energy().exact_draws(parameters, options.annealing.chains));
  add_raise(result, annealing, x, units, options);
  add_findings(result, options);
  return result;
}

std::string loglik_json(const EbmLoglik& l) {
  const auto number = [](double value) { return run::json_number(value); };
  std::string text = fmt::format("{{\n  \"kind\": \"ebm\",\n  \"rows\": {},\n  \"log_likelihood\": {},\n",
                                 l.rows, number(l.mean));
  text += fmt::format("  \"error_over_rows\": {},\n  \"error_of_log_z\": {},\n  \"log_z\": {},\n",
                      number(l.over_rows), number(l.log_partition.error), number(l.log_partition.value));
  text += fmt::format("  \"effective_chains\": {},\n", number(l.log_partition.effective));
  text += fmt::format("  \"log_z_upper\": {},\n",
                      optional_number(l.upper.has_value(), l.upper.value_or(LogEstimate{}).value));
  text += fmt::format("  \"exact_log_z\": {},\n", optional_number(l.exact.has_value(), l.exact.value_or(0)));
  text +=
      fmt::format("  \"exact_log_likelihood\": {},\n",
                  optional_number(l.exact.has_value(), l.mean + l.log_partition.value - l.exact.value_or(0)));
  text += fmt::format("  \"raise_rows\": {},\n  \"raise\": {},\n  \"raise_error\": {},\n", l.raise_rows,
                      optional_number(l.raise_rows > 0, l.raise),
                      optional_number(l.raise_rows > 0, l.raise_error));
  text += fmt::format("  \"log_likelihood_of_raise_rows\": {},\n",
                      optional_number(l.raise_rows > 0, l.same_rows));
  return text + fmt::format("  \"findings\": {}\n}}\n", run::json_findings(l.findings));
}

std::string loglik_text(const EbmLoglik& l) {
  std::string text = fmt::format(
      "{} rows{}\nlog likelihood  {:.6g} nats a row, by annealing: too high on average, as log Z is too low\n"
      "                standard error {:.2g} of log Z, {:.2g} from row to row\n",
      l.rows, l.is_levels ? ", levels moved within their intervals at random" : "", l.mean,
      l.log_partition.error, l.over_rows);
  if (l.bits_per_dim != 0)
    text +=
        fmt::format("                {:.4g} bits a {}\n", l.bits_per_dim, l.is_levels ? "pixel" : "column");
  if (l.raise_rows > 0)
    text += fmt::format(
        "conservative    {:.6g} nats a row of the first {}, by RAISE: too low on average for the annealed "
        "model\n"
        "                standard error {:.2g}; annealing says {:.6g} of the same rows\n",
        l.raise, l.raise_rows, l.raise_error, l.same_rows);
  if (l.upper)
    text +=
        fmt::format("log Z           {:.6g} to {:.6g}, annealed up from the base and down from exact draws\n",
                    l.log_partition.value, l.upper->value);
  if (l.exact)
    text += fmt::format("exact           {:.6g} nats a row, log Z = {:.6g} by {}\n",
                        l.mean + l.log_partition.value - *l.exact, *l.exact, l.exact_by);
  return text;
}

}  // namespace kullback::deep
