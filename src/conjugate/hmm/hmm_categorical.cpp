// Rows of one or several columns of categories, independent given the state:
//   p(x_c = l | z = k) = phi_kcl,  phi_kc ~ Dirichlet(a).
// Natural parameters: concentrations [state][level], the levels of all columns one after another. A missing
// cell is left out, exactly.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/hmm/hmm.hpp"

namespace kullback::conjugate {

namespace hmm {
namespace {

constexpr auto kEmissionConcentration =
    NumberOption("emission_concentration",
                 "Concentration of the Dirichlet priors of categories (default: 1 / their number)")
        .above(0)
        .hinted("Leave it out to take 1 / the number of categories.");

constexpr const OptionRecord* kOwnOptions[] = {&kEmissionConcentration};
constexpr auto kOptions = joined(kSharedOptions, kOwnOptions);

class CategoricalEmissions final : public Emissions {
 public:
  CategoricalEmissions(const OptionValues& values, const Shape& shape)
      : Emissions(values[option::kStates]), columns_(shape.columns) {
    const std::optional<double> given = values.given(kEmissionConcentration);
    first_ = {0};
    for (std::size_t c = 0; c < columns_; ++c) {
      const std::size_t levels = c < shape.levels.size() ? shape.levels[c].size() : 0;
      if (levels == 0) {
        throw Error(ErrorKind::bad_input, "column '" + column_name(shape, c) +
                                              "' has no categories; this model takes columns of categories.");
      }
      first_.push_back(first_.back() + levels);
      prior_.insert(prior_.end(), levels, given.value_or(1.0 / static_cast<double>(levels)));
    }
    const std::vector<double> one = prior_;
    for (std::size_t k = 1; k < states_; ++k) prior_.insert(prior_.end(), one.begin(), one.end());
    natural_ = prior_;
    logs_[0].assign(statistics_size(), 0.0);
    logs_[1] = logs_[0];
  }

  std::size_t statistics_size() const override { return levels() * stride_; }

  // The frequencies in the sample times exponential noise, as of so many rows as there are for a state.
  void begin(const Batch& sample, Random& random) override {
    std::vector<double> counts(levels());
    const std::vector<std::uint32_t> indices = indices_of(cells_of(sample).data(), sample.rows());
    for (const std::uint32_t index : indices) {
      if (index != kNoRow) counts[index] += 1;
    }
    natural_ = prior_;
    for (std::size_t i = 0; i < natural_.size(); ++i) {
      natural_[i] += counts[i % levels()] / static_cast<double>(states_) * random.exponential();
    }
  }

  void prepare() override {
    std::vector<double> logs(levels());
    for (std::size_t k = 0; k < states_; ++k) {
      for (std::size_t c = 0; c < columns_; ++c) {
        const std::span<const double> row = concentrations(natural_, k, c);
        double total = 0;
        for (const double a : row) total += a;
        dirichlet_expected_logs(row, std::span(logs).subspan(first_[c], row.size()));
        for (std::size_t l = 0; l < row.size(); ++l) {
          logs_[0][(first_[c] + l) * stride_ + k] = logs[first_[c] + l];
          logs_[1][(first_[c] + l) * stride_ + k] = std::log(row[l] / total);
        }
      }
    }
  }

  void log_densities(const double* cells, std::size_t rows, Plug plug, double* out) const override {
    const std::vector<std::uint32_t> indices = indices_of(cells, rows);
    std::fill_n(out, rows * stride_, 0.0);
    add_looked_up(lookup(indices, rows), logs_[plug == Plug::means ? 1 : 0].data(), out);
  }

  void accumulate(const double* cells, std::size_t rows, const double* probabilities,
                  double* statistics) const override {
    const std::vector<std::uint32_t> indices = indices_of(cells, rows);
    add_to_looked_up(lookup(indices, rows), probabilities, statistics);
  }

  double expected_log(std::span<const double> statistics) const override {
    double sum = 0;
    for (std::size_t i = 0; i < logs_[0].size(); ++i) sum += statistics[i] * logs_[0][i];
    return sum;
  }

  void update(std::span<const double> statistics, std::span<double> natural) const override {
    for (std::size_t k = 0; k < states_; ++k) {
      for (std::size_t l = 0; l < levels(); ++l) natural[k * levels() + l] += statistics[l * stride_ + k];
    }
  }

  std::vector<double> mean_parameters() const override {
    std::vector<double> result(natural_.size());
    for (std::size_t k = 0; k < states_; ++k) {
      for (std::size_t c = 0; c < columns_; ++c) {
        const std::span<const double> row = concentrations(natural_, k, c);
        dirichlet_expected_logs(row, std::span(result).subspan(k * levels() + first_[c], row.size()));
      }
    }
    return result;
  }

