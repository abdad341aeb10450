#include "conjugate/families/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace kullback::conjugate {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void demand_same(const Distribution& a, const Distribution& b, const char* what) {
  if (a.family().name() == b.family().name() && a.points() == b.points()) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {} at {} points and {} at {} points", what, a.family().name(), a.points(),
                          b.family().name(), b.points()),
              "both must be of one family, at the same number of points");
}

void demand_whole(const Family& family, std::size_t size, std::size_t stride, const char* what) {
  if (size > 0 && size % stride == 0) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {} {}; a multiple of {} is needed", family.name(), size, what, stride));
}

}  // namespace

Distribution::Distribution(FamilyPtr family, std::vector<double> natural)
    : family_(std::move(family)), natural_(std::move(natural)) {
  demand_whole(*family_, natural_.size(), family_->dim(), "natural parameters");
  const std::string fault = family_->fault(natural_);
  if (!fault.empty()) throw Error(ErrorKind::bad_input, family_->name() + ": " + fault);
}

Distribution Distribution::of_parameters(FamilyPtr family, std::span<const double> parameters) {
  const std::size_t stride = family->parameter_names().size();
  demand_whole(*family, parameters.size(), stride, "parameters");
  std::vector<double> natural(parameters.size() / stride * family->dim());
  family->natural_of_parameters(parameters, natural);
  return {std::move(family), std::move(natural)};
}

Distribution Distribution::of_mean(FamilyPtr family, std::span<const double> mean) {
  demand_whole(*family, mean.size(), family->dim(), "mean parameters");
  std::vector<double> natural(mean.size());
  const std::string fault = family->natural_of_mean(mean, natural);
  if (!fault.empty()) throw Error(ErrorKind::bad_input, family->name() + ": " + fault);
  return {std::move(family), std::move(natural)};
}

Distribution Distribution::point(std::size_t index) const {
  const auto begin = natural_.begin() + static_cast<std::ptrdiff_t>(index * family_->dim());
  return {family_, {begin, begin + static_cast<std::ptrdiff_t>(family_->dim())}};
}

std::vector<double> Distribution::mean() const {
  std::vector<double> mean(natural_.size());
  family_->mean(natural_, mean);
  return mean;
}

std::vector<double> Distribution::parameters() const {
  std::vector<double> parameters(points() * family_->parameter_names().size());
  family_->parameters(natural_, parameters);
  return parameters;
}

double Distribution::entropy() const {
  return log_partition() - dot(natural_, mean()) - family_->expected_log_base(natural_);
}

double Distribution::log_density(std::span<const double> x) const {
  if (x.size() != points() * family_->width())
    throw Error(ErrorKind::bad_input, fmt::format("{}: x has {} numbers; {} are needed", family_->name(),
                                                  x.size(), points() * family_->width()));
  const std::string fault = family_->value_fault(x);
  if (!fault.empty()) throw Error(ErrorKind::bad_input, family_->name() + ": " + fault);
  std::vector<double> t(natural_.size());
  family_->statistics(x, t);
  return family_->log_base(x) + dot(natural_, t) - log_partition();
}

Distribution Distribution::updated(std::span<const double> statistics) const {
  if (statistics.size() != natural_.size())
    throw Error(ErrorKind::bad_input, fmt::format("{}: an update by {} statistics; {} are needed",
                                                  family_->name(), statistics.size(), natural_.size()));
  std::vector<double> natural = natural_;
  for (std::size_t i = 0; i < natural.size(); ++i) natural[i] += statistics[i];
  return {family_, std::move(natural)};
}

Distribution Distribution::stepped(const Distribution& target, double rho) const {
  demand_same(*this, target, "a step from one distribution to another");
  std::vector<double> natural = natural_;
  for (std::size_t i = 0; i < natural.size(); ++i) natural[i] += rho * (target.natural_[i] - natural[i]);
  return {family_, std::move(natural)};
}

// <eta_q - eta_p, E_q t> - A(eta_q) + A(eta_p); what rounding makes negative is 0.
double kl_divergence(const Distribution& q, const Distribution& p) {
  demand_same(q, p, "KL divergence");
  const std::vector<double> mean = q.mean();
  double kl = p.log_partition() - q.log_partition();
  for (std::size_t i = 0; i < mean.size(); ++i) kl += (q.natural()[i] - p.natural()[i]) * mean[i];
  return kl < 0 ? 0 : kl;
}

}  // namespace kullback::conjugate
