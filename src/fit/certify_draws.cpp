#include "fit/certify_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"
#include "certify/certify.hpp"
#include "certify/wasserstein.hpp"
#include "fit/fit.hpp"
#include "fit/program_findings.hpp"
#include "model/data.hpp"
#include "model/unconstrain.hpp"
#include "posterior/files.hpp"
#include "run/folder.hpp"

namespace kullback::fit {

namespace {

constexpr const char* kDivergent = "divergent__";

posterior::Posterior read_draws(const CertifyRequest& request, bool& is_markov) {
  if (std::filesystem::is_directory(request.draws)) {
    posterior::Folder folder = posterior::read_folder(request.draws);
    is_markov = fit::is_markov(folder.record);
    return std::move(folder.posterior);
  }
  posterior::Posterior read = posterior::read_csv({request.draws});
  is_markov = false;
  return read;
}

std::size_t column_of(const CertifyRequest& request, const posterior::Posterior& posterior,
                      const std::string& name) {
  const auto found = std::find(posterior.names.begin(), posterior.names.end(), name);
  if (found == posterior.names.end()) {
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: has no column '{}', a parameter of the program.", request.draws.string(), name),
        "Columns are named as CmdStan names them: theta.1 for theta[1].");
  }
  return static_cast<std::size_t>(found - posterior.names.begin());
}

void check_not_resampled(const CertifyRequest& request, const posterior::Posterior& posterior) {
  if (posterior.chains.empty() || !posterior.chains.front().is_resampled) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: these draws were resampled by their weights, and have no log q any more.",
                          request.draws.string()),
              fmt::format("Give the draws as they came: {}",
                          (request.draws.parent_path() / posterior::kWeightedFile).string()));
}

// Values of one draw as an init file would have them: row-major.
model::Data values_of_draw(const std::vector<posterior::Variable>& variables, const double* row) {
  model::Data data("the draws");
  for (const posterior::Variable& variable : variables) {
    model::DataValue value;
    value.kind = model::DataKind::real;
    value.dims = variable.dims;
    value.numbers.resize(variable.size);
    for (std::size_t at = 0; at < variable.size; ++at) {  // `at` counts by columns
      std::size_t rest = at, place = 0, stride = variable.size;
      for (const std::size_t dim : variable.dims) {
        stride /= dim;
        place += rest % dim * stride;
        rest /= dim;
      }
      value.numbers[place] = row[variable.first + at];
    }
    data.add(variable.name, std::move(value));
  }
  return data;
}

infer::Draws unconstrained(const CertifyRequest& request, const LoadedModel& model,
                           const posterior::Posterior& posterior) {
  if (model.stan == nullptr) {
    throw Error(ErrorKind::usage,
                "draws on disk are constrained; a shared library does not tell how to undo that.",
                "Give --tolerance to kullback fit instead.");
  }
  const auto& names = model.outputs->column_names();
  const std::size_t width = model.outputs->parameter_columns();
  const std::vector<std::string> parameters(names.begin(),
                                            names.begin() + static_cast<std::ptrdiff_t>(width));
  const std::vector<posterior::Variable> variables = posterior::find_variables(parameters);
  std::vector<std::vector<double>> columns;
  for (const std::string& name : parameters)
    columns.push_back(posterior.column(column_of(request, posterior, name)));
  infer::Draws draws;
  draws.dim = model.density->dim();
  draws.log_q = posterior.log_q();
  const std::vector<double> fallback(draws.dim);
  std::vector<double> row(width);
  for (std::size_t i = 0; i < draws.log_q.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) row[j] = columns[j][i];
    const model::Unconstrained point =
        model::unconstrain(*model.stan->prepared(), values_of_draw(variables, row.data()), fallback);
    draws.theta.insert(draws.theta.end(), point.theta.begin(), point.theta.end());
  }
  draws.log_density.resize(draws.log_q.size());
  return draws;
}

certify::ChainedValues chained(const CertifyRequest& request, const LoadedModel& model,
                               const posterior::Posterior& posterior) {
  certify::ChainedValues result;
  result.chains = posterior.chains.size();
  result.draws = posterior.draws();
  const auto& names = model.outputs->column_names();
  result.names.assign(names.begin(),
                      names.begin() + static_cast<std::ptrdiff_t>(model.outputs->parameter_columns()));
  for (const std::string& name : result.names)
    result.values.push_back(posterior.column(column_of(request, posterior, name)));
  for (const double flag : posterior.stat(kDivergent)) result.divergences += flag != 0 ? 1 : 0;
  return result;
}

// A file of the folder of the fit is one of its record.
void write_beside(const CertifyRequest& request, const std::filesystem::path& path, const std::string& text) {
  std::error_code none;
  const std::filesystem::path place = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(request.draws) ||
      !std::filesystem::equivalent(place, request.draws, none))
    return replace_file(path, text);
  const std::string name = path.filename().string();
  const bool is_ours = name == "certificate.json" || name.ends_with("-weights.csv");
  if (!is_ours && std::filesystem::exists(path, none))
    throw Error(ErrorKind::cannot_write,
                path.string() + ": is a file of the fit; a certificate does not replace it.",
                "Give --out another name.");
  run::replace_in_folder(request.draws, name, text);
}

std::filesystem::path write_weights(const CertifyRequest& request, const std::vector<double>& weights) {
  std::string text = "log_weight__\n";
  for (const double weight : weights) text += fmt::format("{}\n", std::log(weight));
  std::filesystem::path path = request.out;
  path.replace_filename(path.stem().string() + "-weights.csv");
  write_beside(request, path, text);
  return path;
}

}  // namespace

CertifiedDraws certify_draws(const CertifyRequest& request, const LoadedModel& model) {
  bool is_markov = false;
  const posterior::Posterior posterior = read_draws(request, is_markov);
  const std::size_t threads = request.threads > 0 ? request.threads : std::thread::hardware_concurrency();
  const certify::Terms terms{.tolerance = request.tolerance,
                             .seed = request.seed,
                             .threads = std::max<std::size_t>(1, threads),
                             .seeks_proof = true,
                             .should_stop = request.should_stop};
  CertifiedDraws result;
  if (is_markov) {
    if (request.wasserstein) {
      throw Error(
          ErrorKind::usage,
          "--wasserstein bounds how far an approximation is from the posterior; these draws are chains.",
          "Leave it out.");
    }
    result.certificate = certify::certify_chains(chained(request, model, posterior), terms);
    note_propriety(model, {}, result.certificate);
  } else {
    check_not_resampled(request, posterior);
    if (posterior.log_q().empty()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: the draws have no log q (a column log_q__ or log_g__) and are no chains.",
                              request.draws.string()),
                  "Fit with `--method vi`, laplace, flow or pathfinder --resample 0, or with nuts.");
    }
    const certify::ModeSearch modes = certify::search_modes(*model.density, request.seed);
    const infer::Draws draws = unconstrained(request, model, posterior);
    certify::Judged judged =
        certify::certify_approximation(draws, *model.density, *model.outputs, modes, terms);
    if (request.wasserstein && !judged.is_stopped)
      certify::add_wasserstein(draws, *model.density, request.seed, judged.certificate);
    judged.certificate.cost.gradients += modes.gradients;
    result.is_stopped = judged.is_stopped;
    result.certificate = std::move(judged.certificate);
    note_propriety(model, draws, result.certificate);
    if (!judged.weights.empty()) result.weights = write_weights(request, judged.weights);
  }
  if (!result.is_stopped) write_beside(request, request.out, certify::to_json(result.certificate));
  return result;
}

}  // namespace kullback::fit
