#include "posterior/csv_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "posterior/files.hpp"

namespace kullback::posterior {

namespace {

constexpr std::string_view kFamily = "family";  // the fact that variational methods alone have

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// One tree of CmdStan's arguments, as its files show it: "#   name = value (Default)".
class Arguments final {
 public:
  explicit Arguments(const run::RunRecord& record) : record_(&record) {}

  void group(int depth, std::string_view name) { indent(depth, name); }

  void fixed(int depth, std::string_view name, std::string_view value) {
    indent(depth, fmt::format("{} = {}", name, value));
  }

  // "(Default)" where the value is CmdStan's default.
  void value(int depth, std::string_view name, std::string_view value, std::string_view cmdstan_default) {
    indent(depth, fmt::format("{} = {}{}", name, value, value == cmdstan_default ? " (Default)" : ""));
  }

  // The value of an option of ours, or CmdStan's default where the method has no such option.
  void option(int depth, std::string_view name, std::string_view ours, std::string_view cmdstan_default) {
    const std::string found = one_line(option_value(*record_, ours));
    value(depth, name, found.empty() ? cmdstan_default : std::string_view(found), cmdstan_default);
  }

  // 0 or 1, as all readers of CmdStan's files take it; "true" and "false" only the newer ones do.
  void flag(int depth, std::string_view name, bool value, bool cmdstan_default) {
    this->value(depth, name, value ? "1" : "0", cmdstan_default ? "1" : "0");
  }

  // As option(), of a number that may be chosen automatically.
  void positive(int depth, std::string_view name, std::string_view ours, std::string_view cmdstan_default) {
    value(depth, name, positive_value(*record_, ours, cmdstan_default), cmdstan_default);
  }

  std::string take() { return std::move(text_); }

 private:
  void indent(int depth, std::string_view line) { text_ += fmt::format("# {:{}}{}\n", "", 2 * depth, line); }

