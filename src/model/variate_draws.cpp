#include "model/variate_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/random.hpp"

namespace kullback::model {

using math::Kind;
using math::Type;
using tape::Value;

// A distribution whose random numbers take whole vectors or matrices. `rank`: dimensions of an item; of each
// argument as one draw takes it, where more are a list for the items.
struct VariateDraws::Multivariate {
  std::string_view name;
  std::size_t rank;
  Type result;
  std::array<std::size_t, 3> argument_ranks;
  bool size_first = false;  // _rng wants the number of rows before its arguments
  bool total_last = false;  // _rng wants the total of the counts after its arguments
};

namespace {

constexpr std::size_t kMostArguments = 16;

struct Location {
  std::string_view name;
  std::size_t argument;
};
constexpr std::array<Location, 5> kSymmetric = {
    {{"normal", 0}, {"cauchy", 0}, {"student_t", 1}, {"double_exponential", 0}, {"logistic", 0}}};

// Generalised linear models as the distributions they stand for: their arguments are X, alpha, beta, others.
struct Glm {
  std::string_view name;
  std::string_view family;
};
constexpr std::array<Glm, 4> kGlms = {{{"normal_id_glm", "normal"},
                                       {"bernoulli_logit_glm", "bernoulli_logit"},
                                       {"poisson_log_glm", "poisson_log"},
                                       {"neg_binomial_2_log_glm", "neg_binomial_2_log"}}};

const lang::Function* find_user_random(const lang::Program& program, const Sampling& sampling) {
  const std::string name = std::string(sampling.distribution) + "_rng";
  for (const lang::Function* f : program.functions) {
    if (f->name == name && f->body != nullptr && f->parameters.size() == sampling.arguments.size()) return f;
  }
  return nullptr;
}

std::vector<double> numbers_of(const Value& value, const tape::Builder& builder) {
  if (value.ints) return {value.ints->begin(), value.ints->end()};
  std::vector<double> numbers;
  for (const tape::Id id : *value.ids) numbers.push_back(builder.value(id));
  return numbers;
}

}  // namespace

const VariateDraws::Multivariate* VariateDraws::find(std::string_view distribution) {
  static const std::array<Multivariate, 18> kTable = {{
      {"categorical", 0, {Kind::int_}, {1}},
      {"categorical_logit", 0, {Kind::int_}, {1}},
      {"dirichlet", 1, {Kind::vector}, {1}},
      {"dirichlet_multinomial", 1, {Kind::int_, 1}, {1}, false, true},
      {"inv_wishart", 2, {Kind::matrix}, {0, 2}},
      {"inv_wishart_cholesky", 2, {Kind::matrix}, {0, 2}},
      {"lkj_corr", 2, {Kind::matrix}, {0}, true},
      {"lkj_corr_cholesky", 2, {Kind::matrix}, {0}, true},
      {"multi_normal", 1, {Kind::vector}, {1, 2}},
      {"multi_normal_cholesky", 1, {Kind::vector}, {1, 2}},
      {"multi_student_t", 1, {Kind::vector}, {0, 1, 2}},
      {"multi_student_t_cholesky", 1, {Kind::vector}, {0, 1, 2}},
      {"multinomial", 1, {Kind::int_, 1}, {1}, false, true},
      {"multinomial_logit", 1, {Kind::int_, 1}, {1}, false, true},
      {"ordered_logistic", 0, {Kind::int_}, {0, 1}},
      {"ordered_probit", 0, {Kind::int_}, {0, 1}},
      {"wishart", 2, {Kind::matrix}, {0, 2}},
      {"wishart_cholesky", 2, {Kind::matrix}, {0, 2}},
  }};
  const auto* found = std::find_if(kTable.begin(), kTable.end(),
                                   [&](const Multivariate& row) { return row.name == distribution; });
  return found == kTable.end() ? nullptr : found;
}

VariateDraws::VariateDraws(tape::Tracer& tracer, const Sampling& sampling, std::vector<Value> arguments,
                           const Value& variate, const std::vector<double>& given)
    : tracer_(tracer),
      sampling_(sampling),
      distribution_(sampling.distribution),
      arguments_(std::move(arguments)),
      given_(given) {
  const std::size_t numbers = variate.size();
  if (sampling.user != nullptr) {
    user_ = find_user_random(tracer.program(), sampling);
    item_size_ = numbers;
  } else {
    replace_by_equal();
    univariate_ = tape::univariate_random(std::string(distribution_) + "_rng");
    multivariate_ = univariate_ == nullptr ? find(distribution_) : nullptr;
    if (univariate_ != nullptr) items_ = numbers;
  }
  if (univariate_ == nullptr && multivariate_ == nullptr && user_ == nullptr) {
    refuse_simulation(
        tracer.sources(), sampling.stmt->span, fmt::format("there is no '{}_rng'.", sampling.distribution),
        sampling.user == nullptr ? "" : "Define it beside the density, with the same arguments.");
  }
  if (multivariate_ != nullptr) {
    const std::size_t rank = multivariate_->rank;
    for (std::size_t d = 0; d < variate.dims.size(); ++d)
      (d + rank < variate.dims.size() ? items_ : item_size_) *= variate.dims[d];
  }
  check_sizes();
}

// Distributions without random numbers of their own, as the ones they stand for.
void VariateDraws::replace_by_equal() {
  const auto* glm =
      std::find_if(kGlms.begin(), kGlms.end(), [&](const Glm& row) { return row.name == distribution_; });
  if (glm != kGlms.end()) replace_glm(glm->family);
  if (distribution_ != "binomial_logit") return;
  for (tape::Id& id : tape::change_ids(arguments_[1]))
    id = tracer_.builder().constant(1 / (1 + std::exp(-tracer_.builder().value(id))));
  distribution_ = "binomial";
}

// eta = alpha + X beta takes the place of X, alpha and beta.
void VariateDraws::replace_glm(std::string_view family) {
  tape::Builder& builder = tracer_.builder();
  const std::vector<double> x = numbers_of(arguments_[0], builder);
  const std::vector<double> alpha = numbers_of(arguments_[1], builder);
  const std::vector<double> beta = numbers_of(arguments_[2], builder);
  const std::size_t rows = beta.empty() ? x.size() : x.size() / beta.size();
  tape::Ids eta;
  for (std::size_t n = 0; n < rows; ++n) {
    double sum = alpha[alpha.size() == 1 ? 0 : n];
    for (std::size_t k = 0; k < beta.size(); ++k) sum += x[k * rows + n] * beta[k];
    eta.push_back(builder.constant(sum));
  }
  arguments_.erase(arguments_.begin(), arguments_.begin() + 3);
  arguments_.insert(arguments_.begin(), tape::real_container({Kind::vector}, {rows}, std::move(eta)));
  distribution_ = family;
}

void VariateDraws::check_sizes() const {
  if (user_ != nullptr) return;
  for (std::size_t a = 0; a < arguments_.size(); ++a) {
    const std::size_t rank = multivariate_ == nullptr ? 0 : multivariate_->argument_ranks[a];
    std::size_t count = 1;
    const tape::Dims& dims = arguments_[a].dims;
    for (std::size_t d = 0; d + rank < dims.size(); ++d) count *= dims[d];
    if (dims.size() <= rank || count == items_) continue;
    refuse_simulation(tracer_.sources(), sampling_.stmt->span,
                      fmt::format("'{}' has {} for a variate of {} draws.",
                                  tracer_.sources().text(sampling_.variate->span), count, items_),
                      "Each element of a variate needs one distribution of its own.");
  }
}

double VariateDraws::number(std::size_t argument, std::size_t item) const {
  const Value& value = arguments_[argument];
  const std::size_t at = value.dims.empty() ? 0 : item;
  return value.ints ? (*value.ints)[at] : tracer_.builder().value((*value.ids)[at]);
}

// The argument as one draw takes it, with `rank` dimensions.
Value VariateDraws::argument_of(std::size_t argument, std::size_t rank, std::size_t item) const {
  const Value& value = arguments_[argument];
  if (value.dims.size() <= rank) return value;
  const tape::Dims dims(value.dims.end() - static_cast<std::ptrdiff_t>(rank), value.dims.end());
  const std::size_t size = tape::product(dims);
  const auto first = static_cast<std::ptrdiff_t>(item * size);
  const auto last = first + static_cast<std::ptrdiff_t>(size);
  Type type{value.type.kind};
  if (rank == 0) type.kind = value.ints ? Kind::int_ : Kind::real;
  if (rank == 1 && value.type.kind != Kind::row_vector) type.kind = Kind::vector;
  if (value.ints)
    return tape::int_container(type, dims, {value.ints->begin() + first, value.ints->begin() + last});
  return tape::real_container(type, dims, {value.ids->begin() + first, value.ids->begin() + last});
}

std::vector<double> VariateDraws::draw_by_user() {
  const std::vector<double> numbers =
      numbers_of(tracer_.call_user(*user_, arguments_, {}), tracer_.builder());
  if (numbers.size() != item_size_) {
    tracer_.refuse(fmt::format("'{}_rng' gives {} numbers for the {} of '{}'.", distribution_, numbers.size(),
                               item_size_, tracer_.sources().text(sampling_.variate->span)));
  }
  return numbers;
}

std::vector<double> VariateDraws::draw(std::size_t item) {
  if (user_ != nullptr) return draw_by_user();
  if (univariate_ != nullptr) {
    std::array<double, kMostArguments> x{};
    for (std::size_t a = 0; a < arguments_.size(); ++a) x[a] = number(a, item);
    return {tracer_.draw_one(*univariate_, {x.data(), arguments_.size()})};
  }
  std::vector<Value> parameters;
  if (multivariate_->size_first)
    parameters.push_back(tape::int_value(static_cast<int>(std::lround(std::sqrt(item_size_)))));
  for (std::size_t a = 0; a < arguments_.size(); ++a)
    parameters.push_back(argument_of(a, multivariate_->argument_ranks[a], item));
  if (multivariate_->total_last) {
    double total = 0;
    for (std::size_t i = 0; i < item_size_; ++i) total += given_[item * item_size_ + i];
    parameters.push_back(tape::int_value(static_cast<int>(total)));
  }
  const lang::Expr at{sampling_.stmt->span, &multivariate_->result, false, lang::Target{}};
  Value result;
  if (!tracer_.call_random(at, std::string(distribution_) + "_rng", parameters, result))
    throw Error(ErrorKind::internal, fmt::format("simulate: no '{}_rng'", distribution_));
  return numbers_of(result, tracer_.builder());
}

// With F the distribution function, x solves F(x) = F(L) + u (F(U) - F(L)), or the same of 1 - F where L is
// above the median, in logarithms: both keep their digits in the tails. A discrete L counts, so that L - 1
// stands for it, and x is the first integer at which F is large enough.
std::optional<double> VariateDraws::draw_between(double lower, double upper, std::size_t item) {
  if (univariate_ == nullptr || univariate_->log_cdf.value == nullptr ||
      univariate_->log_ccdf.value == nullptr)
    return {};
  std::array<double, kMostArguments> x{};
  for (std::size_t a = 0; a < arguments_.size(); ++a) x[a + 1] = number(a, item);
  const auto log_tail = [&](double at, bool upper_tail) {
    if (std::isinf(at)) return (at > 0) == upper_tail ? -std::numeric_limits<double>::infinity() : 0.0;
    x[0] = at;
    return (upper_tail ? univariate_->log_ccdf : univariate_->log_cdf).value(x.data(), {}, nullptr);
  };
  double low = univariate_->discrete ? lower - 1 : lower;
  double high = upper;
  const bool upper_tail = log_tail(low, false) > std::log(0.5);
  const double small = log_tail(upper_tail ? high : low, upper_tail);
  const double large = log_tail(upper_tail ? low : high, upper_tail);
  if (!(small < large)) return {};
  const double u = tracer_.random()->uniform();
  const double ratio = std::exp(small - large);
  const double goal = large + std::log(ratio + u * (1 - ratio));
  const auto is_below = [&](double at) { return (log_tail(at, upper_tail) < goal) != upper_tail; };
  for (double step = 1; std::isinf(low); step *= 2) {
    const double at = (std::isinf(high) ? 0 : high) - step;
    if (is_below(at) || step > 1e300) low = at;
  }
  for (double step = 1; std::isinf(high); step *= 2) {
    if (!is_below(low + step) || step > 1e300) high = low + step;
  }
  for (int i = 0; i < 2000; ++i) {
    const double middle = univariate_->discrete ? std::floor(low + (high - low) / 2) : low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (is_below(middle) ? low : high) = middle;
  }
  return high;
}

bool VariateDraws::is_exchangeable() const {
  return univariate_ != nullptr && std::all_of(arguments_.begin(), arguments_.end(),
                                               [](const Value& value) { return value.dims.empty(); });
}

bool VariateDraws::is_symmetric_about(double x, std::size_t item) const {
  for (const Location& family : kSymmetric) {
    if (univariate_ != nullptr && family.name == distribution_) return number(family.argument, item) == x;
  }
  return false;
}

bool draws_satisfy(lang::Constraint constraint, std::string_view distribution) {
  switch (constraint) {
    case lang::Constraint::simplex: return distribution == "dirichlet";
    case lang::Constraint::corr_matrix: return distribution == "lkj_corr";
    case lang::Constraint::cholesky_factor_corr: return distribution == "lkj_corr_cholesky";
    case lang::Constraint::cov_matrix: return distribution == "wishart" || distribution == "inv_wishart";
    case lang::Constraint::cholesky_factor_cov:
      return distribution == "wishart_cholesky" || distribution == "inv_wishart_cholesky";
    default: return false;
  }
}

}  // namespace kullback::model
