#include "infer/vi/family.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "infer/vi/lookup.hpp"

namespace kullback::infer {

#define KULLBACK_FAMILY(name) const FamilyRecord& name##_family();
#include "infer/vi/families.def"
#undef KULLBACK_FAMILY

namespace {

[[noreturn]] void lacks(const char* what) {
  throw Error(ErrorKind::internal, std::string("this family has no ") + what + ".");
}

}  // namespace

void Family::units(std::span<const double>, std::span<double> result) const {
  std::fill(result.begin(), result.end(), 1.0);
}

void Family::scores(std::span<const double> lambda, const PointBatch& batch, double* result) {
  std::vector<double> theta(dim());
  std::vector<double> one(parameters());
  const double weight = 1;
  for (std::size_t k = 0; k < batch.lanes; ++k) {
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = batch.theta[i * batch.lanes + k];
    std::fill(one.begin(), one.end(), 0.0);
    score(lambda, {1, theta.data()}, &weight, one);
    for (std::size_t p = 0; p < one.size(); ++p) result[p * batch.lanes + k] = one[p];
  }
}

void Family::factor_log_q(std::span<const double>, const PointBatch&, double*) { lacks("factors"); }

double Family::entropy(std::span<const double>, double, std::span<double>) const {
  lacks("entropy in closed form");
}

void Family::moments(std::span<const double>, std::span<double>, std::span<double>) const {
  lacks("moments in closed form");
}

GaussianGuess Family::gaussian_of(std::span<const double>) const { lacks("Gaussian"); }

void Family::set_gaussian(const GaussianGuess&, std::span<double>) const { lacks("Gaussian"); }

std::span<const FamilyRecord* const> families() {
  static const std::vector<const FamilyRecord*> all{
#define KULLBACK_FAMILY(name) &name##_family(),
#include "infer/vi/families.def"
#undef KULLBACK_FAMILY
  };
  return all;
}

const FamilyRecord& find_family(std::string_view name) { return find_record(families(), name, "--family"); }

}  // namespace kullback::infer
