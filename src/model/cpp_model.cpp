// The function runs once to count the parameters (as constants), once more to be recorded at the same point;
// after that the tape is replayed. Where a comparison comes out differently for a draw, it is evaluated on
// the tape of its own way through the function, which runs again where no draw went it before.
#include "model/cpp_model.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "model/branches.hpp"
#include "model/recording.hpp"
#include "tape/record/not_finite.hpp"
#include "tape/run/workspace.hpp"

namespace kullback::model {

using density::Batch;
using density::Status;
using lang::Op;
using math::Kind;
using math::Type;

namespace {

constexpr std::uint64_t kTrials = 20;

[[noreturn]] void refuse_index(std::size_t i, std::size_t size) {
  throw Error(ErrorKind::bad_input, fmt::format("C++ model: index {} is outside 0 to {}.", i, size - 1),
              "Indexes of quantities count from 0.");
}

Quantity one_based(std::size_t i, const Quantity& base, std::size_t dimension) {
  const tape::Dims& dims = base.value().dims;
  if (dimension >= dims.size())
    throw Error(ErrorKind::bad_input, "C++ model: a number, or a vector with two indexes, has no elements.");
  if (i >= dims[dimension]) refuse_index(i, dims[dimension]);
  return Quantity(static_cast<int>(i) + 1);
}

}  // namespace

// ---- quantities ----

Quantity Quantity::of_int(int number) { return Recording::active().wrap(tape::int_value(number)); }

Quantity Quantity::of_double(double number) {
  Recording& recording = Recording::active();
  return recording.wrap(tape::real_value(recording.builder().constant(number)));
}

Quantity::Quantity(const std::vector<double>& numbers) {
  Recording& recording = Recording::active();
  tape::Ids ids;
  for (const double number : numbers) ids.push_back(recording.builder().constant(number));
  *this = recording.wrap(tape::real_container(Type{Kind::vector}, {numbers.size()}, std::move(ids)));
}

Quantity::Quantity(const std::vector<int>& numbers) {
  *this = Recording::active().wrap(tape::int_array(numbers));
}

std::size_t Quantity::size() const { return value_.size(); }

Quantity Quantity::operator[](std::size_t i) const {
  return Recording::active().index({*this, one_based(i, *this, 0)});
}

Quantity Quantity::operator[](const std::vector<int>& at) const {
  std::vector<int> places;
  for (const int i : at) {
    const std::size_t size = value_.dims.empty() ? 0 : value_.dims.front();
    if (i < 0 || static_cast<std::size_t>(i) >= size) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("C++ model: index {} of a list of indexes is outside 0 to {}.", i, size - 1),
                  "Indexes of quantities count from 0.");
    }
    places.push_back(i + 1);
  }
  return Recording::active().index({*this, Quantity(places)});
}

Quantity Quantity::operator()(std::size_t row, std::size_t column) const {
  return Recording::active().index({*this, one_based(row, *this, 0), one_based(column, *this, 1)});
}

Quantity& Quantity::operator+=(const Quantity& other) { return *this = *this + other; }

Matrix matrix(std::size_t rows, std::size_t columns, const std::vector<double>& by_columns) {
  if (by_columns.size() != rows * columns) {
    throw Error(ErrorKind::bad_input,
                fmt::format("C++ model: a matrix of {} by {} numbers is given {} numbers.", rows, columns,
                            by_columns.size()));
  }
  Recording& recording = Recording::active();
  tape::Ids ids;
  for (const double number : by_columns) ids.push_back(recording.builder().constant(number));
  return recording.wrap(tape::real_container(Type{Kind::matrix}, {rows, columns}, std::move(ids)));
}

Matrix matrix(const std::vector<std::vector<double>>& rows) {
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  std::vector<double> by_columns(rows.size() * columns);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].size() != columns) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("C++ model: row {} of a matrix has {} numbers, row 0 has {}.", r,
                              rows[r].size(), columns));
    }
    for (std::size_t c = 0; c < columns; ++c) by_columns[c * rows.size() + r] = rows[r][c];
  }
  return matrix(rows.size(), columns, by_columns);
}

Matrix transpose(const Quantity& x) { return Recording::active().apply(Op::transpose, {x}); }
Quantity operator+(const Quantity& a, const Quantity& b) {
  return Recording::active().apply(Op::plus, {a, b});
}
Quantity operator-(const Quantity& a, const Quantity& b) {
  return Recording::active().apply(Op::minus, {a, b});
}
Quantity operator*(const Quantity& a, const Quantity& b) {
  return Recording::active().apply(Op::times, {a, b});
}
Quantity operator/(const Quantity& a, const Quantity& b) {
  return Recording::active().apply(Op::divide, {a, b});
}
Quantity operator-(const Quantity& a) { return Recording::active().apply(Op::minus, {a}); }

