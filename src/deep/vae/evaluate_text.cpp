// An evaluation as a table and as JSON. Numbers are in nats, mean over rows ± standard error over rows (Monte
// Carlo part in brackets).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "deep/vae/evaluate.hpp"

namespace kullback::deep {

namespace {

// One decimal more than the standard error needs.
std::string with_error(const Figure& figure) {
  const double size = figure.error > 0 ? figure.error : std::abs(figure.mean) / 1000;
  const int decimals = size > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(size))), 1, 6) : 1;
  return fmt::format("{} ± {} ({})", fmt::format("{:.{}f}", figure.mean, decimals),
                     fmt::format("{:.{}f}", figure.error, decimals),
                     fmt::format("{:.{}f}", figure.monte_carlo, decimals));
}

using Pick = std::optional<Figure> RowsEvaluation::*;

struct Line {
  std::string name;
  std::optional<Figure> test, train;
};

std::vector<Line> lines_of(const VaeEvaluation& evaluation) {
  const RowsEvaluation& test = evaluation.test;
  std::vector<Line> lines;
  const auto add = [&](std::string name, const auto& pick) {
    Line line{std::move(name), pick(test), {}};
    if (evaluation.train) line.train = pick(*evaluation.train);
    if (line.test) lines.push_back(std::move(line));
  };
  const auto one = [](Pick member) { return [member](const RowsEvaluation& rows) { return rows.*member; }; };
  add("evidence lower bound", [](const RowsEvaluation& rows) { return std::optional(rows.elbo); });
  add(fmt::format("log p(x), {} draws", evaluation.samples),
      [](const RowsEvaluation& rows) { return std::optional(rows.log_likelihood); });
  const std::string some = fmt::format(", {} rows", test.gap_rows);
  add("log p(x), annealing" + some, one(&RowsEvaluation::ais));
  add("log p(x), the larger" + some, one(&RowsEvaluation::gap_log_likelihood));
  add("bound, fitted to each row", one(&RowsEvaluation::local_elbo));
  add("bound, flow fitted to each row", one(&RowsEvaluation::flow_elbo));
  add("approximation gap", one(&RowsEvaluation::approximation_gap));
  add("approximation gap of the flow", one(&RowsEvaluation::flow_gap));
  add("amortisation gap", one(&RowsEvaluation::amortisation_gap));
  return lines;
}

// Training rows less test rows.
std::optional<Figure> generalisation(const Line& line) {
  if (!line.train) return std::nullopt;
  return Figure{.mean = line.train->mean - line.test->mean,
                .error = std::hypot(line.train->error, line.test->error),
                .monte_carlo = std::hypot(line.train->monte_carlo, line.test->monte_carlo)};
}

// Characters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - width(row[i]), ' ');
      line += i == 0 ? row[i] + gap : "  " + gap + row[i];
    }
    text += line + "\n";
  }
  return text;
}

std::string json_number(double number) { return std::isfinite(number) ? fmt::format("{}", number) : "null"; }

std::string json_figure(const Figure& figure) {
  return fmt::format(R"({{"mean": {}, "error": {}, "monte_carlo": {}}})", json_number(figure.mean),
                     json_number(figure.error), json_number(figure.monte_carlo));
}

std::string json_rows(const RowsEvaluation& rows) {
  std::string text =
      fmt::format(R"({{"rows": {}, "gap_rows": {}, "elbo": {}, "log_likelihood": {})", rows.rows,
                  rows.gap_rows, json_figure(rows.elbo), json_figure(rows.log_likelihood));
  const std::pair<const char*, Pick> members[] = {{"ais", &RowsEvaluation::ais},
                                                  {"gap_log_likelihood", &RowsEvaluation::gap_log_likelihood},
                                                  {"gap_elbo", &RowsEvaluation::gap_elbo},
                                                  {"local_elbo", &RowsEvaluation::local_elbo},
                                                  {"flow_elbo", &RowsEvaluation::flow_elbo},
                                                  {"approximation_gap", &RowsEvaluation::approximation_gap},
                                                  {"flow_approximation_gap", &RowsEvaluation::flow_gap},
                                                  {"amortisation_gap", &RowsEvaluation::amortisation_gap}};
  for (const auto& [name, member] : members)
    if (rows.*member) text += fmt::format(R"(, "{}": {})", name, json_figure(*(rows.*member)));
  if (rows.ais) text += fmt::format(R"(, "ais_acceptance": {})", json_number(rows.acceptance));
  return text + "}";
}

}  // namespace

std::string evaluation_table(const VaeEvaluation& evaluation) {
  const bool has_train = evaluation.train.has_value();
  std::vector<std::vector<std::string>> rows = {
      {"nats a row", fmt::format("test ({})", evaluation.test.rows)}};
  if (has_train) {
    rows[0].push_back(fmt::format("training ({})", evaluation.train->rows));
    rows[0].push_back("generalisation gap");
  }
  for (const Line& line : lines_of(evaluation)) {
    std::vector<std::string> row = {line.name, with_error(*line.test)};
    if (has_train) {
      row.push_back(line.train ? with_error(*line.train) : "-");
      const std::optional<Figure> gap = generalisation(line);
      row.push_back(gap ? with_error(*gap) : "-");
    }
    rows.push_back(std::move(row));
  }
  std::string text = table_text(rows);
  if (evaluation.test.ais)
    text += fmt::format("annealing: {:.2f} of transitions accepted\n", evaluation.test.acceptance);
  if (evaluation.refining_steps > 0)
    text += fmt::format("posteriors refined by {} steps\n", evaluation.refining_steps);
  if (evaluation.codes) {
    text += fmt::format("codes: perplexity {:.1f} of {}, {} never used\n", evaluation.codes->perplexity,
                        evaluation.codes->codes, evaluation.codes->dead);
  } else {
    text += fmt::format("active latent variables: {} of {}\n", evaluation.active, evaluation.activity.size());
  }
  return text;
}

std::string evaluation_json(const VaeEvaluation& evaluation) {
  std::string text = fmt::format(R"({{"samples": {}, "refining_steps": {}, "test": {})", evaluation.samples,
                                 evaluation.refining_steps, json_rows(evaluation.test));
  if (evaluation.train) {
    text += fmt::format(R"(, "training": {})", json_rows(*evaluation.train));
    text += R"(, "generalisation_gaps": {)";
    std::string separator;
    for (const Line& line : lines_of(evaluation)) {
      if (const std::optional<Figure> gap = generalisation(line)) {
        text += separator + json_string(line.name) + ": " + json_figure(*gap);
        separator = ", ";
      }
    }
    text += "}";
  }
  text += fmt::format(R"(, "active_units": {}, "activity": [)", evaluation.active);
  for (std::size_t i = 0; i < evaluation.activity.size(); ++i)
    text += (i == 0 ? "" : ", ") + json_number(evaluation.activity[i]);
  text += "]";
  if (evaluation.codes) {
    text +=
        fmt::format(R"(, "codes": {{"codes": {}, "perplexity": {}, "dead": {}}})", evaluation.codes->codes,
                    json_number(evaluation.codes->perplexity), evaluation.codes->dead);
  }
  text += R"(, "findings": [)";
  for (std::size_t i = 0; i < evaluation.findings.size(); ++i) {
    const Finding& finding = evaluation.findings[i];
    text +=
        (i == 0 ? "" : ", ") + fmt::format(R"({{"code": {}, "message": {}, "evidence": {}, "advice": {}}})",
                                           json_string(finding.code), json_string(finding.message),
                                           json_string(finding.evidence), json_string(finding.advice));
  }
  return text + "]}\n";
}

}  // namespace kullback::deep
