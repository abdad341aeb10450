#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/option.hpp"
#include "cli/verb.hpp"
#include "fit/fit.hpp"
#include "fit/outcome_text.hpp"
#include "posterior/distance.hpp"
#include "posterior/files.hpp"
#include "run/json_text.hpp"
#include "shell/options.hpp"
#include "stats/loo.hpp"
#include "stats/psis.hpp"

namespace kullback::cli {

namespace {

constexpr FlagOption kDistance("distance", false,
                               "How far apart the posteriors are, instead of how well the models predict");
constexpr TextOption kLogLik("log_lik", "log_lik", "Variable with the log likelihood of each observation");
constexpr FlagOption kAll("all", false, "With --distance: all rows, however many");
constexpr FlagOption kJson(
    "json", false,
    "Print all figures as JSON: with the elpd and k-hat of each observation, or the distances");
constexpr const OptionRecord* kOptions[] = {&kDistance, &kAll, &kJson, &kLogLik};
constexpr std::size_t kDistanceRows = 10;

struct CompareArguments {
  std::vector<std::string> folders;
  GivenTexts given;
};

struct Compared {
  std::string name;
  stats::Loo loo;
  std::size_t draws = 0;
};

stats::Loo loo_of(const std::string& path, const posterior::Posterior& posterior, const std::string& name) {
  const std::vector<posterior::Variable> variables = posterior::find_variables(posterior.names);
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const posterior::Variable& variable) { return variable.name == name; });
  if (found == variables.end()) {
    throw Error(
        ErrorKind::bad_input, fmt::format("{}: the program has no '{}'.", path, name),
        "Add 'vector[N] log_lik;' to its generated quantities, with log_lik[n] = foo_lpdf(y[n] | ...), "
        "or name the variable with --log-lik.");
  }
  std::vector<double> values;
  for (std::size_t j = 0; j < found->size; ++j) {
    const std::vector<double> column = posterior.column(found->first + j);
    values.insert(values.end(), column.begin(), column.end());
  }
  return stats::loo(values, found->size, posterior.chains.size(), posterior.draws());
}

std::vector<Compared> read_all(const std::vector<std::string>& folders, const std::string& log_lik) {
  std::vector<Compared> all;
  for (const std::string& path : folders) {
    const posterior::Folder folder = posterior::read_folder(path);
    const posterior::Posterior& posterior = folder.posterior;
    all.push_back({path, loo_of(path, posterior, log_lik), posterior.chains.size() * posterior.draws()});
  }
  for (const Compared& other : all) {
    if (other.loo.pointwise.size() == all.front().loo.pointwise.size()) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("{} has {} observations, but {} has {}.", other.name, other.loo.pointwise.size(),
                            all.front().name, all.front().loo.pointwise.size()),
                "Only fits to the same observations can be compared.");
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Compared& a, const Compared& b) { return a.loo.elpd > b.loo.elpd; });
  return all;
}

std::size_t count_bad(const Compared& fit) {
  const double threshold = stats::khat_threshold(fit.draws);
  return static_cast<std::size_t>(
      std::count_if(fit.loo.khat.begin(), fit.loo.khat.end(), [&](double k) { return !(k <= threshold); }));
}

std::string numbers_json(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ", ") + run::json_number(number);
  return "[" + text + "]";
}

std::string fit_json(const Compared& fit, const stats::Difference& difference) {
  using run::json_number;
  return fmt::format(
      "  {{\"fit\": {}, \"elpd\": {}, \"se\": {}, \"elpd_diff\": {}, \"se_diff\": {}, \"p_loo\": {}, "
      "\"bad_k\": {},\n"
      "   \"pointwise\": {},\n   \"khat\": {}}}",
      json_string(fit.name), json_number(fit.loo.elpd), json_number(fit.loo.elpd_se),
      json_number(difference.elpd), json_number(difference.se), json_number(fit.loo.p_loo), count_bad(fit),
      numbers_json(fit.loo.pointwise), numbers_json(fit.loo.khat));
}

// The best first, as in the table.
std::string comparison_json(const std::vector<Compared>& all) {
  std::string text;
  for (const Compared& fit : all)
    text += (text.empty() ? "" : ",\n") + fit_json(fit, stats::compare(fit.loo, all.front().loo));
  return "[\n" + text + "\n]\n";
}

