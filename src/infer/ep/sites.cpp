// With the marginal u ~ N(c, S) of the joint Gaussian, S = R R', and v = R^-1 (u - c), a factor
// exp(b'u - u'P u / 2) is exp(k + (R'(b - P c))'v - v'(R'P R)v / 2), k = b'c - c'P c / 2.
#include "infer/ep/sites.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/random.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ConstMap = Eigen::Map<const MatrixXd>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kMostMerged = 3;  // directions: quadrature is exact for them
constexpr double kSameDirection = 1e-6;

ConstMap square(const std::vector<double>& numbers, std::size_t dim) {
  return {numbers.data(), static_cast<Index>(dim), static_cast<Index>(dim)};
}
Eigen::Map<const VectorXd> vector(const std::vector<double>& numbers) {
  return {numbers.data(), static_cast<Index>(numbers.size())};
}
std::vector<double> numbers_of(const MatrixXd& m) { return {m.data(), m.data() + m.size()}; }

Eigen::Map<const RowMajor> basis_of(const Site& site) {
  return {site.basis.data(), static_cast<Index>(site.rank), static_cast<Index>(site.coordinates.size())};
}

Site site_of(const ScaledTerms& terms, std::uint32_t term, const TermShape& shape) {
  Site site;
  site.terms = {term};
  const auto coordinates = terms.coordinates(term);
  site.coordinates.assign(coordinates.begin(), coordinates.end());
  site.rank = shape.rank;
  site.basis = shape.basis;
  if (site.basis.empty()) {
    const auto dim = static_cast<Index>(site.coordinates.size());
    site.basis = numbers_of(MatrixXd::Identity(dim, dim));
  }
  site.natural = shape.natural;
  return site;
}

// Adds `factor` of a site's Gaussian to the joint one.
void add(const Site& site, NaturalGaussian& joint) {
  const auto basis = basis_of(site);
  const std::size_t dim = joint.shift.size();
  const MatrixXd precision = basis.transpose() * (square(site.natural.precision, site.rank) * basis);
  const VectorXd shift = basis.transpose() * vector(site.natural.shift);
  for (std::size_t i = 0; i < site.coordinates.size(); ++i) {
    joint.shift[site.coordinates[i]] += shift[static_cast<Index>(i)];
    for (std::size_t j = 0; j < site.coordinates.size(); ++j) {
      joint.precision[site.coordinates[j] * dim + site.coordinates[i]] +=
          0.5 * (precision(static_cast<Index>(i), static_cast<Index>(j)) +
                 precision(static_cast<Index>(j), static_cast<Index>(i)));
    }
  }
}

// The same for equal row spaces of the basis: a fixed vector's projection, rounded.
using DirectionsKey = std::pair<std::vector<std::uint32_t>, std::vector<long>>;
DirectionsKey key_of(const Site& site) {
  const auto basis = basis_of(site);
  Random random(0);
  VectorXd fixed(basis.cols());
  for (double& number : fixed) number = random.normal();
  const VectorXd projected = basis.transpose() * (basis * fixed);
  std::vector<long> rounded;
  for (const double number : projected) rounded.push_back(std::lround(number / kSameDirection));
  rounded.push_back(static_cast<long>(site.rank));
  return {site.coordinates, std::move(rounded)};
}

}  // namespace

NaturalGaussian Sites::product() const {
  NaturalGaussian joint = fixed;
  for (const Site& site : all) add(site, joint);
  return joint;
}

void Sites::archive(Archive& archive) {
  std::vector<double> numbers;
  for (const Site& site : all) {
    numbers.insert(numbers.end(), site.natural.precision.begin(), site.natural.precision.end());
    numbers.insert(numbers.end(), site.natural.shift.begin(), site.natural.shift.end());
  }
  archive.value(numbers);
  if (!archive.is_reading()) return;
  auto next = numbers.begin();
  for (Site& site : all) {
    for (std::vector<double>* own : {&site.natural.precision, &site.natural.shift}) {
      if (numbers.end() - next < static_cast<std::ptrdiff_t>(own->size())) return;
      std::copy_n(next, own->size(), own->begin());
      next += static_cast<std::ptrdiff_t>(own->size());
    }
  }
}