namespace {

bool compare(Op op, const Quantity& a, const Quantity& b) {
  return Recording::active().apply(op, {a, b}).value().ints->front() != 0;
}

}  // namespace

bool operator<(const Quantity& a, const Quantity& b) { return compare(Op::less, a, b); }
bool operator<=(const Quantity& a, const Quantity& b) { return compare(Op::less_equal, a, b); }
bool operator>(const Quantity& a, const Quantity& b) { return compare(Op::greater, a, b); }
bool operator>=(const Quantity& a, const Quantity& b) { return compare(Op::greater_equal, a, b); }

Quantity call(std::string_view name, std::initializer_list<Argument> arguments, Here here) {
  return Recording::active().call(name, {arguments.begin(), arguments.size()}, here);
}

void reject(const std::string& message) { throw tape::Rejection{message, {}}; }

// ---- parameters ----

Constraint at_least(const Quantity& bound) { return {.lower = bound}; }
Constraint at_most(const Quantity& bound) { return {.upper = bound}; }
Constraint between(const Quantity& lower, const Quantity& upper) { return {.lower = lower, .upper = upper}; }
Constraint affine(const Quantity& offset, const Quantity& multiplier) {
  return {.offset = offset, .multiplier = multiplier};
}

Real Joint::real(std::string_view name, const Constraint& constraint) {
  return recording_.declare(name, {.bounds = constraint});
}

Real Joint::positive(std::string_view name) { return real(name, at_least(0)); }

Vector Joint::vector(std::string_view name, std::size_t size, const Constraint& constraint) {
  return recording_.declare(name, {.kind = Kind::vector, .sizes = {size}, .bounds = constraint});
}

Matrix Joint::matrix(std::string_view name, std::size_t rows, std::size_t columns,
                     const Constraint& constraint) {
  return recording_.declare(name, {.kind = Kind::matrix, .sizes = {rows, columns}, .bounds = constraint});
}

#define KULLBACK_VECTOR(type, meaning)                                                           \
  Vector Joint::type(std::string_view name, std::size_t size) {                                  \
    return recording_.declare(                                                                   \
        name, {.kind = Kind::vector, .sizes = {size}, .constraint = lang::Constraint::meaning}); \
  }
#define KULLBACK_MATRIX(type)                                                                       \
  Matrix Joint::type(std::string_view name, std::size_t size) {                                     \
    return recording_.declare(                                                                      \
        name, {.kind = Kind::matrix, .sizes = {size, size}, .constraint = lang::Constraint::type}); \
  }
KULLBACK_VECTOR(simplex, simplex)
KULLBACK_VECTOR(ordered, ordered)
KULLBACK_VECTOR(positive_ordered, positive_ordered)
KULLBACK_VECTOR(unit_vector, unit_vector)
KULLBACK_VECTOR(sum_to_zero, sum_to_zero)
KULLBACK_MATRIX(corr_matrix)
KULLBACK_MATRIX(cov_matrix)
KULLBACK_MATRIX(cholesky_factor_corr)
KULLBACK_MATRIX(cholesky_factor_cov)
#undef KULLBACK_VECTOR
#undef KULLBACK_MATRIX

Joint& Joint::operator+=(const Quantity& log_density) {
  recording_.add_to_target(log_density);
  return *this;
}

// ---- the model ----

struct CppModel::Lanes {
  std::size_t count = 0;
  tape::Workspace workspace;
};

struct CppModel::Known {
  Branches<Lanes> branches;
  std::shared_ptr<Lanes> last;
};

CppModel::~CppModel() = default;

CppModel::CppModel(Function function, CppModelOptions options)
    : function_(std::make_shared<const Function>(std::move(function))),
      options_(options),
      known_(std::make_unique<Known>()) {
  std::string why;
  for (std::uint64_t trial = 0; trial < kTrials && !tape_; ++trial) {
    try {
      Recording count(trial);
      count.run(*function_);
      Recording recording(count.theta(), options_.jacobian);
      record(recording);
      layout_ = std::make_shared<const Layout>(recording.layout());
      tape_ = tape::compile(recording.builder());
    } catch (const tape::Rejection& rejection) {
      why = rejection.message;
    }
  }
  if (!tape_) {
    throw Error(ErrorKind::bad_input,
                fmt::format("C++ model: the origin and {} random points are rejected; the last one: {}",
                            kTrials - 1, why));
  }
}

