// What a kb_fit tells: names, draws, texts.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "capi/fit.hpp"
#include "capi/guard.hpp"
#include "posterior/equal_weights.hpp"

using namespace kullback;
using namespace kullback::capi;

namespace kullback::capi {

void name_columns(kb_fit& fit) {
  fit.names = fmt::format("{}", fmt::join(fit.outcome.posterior.names, ","));
  fit.stat_names = fmt::format("{}", fmt::join(fit.outcome.posterior.stat_names, ","));
}

}  // namespace kullback::capi

namespace {

// The numbers of one quantity in a chain, or nothing where it has none.
const double* find_stat(const posterior::Posterior& posterior, const posterior::Chain& chain,
                        std::string_view name) {
  const auto or_null = [](const std::vector<double>& values) {
    return values.empty() ? nullptr : values.data();
  };
  if (name == "lp__") return or_null(chain.log_density);
  if (name == "log_q") return or_null(chain.log_q);
  if (name == "log_weight") return or_null(chain.log_weight);
  const auto& names = posterior.stat_names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end() || chain.stats.empty()) return nullptr;
  return chain.stats.data() + static_cast<std::size_t>(found - names.begin()) * chain.draws;
}

void check_columns(const kb_fit& fit, std::size_t first, std::size_t count) {
  const std::size_t columns = fit.outcome.posterior.names.size();
  if (first <= columns && count <= columns - first) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("columns {} to {} were asked for, but the fit has {}.", first, first + count, columns),
      "Columns are counted from 0.");
}

void copy_columns(const kb_fit& fit, std::size_t first, std::size_t count, double* values) {
  const std::size_t draws = fit.outcome.posterior.draws();
  for (const posterior::Chain& chain : fit.outcome.posterior.chains) {
    for (std::size_t c = 0; c < count; ++c) {
      const double* column = chain.columns.data() + (first + c) * chain.draws;
      for (std::size_t i = 0; i < draws; ++i) values[i * count + c] = column[i];
    }
    values += draws * count;
  }
}

const char* text_or_empty(const kb_fit* fit, std::string kb_fit::*member) {
  return fit != nullptr ? (fit->*member).c_str() : "";
}

}  // namespace

void kb_fit_free(kb_fit* fit) { delete fit; }

size_t kb_fit_chains(const kb_fit* fit) { return fit != nullptr ? fit->outcome.posterior.chains.size() : 0; }
size_t kb_fit_draws(const kb_fit* fit) { return kb_fit_chains(fit) > 0 ? fit->outcome.posterior.draws() : 0; }
size_t kb_fit_columns(const kb_fit* fit) { return fit != nullptr ? fit->outcome.posterior.names.size() : 0; }

const char* kb_fit_names(const kb_fit* fit) { return text_or_empty(fit, &kb_fit::names); }
const char* kb_fit_stat_names(const kb_fit* fit) { return text_or_empty(fit, &kb_fit::stat_names); }
const char* kb_fit_record(const kb_fit* fit) { return text_or_empty(fit, &kb_fit::record); }
const char* kb_fit_summary(const kb_fit* fit) { return text_or_empty(fit, &kb_fit::summary); }
const char* kb_fit_certificate(const kb_fit* fit) { return text_or_empty(fit, &kb_fit::certificate); }
const char* kb_fit_text(const kb_fit* fit) { return text_or_empty(fit, &kb_fit::text); }

kb_status kb_fit_columns_copy(const kb_fit* fit, size_t first, size_t count, double* values,
                              kb_error** error) {
  return guarded(error, [&] {
    require(fit, "kb_fit_columns_copy", "fit");
    check_columns(*fit, first, count);
    if (count == 0 || kb_fit_draws(fit) == 0) return KB_OK;
    require(values, "kb_fit_columns_copy", "values");
    copy_columns(*fit, first, count, values);
    return KB_OK;
  });
}

kb_status kb_fit_column(const kb_fit* fit, size_t column, double* values, kb_error** error) {
  return kb_fit_columns_copy(fit, column, 1, values, error);
}

kb_status kb_fit_stat(const kb_fit* fit, const char* name, double* values, kb_error** error) {
  return guarded(error, [&] {
    require(fit, "kb_fit_stat", "fit");
    require(name, "kb_fit_stat", "name");
    require(values, "kb_fit_stat", "values");
    const posterior::Posterior& posterior = fit->outcome.posterior;
    const std::size_t draws = kb_fit_draws(fit);
    for (const posterior::Chain& chain : posterior.chains) {
      const double* stat = find_stat(posterior, chain, name);
      if (stat == nullptr && draws > 0)
        throw Error(ErrorKind::usage, fmt::format("the fit has no '{}'.", name),
                    fmt::format("There are lp__{}{}, and log_q and log_weight of some methods.",
                                fit->stat_names.empty() ? "" : ", ", fit->stat_names));
      values = std::copy(stat, stat + draws, values);
    }
    return KB_OK;
  });
}

kb_status kb_fit_equal_weights(const kb_fit* fit, size_t* chosen, kb_error** error) {
  return guarded(error, [&] {
    require(fit, "kb_fit_equal_weights", "fit");
    require(chosen, "kb_fit_equal_weights", "chosen");
    const std::vector<std::size_t> draws =
        posterior::equally_weighted(fit->outcome.posterior, fit->outcome.record.seed);
    if (draws.empty())
      throw Error(ErrorKind::usage, "the draws have no weights.",
                  "All of them weigh the same: take them as they are.");
    std::copy(draws.begin(), draws.end(), chosen);
    return KB_OK;
  });
}