Sites make_sites(const ScaledTerms& terms, const std::vector<TermShape>& shapes) {
  Sites sites;
  sites.fixed = NaturalGaussian(terms.dim());
  std::map<DirectionsKey, std::size_t> known;
  for (std::uint32_t t = 0; t < shapes.size(); ++t) {
    const TermShape& shape = shapes[t];
    if (shape.kind != TermShape::Kind::other) sites.constant += shape.constant;
    if (shape.kind == TermShape::Kind::constant) continue;
    Site site = site_of(terms, t, shape);
    if (shape.kind == TermShape::Kind::quadratic) {
      add(site, sites.fixed);
      continue;
    }
    site.natural = NaturalGaussian(site.rank);
    if (site.rank <= kMostMerged) {
      const auto [at, is_new] = known.try_emplace(key_of(site), sites.all.size());
      if (!is_new) {
        sites.all[at->second].terms.push_back(t);
        continue;
      }
    }
    sites.all.push_back(std::move(site));
  }
  return sites;
}

SiteView view(const Site& site, const JointGaussian& joint, double power) {
  const auto basis = basis_of(site);
  const auto count = static_cast<Index>(site.coordinates.size());
  const auto rank = static_cast<Index>(site.rank);
  MatrixXd covariance(count, count);
  VectorXd mean(count);
  for (Index i = 0; i < count; ++i) {
    const std::size_t row = site.coordinates[static_cast<std::size_t>(i)];
    mean[i] = joint.mean()[row];
    for (Index j = 0; j < count; ++j)
      covariance(i, j) =
          joint.covariance()[site.coordinates[static_cast<std::size_t>(j)] * joint.dim() + row];
  }
  const MatrixXd own = basis * covariance * basis.transpose();
  MatrixXd root(rank, rank);
  math::linear::cholesky(own, root);
  MatrixXd whiten = basis;
  math::linear::solve_lower(root, whiten);
  const VectorXd center = basis * mean;
  const ConstMap precision = square(site.natural.precision, site.rank);
  const auto shift = vector(site.natural.shift);
  const VectorXd pushed = precision * center;
  const MatrixXd seen = root.transpose() * precision * root;
  SiteView result;
  result.center = numbers_of(center);
  result.root = numbers_of(root);
  result.whiten = numbers_of(whiten);
  result.natural = NaturalGaussian(site.rank);
  result.natural.shift = numbers_of(root.transpose() * (shift - pushed));
  result.natural.precision = numbers_of(seen);
  result.constant = shift.dot(center) - 0.5 * center.dot(pushed);
  const MatrixXd cavity = MatrixXd::Identity(rank, rank) - power * seen;
  VectorXd cavities(rank);
  math::linear::symmetric_eigenvalues(cavity, cavities);
  result.least_cavity = cavities[0];
  return result;
}

NaturalGaussian in_directions(const NaturalGaussian& of_v, const SiteView& view) {
  const std::size_t rank = of_v.shift.size();
  const ConstMap root = square(view.root, rank);
  MatrixXd half = square(of_v.precision, rank);
  math::linear::solve_lower_transposed(root, half);  // R^-T P
  MatrixXd precision = half.transpose();
  math::linear::solve_lower_transposed(root, precision);  // the transpose of R^-T P R^-1
  precision = (0.5 * (precision.transpose() + precision)).eval();
  NaturalGaussian result(rank);
  result.precision = numbers_of(precision);
  VectorXd shift = vector(of_v.shift);
  math::linear::solve_lower_transposed(root, shift);
  result.shift = numbers_of(shift + precision * VectorXd(vector(view.center)));
  return result;
}

}  // namespace kullback::infer