CppModel::CppModel(const CppModel& other)
    : LogDensity(other),
      function_(other.function_),
      options_(other.options_),
      layout_(other.layout_),
      tape_(other.tape_),
      known_(std::make_unique<Known>()) {}

std::unique_ptr<density::LogDensity> CppModel::clone() const {
  return std::unique_ptr<CppModel>(new CppModel(*this));
}

// Throws Rejection.
void CppModel::record(Recording& recording) const {
  recording.run(*function_);
  if (recording.layout().supports.size() == recording.theta().size()) return;
  throw Error(ErrorKind::bad_input,
              "C++ model: the function declares fewer parameters than when it ran first.",
              "Declare the same parameters in every run, also where branches depend on parameters.");
}

// A workspace of one lane on the tape of the way that the function takes at this point. Throws Rejection.
CppModel::Lanes& CppModel::branch_at(const std::vector<double>& theta) {
  known_->last = known_->branches.find(theta.data());
  if (known_->last) return *known_->last;
  Recording recording(theta, options_.jacobian);
  record(recording);
  known_->last =
      known_->branches.find_or_add(recording.builder(), available_memory() / kBranchShare, [&recording] {
        const std::shared_ptr<const tape::Tape> tape = tape::compile(recording.builder());
        return std::pair(std::shared_ptr<Lanes>(new Lanes{1, tape::Workspace(tape, 1)}), bytes_of(*tape, 1));
      });
  return *known_->last;
}

CppModel::Lanes& CppModel::workspace(std::size_t lanes) {
  for (const auto& known : workspaces_) {
    if (known->count == lanes) return *known;
  }
  workspaces_.push_back(std::unique_ptr<Lanes>(new Lanes{lanes, tape::Workspace(tape_, lanes)}));
  return *workspaces_.back();
}

void CppModel::finish(const Batch& batch, std::size_t lane) {
  const double value = batch.log_density[lane];
  batch.status[lane] = std::isfinite(value) ? Status::ok : Status::not_finite;
  if (std::isfinite(value)) return;
  message_ = fmt::format("the log density is {}", value);
  not_finite_ = point_of(batch, lane);
}

std::string CppModel::message() const {
  if (not_finite_.empty()) return message_;
  Recording recording(not_finite_, options_.jacobian);
  try {
    recording.run(*function_);
  } catch (const tape::Rejection& rejection) {  // an argument outside its domain, which replays as NaN
    return message_ + ": " + rejection.message;
  }
  return message_ + ": " + tape::find_not_finite(recording.builder()).what;
}

std::vector<double> CppModel::point_of(const Batch& batch, std::size_t lane) const {
  std::vector<double> theta(dim());
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = batch.theta[i * batch.lanes + lane];
  return theta;
}

void CppModel::refuse(std::string why) {
  message_ = std::move(why);
  not_finite_.clear();
}

void CppModel::evaluate_alone(const Batch& batch, std::size_t lane) {
  const std::vector<double> theta = point_of(batch, lane);
  std::vector<double> gradient(dim(), std::numeric_limits<double>::quiet_NaN());
  batch.log_density[lane] = -std::numeric_limits<double>::infinity();
  batch.status[lane] = Status::rejected;
  try {
    tape::Workspace& own = branch_at(theta).workspace;
    if (own.forward(theta.data())) {
      own.log_density(&batch.log_density[lane]);
      own.backward(gradient.data());
      finish(batch, lane);
    } else {
      refuse(own.message());
    }
  } catch (const tape::Rejection& rejection) {
    refuse(rejection.message);
  }
  if (batch.gradient == nullptr) return;
  for (std::size_t i = 0; i < theta.size(); ++i) batch.gradient[i * batch.lanes + lane] = gradient[i];
}

void CppModel::evaluate(const Batch& batch) {
  refuse({});
  tape::Workspace& all = workspace(batch.lanes).workspace;
  if (!all.forward(batch.theta)) {  // some draw was refused: each on its own
    for (std::size_t lane = 0; lane < batch.lanes; ++lane) evaluate_alone(batch, lane);
    return;
  }
  all.log_density(batch.log_density);
  if (batch.gradient != nullptr) all.backward(batch.gradient);
  for (std::size_t lane = 0; lane < batch.lanes; ++lane) {
    if (all.guards_hold(lane)) {
      finish(batch, lane);
    } else {
      evaluate_alone(batch, lane);
    }
  }
}

}  // namespace kullback::model
