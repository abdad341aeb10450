// What 'kullback loglik' found of new rows: loglik.json and loglik.csv, of energies and diffusion models.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kMostRows = 5000;

struct Named {
  std::string_view file;  // member of loglik.json
  std::string_view name;
};

constexpr std::array kEnergy = {
    Named{"rows", "rows"},
    Named{"log_likelihood", "log likelihood by annealing, nats a row (too high on average)"},
    Named{"error_over_rows", "its standard error, from row to row"},
    Named{"exact_log_likelihood", "exact log likelihood, nats a row"},
    Named{"raise", "conservative log likelihood, by RAISE"},
    Named{"raise_error", "its standard error"},
    Named{"raise_rows", "rows of the conservative figure"},
    Named{"log_likelihood_of_raise_rows", "log likelihood of the same rows, by annealing"},
    Named{"log_z", "log Z by annealing (too low on average)"},
    Named{"error_of_log_z", "its standard error"},
    Named{"log_z_upper", "log Z from exact draws (too high on average)"},
    Named{"exact_log_z", "log Z, exact"},
    Named{"effective_chains", "effective chains"},
};

constexpr std::array kFlow = {
    Named{"rows", "rows"},
    Named{"log_likelihood", "log likelihood by the flow, nats a row"},
    Named{"bound", "bound on the log likelihood, nats a row"},
    Named{"standard_error", "its standard error, from row to row"},
    Named{"bits_per_dim", "bits per dimension"},
    Named{"probe_error_of_a_row", "error of a row by random probes"},
    Named{"ode_error_of_a_row", "error of a row by the equation's steps"},
};

void add(std::vector<std::string>& into, std::string_view name, double value) {
  if (std::isfinite(value)) into.push_back(JsonObject().text("name", name).number("value", value, 8).str());
}

std::string figures_json(const JsonValue& found, bool is_energy) {
  std::vector<std::string> figures;
  const auto add_all = [&](const auto& list) {
    for (const Named& one : list) add(figures, one.name, number_in(found, one.file));
  };
  is_energy ? add_all(kEnergy) : add_all(kFlow);
  if (const JsonValue* bound = found.find("bound"); bound != nullptr && bound->object() != nullptr) {
    add(figures, "bound, nats a row", number_in(*bound, "mean"));
    add(figures, "standard error of the bound", number_in(*bound, "standard_error"));
  }
  return json_array(figures);
}

}  // namespace

std::string likelihoods_section(const Result& result) {
  const bool is_energy = result.kind() == run::Kind::ebm;
  if (!is_energy && !is_diffusion(result)) return {};
  const JsonValue* found = result.json("loglik.json");
  if (found == nullptr) return {};
  JsonObject json;
  json.raw("figures", figures_json(*found, is_energy));
  json.truth("is_dequantised", text_in(*found, "dequantisation") == "uniform");
  const NumberTable* table = result.numbers("loglik.csv");
  const auto* rows = table != nullptr ? table->find("log_likelihood") : nullptr;
  if (rows == nullptr && table != nullptr) rows = table->find("bound");
  if (rows != nullptr) {
    const std::size_t count = std::min(rows->size(), kMostRows);
    json.raw("rows", json_numbers(std::span(*rows).first(count))).count("all_rows", rows->size());
  }
  return json.str();
}

}  // namespace kullback::report