  double log_partition(std::span<const double> natural) const override {
    double sum = 0;
    for (std::size_t k = 0; k < states_; ++k) {
      for (std::size_t c = 0; c < columns_; ++c) {
        sum += dirichlet_log_partition(concentrations(natural, k, c));
      }
    }
    return sum;
  }

  bool is_inside(std::span<const double> natural) const override {
    return std::all_of(natural.begin(), natural.end(), [](double a) { return a > 0; });
  }

  double difference(std::size_t one, std::size_t other) const override {
    double sum = 0;
    for (std::size_t l = 0; l < levels(); ++l) {
      const double log_p = logs_[1][l * stride_ + one], log_q = logs_[1][l * stride_ + other];
      sum += (std::exp(log_p) - std::exp(log_q)) * (log_p - log_q);
    }
    return sum;
  }

  void add_tables(const Shape& shape, std::vector<ResultTable>& tables) const override {
    ResultTable means{"emissions", {}, {}, {}, "category"};
    for (const std::string& name : state_names(states_)) means.columns.push_back("state_" + name);
    for (const std::string& name : state_names(states_)) means.columns.push_back("sd_" + name);
    for (std::size_t c = 0; c < columns_; ++c) {
      for (std::size_t l = first_[c]; l < first_[c + 1]; ++l) {
        means.row_names.push_back(column_name(shape, c) + "=" + shape.levels[c][l - first_[c]]);
        for (std::size_t k = 0; k < states_; ++k) means.cells.push_back(std::exp(logs_[1][l * stride_ + k]));
        for (std::size_t k = 0; k < states_; ++k) {
          const double p = std::exp(logs_[1][l * stride_ + k]);
          const double total = natural_[k * levels() + l] / p;
          means.cells.push_back(std::sqrt(p * (1 - p) / (total + 1)));
        }
      }
    }
    tables.push_back(std::move(means));
  }

 private:
  std::size_t levels() const { return first_.back(); }
  std::span<const double> concentrations(std::span<const double> natural, std::size_t state,
                                         std::size_t column) const {
    return natural.subspan(state * levels() + first_[column], first_[column + 1] - first_[column]);
  }
  Lookup lookup(const std::vector<std::uint32_t>& indices, std::size_t rows) const {
    return {.indices = indices.data(), .rows = rows, .columns = columns_, .stride = stride_};
  }

  std::vector<std::uint32_t> indices_of(const double* cells, std::size_t rows) const {
    std::vector<std::uint32_t> result(rows * columns_);
    for (std::size_t t = 0; t < rows; ++t) {
      for (std::size_t c = 0; c < columns_; ++c) {
        const double cell = cells[t * columns_ + c];
        const auto levels = static_cast<double>(first_[c + 1] - first_[c]);
        if (cell >= 0 && cell < levels) {
          result[t * columns_ + c] = static_cast<std::uint32_t>(first_[c]) + static_cast<std::uint32_t>(cell);
        } else if (std::isnan(cell)) {
          result[t * columns_ + c] = kNoRow;
        } else {
          throw Error(ErrorKind::bad_input, "a cell of column " + std::to_string(c + 1) + " is category " +
                                                std::to_string(static_cast<long long>(cell)) + "; it has " +
                                                std::to_string(first_[c + 1] - first_[c]) +
                                                " categories, from 0.");
        }
      }
    }
    return result;
  }

  std::size_t columns_;
  std::vector<std::size_t> first_;  // level of each column, and the end
  std::vector<double> logs_[2];     // [level][state], of expected_logs and means
};

std::unique_ptr<Model> make_categorical(const OptionValues& values, const Shape& shape) {
  return std::make_unique<Hmm>(values, shape, std::make_unique<CategoricalEmissions>(values, shape));
}

}  // namespace
}  // namespace hmm

extern const ModelRecord k_hmm_categorical;
const ModelRecord k_hmm_categorical = {
    .verb = "hmm",
    .kind = "categorical",
    .summary = "Hidden Markov model whose rows are categories, in one or several columns",
    .use_when = "sequences of symbols, words, actions or answers have hidden phases",
    .citation = "MacKay (1997); Foti, Xu, Laird, Fox (2014) for parts of long sequences",
    .data = DataKind::sequences,
    .takes_missing = true,
    .takes_categories = true,
    .options = hmm::kOptions,
    .make = &hmm::make_categorical,
};

}  // namespace kullback::conjugate