std::string comparison_text(const std::vector<Compared>& all) {
  std::size_t width = 4;
  for (const Compared& fit : all) width = std::max(width, fit.name.size());
  std::string text = fmt::format("{:<{}} {:>10} {:>8} {:>10} {:>8} {:>8} {:>6}\n", "fit", width, "elpd_loo",
                                 "se", "difference", "se", "p_loo", "bad k");
  bool any_bad = false;
  for (const Compared& fit : all) {
    const stats::Difference difference = stats::compare(fit.loo, all.front().loo);
    any_bad = any_bad || count_bad(fit) > 0;
    text += fmt::format("{:<{}} {:>10.1f} {:>8.1f} {:>10.1f} {:>8.1f} {:>8.1f} {:>6}\n", fit.name, width,
                        fit.loo.elpd, fit.loo.elpd_se, difference.elpd, difference.se, fit.loo.p_loo,
                        count_bad(fit));
  }
  text +=
      "\nHigher elpd_loo predicts left-out observations better; a difference below\n"
      "about 4, or below twice its se, is no difference.\n";
  if (any_bad) {
    text +=
        "bad k: observations whose Pareto k-hat says that leaving them out cannot be\n"
        "estimated from these draws; refit without them to be sure.\n";
  }
  return text;
}

constexpr const char* kLegend =
    "\ndistance: Wasserstein-1 between the marginals, in posterior sds. noise: two\n"
    "samples of one posterior, worth as much as these, are closer than this 19 times\n"
    "in 20; distance +- noise is a 95 % interval. shift: mean of B less mean of A, in\n"
    "sds; sd ratio: sd of B over sd of A; se: their errors. p: of no difference.\n";

std::string different_data(const run::RunRecord& a, const run::RunRecord& b) {
  return a.data_hash == b.data_hash ? "" : "They are fits to different data.\n";
}

// The first fit against each of the others.
int run_distance(const std::vector<std::string>& paths, const OptionValues& options) {
  if (paths.size() < 2)
    throw Error(ErrorKind::usage, "a distance is between two fits; one was given.",
                fmt::format("kullback compare {} OTHER --distance", paths.front()));
  std::vector<posterior::Folder> folders;
  for (const std::string& path : paths) folders.push_back(posterior::read_folder(path));
  const auto draws_of = [&](std::size_t i) {
    return posterior::DrawsOf{paths[i], folders[i].posterior, fit::is_markov(folders[i].record)};
  };
  std::string text, json;
  for (std::size_t i = 1; i < folders.size(); ++i) {
    const posterior::Distance distance = posterior::distance(draws_of(0), draws_of(i));
    json += (i > 1 ? ",\n " : "") + posterior::to_json(distance);
    text += i > 1 ? "\n" : "";
    for (const std::size_t side : {std::size_t{0}, i})
      text += fmt::format("{} {}: {}\n", side == 0 ? "A" : "B", paths[side],
                          fit::head_text(folders[side].record, folders[side].posterior));
    text += different_data(folders[0].record, folders[i].record);
    text += "\n" + posterior::distance_text(distance, options[kAll] ? 0 : kDistanceRows);
  }
  if (options[kJson]) {
    std::printf("[%s]\n", json.c_str());
    return 0;
  }
  std::fputs(for_terminal(text + kLegend).c_str(), stdout);
  return 0;
}

void check_options(const OptionValues& options) {
  if (options[kAll] && !options[kDistance])
    throw Error(ErrorKind::usage, "--all is for the rows of distances, which were not asked for.",
                "Add `--distance`.");
  if (options[kDistance] && options.is_given(kLogLik))
    throw Error(ErrorKind::usage, "--log-lik is for predictions; distances are between parameters.",
                "Leave it out, or leave out `--distance`.");
  if (options[kAll] && options[kJson])
    throw Error(ErrorKind::usage, "--json prints all rows in any case.", "Leave out `--all`.");
}

int run_compare(const CompareArguments& arguments) {
  const OptionValues options = read_options(kOptions, arguments.given, "compare");
  check_options(options);
  if (options[kDistance]) return run_distance(arguments.folders, options);
  const std::vector<Compared> all = read_all(arguments.folders, std::string(options[kLogLik]));
  std::fputs((options[kJson] ? comparison_json(all) : comparison_text(all)).c_str(), stdout);
  return 0;
}

}  // namespace

Run add_compare(const Command& verb) {
  const auto arguments = std::make_shared<CompareArguments>();
  verb.add_option(
          "folders", arguments->folders,
          "Folders of fits to the same observations; with --distance, of fits with the same parameters")
      .required()
      .type_name("DIR DIR...");
  shell::add_options(verb, kOptions, "Options", arguments->given);
  return [arguments] { return run_compare(*arguments); };
}

}  // namespace kullback::cli
