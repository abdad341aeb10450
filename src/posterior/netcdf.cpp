// ArviZ's schema of InferenceData: groups of variables with dims (chain, draw, name_dim_0, ...), in row-major
// order; each dim has its coordinates.
#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "posterior/equal_weights.hpp"
#include "posterior/files.hpp"
#include "posterior/netcdf_file.hpp"

namespace kullback::posterior {

namespace {

struct StatName {
  std::string_view stan;
  std::string_view arviz;
  NumberType type;
};

constexpr StatName kStatNames[] = {
    {"accept_stat__", "acceptance_rate", NumberType::real}, {"stepsize__", "step_size", NumberType::real},
    {"treedepth__", "tree_depth", NumberType::whole},       {"n_leapfrog__", "n_steps", NumberType::whole},
    {"divergent__", "diverging", NumberType::truth},        {"energy__", "energy", NumberType::real},
};

// One group; a name that is taken (by a dim, say) gets an underscore.
class Group final {
 public:
  Group(NetcdfFile& file, const std::string& name, const run::RunRecord& record)
      : file_(&file), id_(file.add_group(name)) {
    std::string created = run::utc_now();  // "2026-11-15 17:30:00 UTC"
    created = created.substr(0, 10) + "T" + created.substr(11, 8) + "+00:00";
    file.add_attribute(id_, "created_at", created);
    file.add_attribute(id_, "creation_library", "kullback");
    file.add_attribute(id_, "creation_library_version", record.version);
    file.add_attribute(id_, "inference_library", "kullback");
    file.add_attribute(id_, "inference_library_version", record.version);
    file.add_attribute(id_, "method", record.method);
    file.add_attribute(id_, "program", record.program);
    file.add_attribute(id_, "data", record.data);
    file.add_attribute(id_, "seed", std::to_string(record.seed));
    file.add_attribute(id_, "sampling_time", record.seconds);
  }

  void add_draw_dims(const Posterior& posterior) {
    add_dim("chain", posterior.chains.size());
    add_dim("draw", posterior.draws());
  }

  void add(const std::string& name, NumberType type, std::vector<double> numbers) {
    file_->add_variable(id_, {free_name(name), {"chain", "draw"}, type}, std::move(numbers));
  }

  void add_array(const std::string& name, bool has_draws, const std::vector<std::size_t>& dims,
                 NumberType type, std::vector<double> numbers) {
    NetcdfVariable variable{free_name(name), {}, type};
    if (has_draws) variable.dims = {"chain", "draw"};
    for (std::size_t i = 0; i < dims.size(); ++i) {
      variable.dims.push_back(free_name(name + "_dim_" + std::to_string(i)));
      file_->add_dimension(id_, variable.dims.back(), dims[i]);
    }
    file_->add_variable(id_, variable, std::move(numbers));
  }

  void add_data(const DataVariable& data) {
    NetcdfVariable variable{free_name(data.name), {}, data.is_int ? NumberType::whole : NumberType::real};
    std::size_t count = 1;
    for (std::size_t i = 0; i < data.dims.size(); ++i) {
      variable.dims.push_back(free_name(data.name + "_dim_" + std::to_string(i)));
      file_->add_dimension(id_, variable.dims.back(), data.dims[i]);
      count *= data.dims[i];
    }
    if (count > NetcdfFile::kPiece) return file_->add_variable(id_, variable, {data.dims, data.read});
    std::vector<double> numbers(count);
    if (count > 0) data.read(0, numbers);
    file_->add_variable(id_, variable, std::move(numbers));
  }

 private:
  void add_dim(const std::string& name, std::size_t size) {
    file_->add_dimension(id_, name, size);
    taken_.insert(name);
  }

  std::string free_name(std::string name) {
    while (!taken_.insert(name).second) name += '_';
    return name;
  }