  const run::RunRecord* record_;
  std::string text_;
};

std::string metric_name(const Chain& chain) { return chain.adaptation ? chain.adaptation->metric : "unit_e"; }

void add_adapt(Arguments& arguments, const run::RunRecord& record) {
  arguments.group(2, "adapt");
  arguments.flag(3, "engaged", option_value(record, "warmup") != "0", true);
  arguments.value(3, "gamma", "0.05", "0.05");
  arguments.option(3, "delta", "target-accept", "0.8");
  arguments.value(3, "kappa", "0.75", "0.75");
  arguments.value(3, "t0", "10", "10");
  arguments.value(3, "init_buffer", "75", "75");
  arguments.value(3, "term_buffer", "50", "50");
  arguments.value(3, "window", "25", "25");
  arguments.flag(3, "save_metric", false, false);
}

void add_engine(Arguments& arguments, const run::RunRecord& record) {
  if (record.method == "nuts") {
    arguments.value(4, "engine", "nuts", "nuts");
    arguments.group(5, "nuts");
    arguments.option(6, "max_depth", "max-depth", "10");
  } else {
    arguments.value(4, "engine", "static", "nuts");
    arguments.group(5, "static");
    arguments.option(6, "int_time", "int-time", "6.283185307179586");
  }
}

void add_hmc(Arguments& arguments, const run::RunRecord& record, const Chain& chain) {
  arguments.value(2, "algorithm", "hmc", "hmc");
  arguments.group(3, "hmc");
  add_engine(arguments, record);
  arguments.value(4, "metric", metric_name(chain), "diag_e");
  arguments.value(4, "metric_file", "", "");
  arguments.option(4, "stepsize", "step-size", "1");
  arguments.option(4, "stepsize_jitter", "step-size-jitter", "0");
}

// MALA is HMC of one step. CmdStan has no other samplers: they go by our names.
void add_algorithm(Arguments& arguments, const run::RunRecord& record, const Chain& chain) {
  if (record.method == "nuts" || record.method == "hmc" || record.method == "mala")
    return add_hmc(arguments, record, chain);
  const std::string name = chain.adaptation ? record.method : "fixed_param";
  arguments.value(2, "algorithm", name, "hmc");
  arguments.group(3, name);
  // CmdStanR asks for it, and CmdStanPy before 1.3 of fixed_param, too.
  arguments.value(4, "metric", metric_name(chain), "diag_e");
}

std::size_t count_option(const run::RunRecord& record, std::string_view name) {
  const std::string text = option_value(record, name);
  std::size_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

// num_samples is what readers check the number of rows against: ceil(num_samples / thin).
void add_sample(Arguments& arguments, const run::RunRecord& record, const Chain& chain) {
  const std::size_t thin = std::max<std::size_t>(1, count_option(record, "thin"));
  const std::size_t asked = count_option(record, "draws");
  const std::size_t samples = (asked + thin - 1) / thin == chain.draws ? asked : chain.draws * thin;
  arguments.value(0, "method", "sample", "sample");
  arguments.group(1, "sample");
  arguments.value(2, "num_samples", fmt::format("{}", samples), "1000");
  arguments.option(2, "num_warmup", "warmup", "1000");  // CmdStanPy refuses 0
  arguments.flag(2, "save_warmup", false, false);
  arguments.value(2, "thin", fmt::format("{}", thin), "1");
  if (chain.adaptation) add_adapt(arguments, record);
  add_algorithm(arguments, record, chain);
  arguments.value(2, "num_chains", "1", "1");
}

void add_lbfgs(Arguments& arguments, int depth) {
  arguments.value(depth, "init_alpha", "0.001", "0.001");
  arguments.option(depth, "tol_obj", "tol-obj", "1e-12");
  arguments.option(depth, "tol_rel_obj", "tol-rel-obj", "10000");
  arguments.option(depth, "tol_grad", "tol-grad", "1e-08");
  arguments.option(depth, "tol_rel_grad", "tol-rel-grad", "10000000");
  arguments.option(depth, "tol_param", "tol-param", "1e-08");
  arguments.option(depth, "history_size", "history", "5");
}

void add_pathfinder(Arguments& arguments, const run::RunRecord& record, const Chain& chain) {
  arguments.fixed(0, "method", "pathfinder");
  arguments.group(1, "pathfinder");
  add_lbfgs(arguments, 2);
  arguments.value(2, "num_psis_draws", fmt::format("{}", chain.draws), "1000");
  arguments.option(2, "num_paths", "paths", "4");
  arguments.flag(2, "save_single_paths", false, false);
  arguments.flag(2, "psis_resample", record.options.flag("resample", true), true);
  arguments.flag(2, "calculate_lp", true, true);
  arguments.option(2, "max_lbfgs_iters", "max-iterations", "1000");
  arguments.value(2, "num_draws", fmt::format("{}", chain.draws), "1000");
  arguments.option(2, "num_elbo_draws", "elbo-draws", "25");
}

void add_laplace(Arguments& arguments, const Chain& chain, std::string_view mode_file) {
  arguments.fixed(0, "method", "laplace");
  arguments.group(1, "laplace");
  arguments.fixed(2, "mode", mode_file);
  arguments.flag(2, "jacobian", true, true);
  arguments.value(2, "draws", fmt::format("{}", chain.draws), "1000");
  arguments.flag(2, "calculate_lp", true, true);
}

void add_optimize(Arguments& arguments, const run::RunRecord& record) {
  arguments.fixed(0, "method", "optimize");
  arguments.group(1, "optimize");
  arguments.value(2, "algorithm", "lbfgs", "lbfgs");
  arguments.group(3, "lbfgs");
  add_lbfgs(arguments, 4);
  arguments.flag(2, "jacobian", record.options.flag("jacobian", true), false);
  arguments.option(2, "iter", "max-iterations", "2000");
  arguments.flag(2, "save_iterations", false, false);
}

// Readers know two families. Of a richer one the name at the end of the comments tells.
void add_variational(Arguments& arguments, const run::RunRecord& record, const Chain& chain) {
  const std::string family = *run::find_fact(record, kFamily) == "meanfield" ? "meanfield" : "fullrank";
  arguments.fixed(0, "method", "variational");
  arguments.group(1, "variational");
  arguments.value(2, "algorithm", family, "meanfield");
  arguments.group(3, family);
  arguments.option(2, "iter", "max-steps", "10000");
  arguments.positive(2, "grad_samples", "grad-draws", "1");
  arguments.value(2, "elbo_samples", "100", "100");
  arguments.positive(2, "eta", "learning-rate", "1");
  arguments.group(2, "adapt");
  arguments.flag(3, "engaged", true, true);
  arguments.value(3, "iter", "50", "50");
  arguments.value(2, "tol_rel_obj", "0.01", "0.01");
  arguments.value(2, "eval_elbo", "100", "100");
  arguments.value(2, "output_samples", fmt::format("{}", chain.draws), "1000");
}

// What CmdStan has no word for.
void add_own(Arguments& arguments, const run::RunRecord& record, const Chain& chain) {
  arguments.fixed(0, "kullback_version", record.version);
  arguments.fixed(0, "kullback_method", record.method);
  if (const std::string* family = run::find_fact(record, kFamily))
    arguments.fixed(0, "kullback_family", *family);
  if (!chain.log_weight.empty()) arguments.fixed(0, "kullback_draws", "weighted");
  if (chain.is_resampled) arguments.fixed(0, "kullback_draws", "resampled");
}

std::string model_name(const run::RunRecord& record) {
  std::string name = std::filesystem::path(record.program).stem().string();
  for (char& c : name)
    if (c == '=' || c == '\n' || c == ' ') c = '_';
  return (name.empty() ? "unnamed" : name) + "_model";
}

}  // namespace

CsvShape csv_shape(const run::RunRecord& record, const Chain& chain) {
  if (record.kind != run::Kind::posterior || chain.is_resampled || !chain.log_weight.empty())
    return CsvShape::sample;
  if (record.method == "pathfinder") return CsvShape::pathfinder;
  if (record.method == "laplace" && chain.mode) return CsvShape::laplace;
  if (record.method == "optimize") return CsvShape::optimize;
  if (run::find_fact(record, kFamily) != nullptr) return CsvShape::variational;
  return CsvShape::sample;
}

std::string option_value(const run::RunRecord& record, std::string_view name) {
  if (record.options.contains(name)) return record.options.text(name);
  std::string key(name);
  std::replace(key.begin(), key.end(), '-', '_');
  return record.options.text(key);
}

std::string positive_value(const run::RunRecord& record, std::string_view name, std::string_view fallback) {
  const std::string found = option_value(record, name);
  return found.empty() || found == "0" || found == "auto" ? std::string(fallback) : found;
}

std::string csv_config(const Chain& chain, const run::RunRecord& record, const CsvPlace& place) {
  Arguments arguments(record);
  arguments.fixed(0, "stan_version_major", "2");
  arguments.fixed(0, "stan_version_minor", "39");
  arguments.fixed(0, "stan_version_patch", "0");
  arguments.fixed(0, "model", model_name(record));
  if (!record.started.empty()) arguments.fixed(0, "start_datetime", record.started);
  switch (csv_shape(record, chain)) {
    case CsvShape::sample: add_sample(arguments, record, chain); break;
    case CsvShape::pathfinder: add_pathfinder(arguments, record, chain); break;
    case CsvShape::laplace: add_laplace(arguments, chain, (place.folder / kModeFile).string()); break;
    case CsvShape::optimize: add_optimize(arguments, record); break;
    case CsvShape::variational: add_variational(arguments, record, chain); break;
  }
  arguments.value(0, "id", fmt::format("{}", place.id), "1");
  arguments.group(0, "data");
  arguments.value(1, "file", one_line(record.data), "");
  arguments.option(0, "init", "init", "2");
  arguments.group(0, "random");
  arguments.fixed(1, "seed", fmt::format("{}", record.seed));
  arguments.group(0, "output");
  arguments.fixed(1, "file", place.file);
  arguments.value(1, "diagnostic_file", "", "");
  arguments.value(1, "refresh", "100", "100");
  arguments.value(1, "sig_figs", "-1", "-1");
  arguments.value(1, "profile_file", "profile.csv", "profile.csv");
  arguments.flag(1, "save_cmdstan_config", false, false);
  arguments.value(0, "num_threads", "1", "1");
  add_own(arguments, record, chain);
  return arguments.take();
}

}  // namespace kullback::posterior