  NetcdfFile* file_;
  int id_;
  std::set<std::string> taken_;
};

// Columns with the first index fastest, as draws with the last index fastest.
std::vector<double> row_major(const Posterior& posterior, const Variable& variable) {
  std::vector<std::size_t> stride(variable.dims.size(), 1);
  for (std::size_t i = variable.dims.size(); i-- > 1;) stride[i - 1] = stride[i] * variable.dims[i];
  const std::size_t count = posterior.draws() * posterior.chains.size();
  std::vector<double> numbers(count * variable.size);
  for (std::size_t element = 0; element < variable.size; ++element) {
    std::size_t rest = element;
    std::size_t place = 0;
    for (std::size_t i = 0; i < variable.dims.size(); ++i) {
      place += rest % variable.dims[i] * stride[i];
      rest /= variable.dims[i];
    }
    const std::vector<double> column = posterior.column(variable.first + element);
    for (std::size_t draw = 0; draw < count; ++draw) numbers[draw * variable.size + place] = column[draw];
  }
  return numbers;
}

enum class Place { posterior, log_likelihood, posterior_predictive };

Place place_of(const Posterior& posterior, const Variable& variable) {
  const std::string& name = variable.name;
  if (variable.first >= posterior.parameters && name.starts_with("log_lik")) return Place::log_likelihood;
  const bool is_predictive = name.starts_with("y_rep") || name.ends_with("_rep") ||
                             name.ends_with("_tilde") || name.ends_with("_pred");
  if (variable.first >= posterior.generated && is_predictive) return Place::posterior_predictive;
  return Place::posterior;
}

void write_draws(NetcdfFile& file, const std::string& name, Place place, const Posterior& posterior,
                 const run::RunRecord& record) {
  std::vector<Variable> variables = find_variables(posterior.names);
  std::erase_if(variables, [&](const Variable& v) { return place_of(posterior, v) != place; });
  if (variables.empty() && place != Place::posterior) return;
  Group group(file, name, record);
  group.add_draw_dims(posterior);
  for (const Variable& variable : variables)
    group.add_array(variable.name, true, variable.dims, NumberType::real, row_major(posterior, variable));
}

void write_stat(Group& group, const std::string& name, const std::vector<double>& numbers) {
  for (const StatName& known : kStatNames)
    if (name == known.stan) return group.add(std::string(known.arviz), known.type, numbers);
  group.add(name.ends_with("__") ? name.substr(0, name.size() - 2) : name, NumberType::real, numbers);
}

void write_stats(NetcdfFile& file, const Posterior& posterior, const run::RunRecord& record) {
  Group group(file, "sample_stats", record);
  group.add_draw_dims(posterior);
  const std::vector<double> log_density = posterior.log_density();
  if (!log_density.empty()) group.add("lp", NumberType::real, log_density);
  for (const std::string& name : posterior.stat_names) write_stat(group, name, posterior.stat(name));
  const std::vector<double> log_q = posterior.log_q();
  if (!log_q.empty()) group.add("lp_approx", NumberType::real, log_q);
}

// Draws with weights as they came, with all that the weights are made of.
void write_approximation(NetcdfFile& file, const Posterior& posterior, const run::RunRecord& record) {
  Group group(file, "approximation", record);
  group.add_draw_dims(posterior);
  for (const Variable& variable : find_variables(posterior.names))
    group.add_array(variable.name, true, variable.dims, NumberType::real, row_major(posterior, variable));
  group.add("log_weight", NumberType::real, posterior.log_weight());
  if (const auto log_p = posterior.log_density(); !log_p.empty()) group.add("log_p", NumberType::real, log_p);
  if (const auto log_q = posterior.log_q(); !log_q.empty()) group.add("log_q", NumberType::real, log_q);
}

void write_data(NetcdfFile& file, const run::RunRecord& record, const std::vector<DataVariable>& data,
                bool is_observed) {
  const auto is_here = [is_observed](const DataVariable& v) { return v.is_observed == is_observed; };
  if (std::none_of(data.begin(), data.end(), is_here)) return;
  Group group(file, is_observed ? "observed_data" : "constant_data", record);
  for (const DataVariable& variable : data) {
    if (!is_here(variable)) continue;
    group.add_data(variable);
  }
}

}  // namespace

std::string netcdf_bytes(const Posterior& posterior, const run::RunRecord& record,
                         const std::vector<DataVariable>& data) {
  if (posterior.draws() == 0)
    throw Error(ErrorKind::cannot_write, "the netCDF file cannot be made: a chain has no draws yet.",
                "Let the fit go on until each chain has drawn.");
  static std::mutex one_at_a_time;  // HDF5 is seldom built for threads
  const std::lock_guard lock(one_at_a_time);
  const bool is_weighted = !posterior.log_weight().empty();
  const Posterior equal = is_weighted ? with_equal_weights(posterior, record.seed) : Posterior();
  const Posterior& shown = is_weighted ? equal : posterior;
  NetcdfFile file;
  write_draws(file, "posterior", Place::posterior, shown, record);
  write_draws(file, "posterior_predictive", Place::posterior_predictive, shown, record);
  write_draws(file, "log_likelihood", Place::log_likelihood, shown, record);
  write_stats(file, shown, record);
  if (is_weighted) write_approximation(file, posterior, record);
  write_data(file, record, data, true);
  write_data(file, record, data, false);
  return file.finish();
}

void write_netcdf(const std::filesystem::path& path, const Posterior& posterior, const run::RunRecord& record,
                  const std::vector<DataVariable>& data) {
  replace_file(path, netcdf_bytes(posterior, record, data));
}

}  // namespace kullback::posterior
