// Power expectation propagation (Minka 2004) with parallel, damped updates. The approximation is
//   q(x) = exp(fixed(x)) prod_i s_i(x),   s_i(x) = exp(b_i' u - u' P_i u / 2),   u = A_i x,
// and a site looks at q (f_i / s_i)^power, f_i the product of its terms: in v, for which q is standard
// normal, with mean m and covariance C there, the update is
//   P_i += (C^-1 - 1) / power,   b_i += C^-1 m / power    (as functions of v).
// A cavity q / s_i^power need not be proper for that, as long as the tilted distribution is.
// At a fixed point
//   log Z = log of the integral of exp(fixed) prod_i s_i + sum_i log E_q[(f_i / s_i)^power] / power,
// the evidence of expectation propagation for power 1, the evidence lower bound for power -> 0.
#include "infer/ep/propagation.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "infer/ep/term_shapes.hpp"
#include "infer/ep/tilted.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kMostSiteDirections = 24;
constexpr double kMostEdge = 0.02;
constexpr double kFlat = 1e-6;          // a cavity whose precision is 0 but for rounding
constexpr double kFewestEffective = 4;  // draws for each direction
constexpr double kLargestMove = 2.5;    // of q in a sweep, in sd
constexpr double kLeastStep = 1e-4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGrowth = 1.3;
constexpr double kFirstScales[] = {0.5, 0.2, 0.05, 0.01};

std::vector<double> scales_of(const FirstGaussian& first) {
  const std::size_t dim = first.mean.size();
  std::vector<double> scale(dim, 0.0);
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) scale[i] += first.root[j * dim + i] * first.root[j * dim + i];
    scale[i] = std::sqrt(scale[i]);
  }
  return scale;
}

std::vector<double> unit_root(const FirstGaussian& first, const std::vector<double>& scale) {
  std::vector<double> root = first.root;
  for (std::size_t k = 0; k < root.size(); ++k) root[k] /= scale[k % scale.size()];
  return root;
}

// N(0, root root').
std::optional<JointGaussian> centered(const std::vector<double>& root, std::size_t dim) {
  const auto n = static_cast<Index>(dim);
  const Eigen::Map<const MatrixXd> half(root.data(), n, n);
  MatrixXd factor = half * half.transpose();
  math::linear::cholesky(factor, factor);
  MatrixXd precision = MatrixXd::Identity(n, n);
  math::linear::solve_cholesky(factor, precision);
  NaturalGaussian natural(dim);
  natural.precision.assign(precision.data(), precision.data() + precision.size());
  return JointGaussian::from(natural);
}

// Without the directions in which it curves upwards.
NaturalGaussian concave(const NaturalGaussian& natural) {
  const auto rank = static_cast<Index>(natural.shift.size());
  const Eigen::Map<const MatrixXd> precision(natural.precision.data(), rank, rank);
  VectorXd values(rank);
  MatrixXd vectors(rank, rank);
  math::linear::symmetric_eigen(precision, values, vectors);
  const MatrixXd clipped = vectors * values.cwiseMax(0.0).asDiagonal() * vectors.transpose();
  NaturalGaussian result = natural;
  result.precision.assign(clipped.data(), clipped.data() + clipped.size());
  return result;
}

void check_sites(const Sites& sites) {
  for (const Site& site : sites.all) {
    if (site.rank <= kMostSiteDirections) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("Expectation propagation needs a log density that is a sum of simple terms; one of this "
                    "program's depends on {} coordinates, not through a few linear combinations of them; it "
                    "takes {} at most.",
                    site.rank, kMostSiteDirections),
        "A latent process that is marginalised (a hidden Markov model, a Gaussian process) makes one such "
        "term: `--method pathfinder` or nuts need no sum.");
  }
}

}  // namespace

Propagation::Propagation(density::Terms& terms, const FirstGaussian& first, const PropagationOptions& options)
    : center_(first.mean),
      scale_(scales_of(first)),
      terms_(terms, center_, scale_),
      options_(options),
      joint_(first.mean.size()),
      step_(options.damping) {
  const std::vector<double> root = unit_root(first, scale_);
  sites_ = make_sites(
      terms_, find_shapes(terms_, {.root = root, .seed = options.seed.seed, .chain = options.seed.chain}));
  check_sites(sites_);
  if (auto joint = centered(root, center_.size())) joint_ = *joint;
}

std::size_t Propagation::largest_rank() const {
  std::size_t largest = 0;
  for (const Site& site : sites_.all) largest = std::max(largest, site.rank);
  return largest;
}

bool Propagation::is_one_term() const {
  std::size_t wide = 0;
  bool has_all = false;
  for (const Site& site : sites_.all) {
    if (site.rank <= kMostLatticeDirections) continue;
    ++wide;
    has_all = has_all || site.coordinates.size() == joint_.dim();
  }
  return wide == 1 && has_all;
}

std::vector<SiteView> Propagation::views(const JointGaussian& joint) const {
  std::vector<SiteView> result;
  result.reserve(sites_.all.size());
  for (const Site& site : sites_.all) result.push_back(view(site, joint, options_.power));
  return result;
}

// make(site, frame) gives the sums of a site; they get all points of its frame.
template <class Sums, class Make>
std::vector<Sums> Propagation::integrate(const std::vector<SiteView>& views, const JointGaussian& joint,
                                         Make make) {
  const auto dim = static_cast<Index>(joint.dim());
  const std::vector<Frame> frames = make_frames(sites_.all, views, joint, options_.seed);
  std::vector<Sums> sums;
  sums.reserve(sites_.all.size());
  std::vector<const Frame*> frame_of(sites_.all.size(), nullptr);
  for (const Frame& frame : frames) {
    for (const std::uint32_t s : frame.sites) frame_of[s] = &frame;
  }
  for (std::size_t s = 0; s < sites_.all.size(); ++s)
    sums.push_back(make(s, frame_of[s] == nullptr || frame_of[s]->is_lattice));
  const Eigen::Map<const VectorXd> mean(joint.mean().data(), dim);
  for (const Frame& frame : frames) {
    const auto rank = static_cast<Index>(frame.rank);
    const Eigen::Map<const MatrixXd> directions(frame.directions.data(), dim, rank);
    RowMajor moves(dim, static_cast<Index>(ScaledTerms::kLanes));
    MatrixXd v;
    const auto write = [&](std::size_t point, double* x) {
      const Eigen::Map<const VectorXd> step(frame.steps.data() + point * frame.rank, rank);
      auto move = moves.col(static_cast<Index>(point % ScaledTerms::kLanes));
      move = directions * step;
      Eigen::Map<VectorXd>(x, dim) = mean + move;
    };
    const auto read = [&](std::size_t, std::size_t count, const double* values) {
      for (const std::uint32_t s : frame.sites) {
        const Site& site = sites_.all[s];
        const auto own_rank = static_cast<Index>(site.rank);
        const auto width = static_cast<Index>(site.coordinates.size());
        const Eigen::Map<const MatrixXd> whiten(views[s].whiten.data(), own_rank, width);
        v.setZero(own_rank, static_cast<Index>(count));
        for (Index c = 0; c < width; ++c) {
          const auto row = static_cast<Index>(site.coordinates[static_cast<std::size_t>(c)]);
          v.noalias() += whiten.col(c) * moves.row(row).head(static_cast<Index>(count));
        }
        std::array<double, ScaledTerms::kLanes> log_terms{};
        for (const std::uint32_t t : site.terms) {
          for (std::size_t k = 0; k < count; ++k) log_terms[k] += values[t * ScaledTerms::kLanes + k];
        }
        sums[s].add(v.data(), log_terms.data(), count);
      }
    };
    terms_.evaluate(frame.count(), write, read);
  }
  return sums;
}

bool Propagation::start() {
  for (const double scale : kFirstScales) {
    const JointGaussian around = joint_.scaled(scale);
    const std::vector<SiteView> seen = views(around);
    const auto fits = integrate<QuadraticFit>(seen, around, [&](std::size_t s, bool is_lattice) {
      return QuadraticFit(sites_.all[s].rank, is_lattice);
    });
    for (const bool is_concave : {false, true}) {
      for (std::size_t s = 0; s < fits.size(); ++s) {
        const NaturalGaussian fit = fits[s].result();
        sites_.all[s].natural = in_directions(is_concave ? concave(fit) : fit, seen[s]);
      }
      const auto joint = JointGaussian::from(sites_.product());
      if (!joint) continue;
      joint_ = *joint;
      return true;
    }
    for (Site& site : sites_.all) site.natural = NaturalGaussian(site.rank);
  }
  return false;
}

Propagation::Update Propagation::update_of(const SiteView& view, const Moments& moments,
                                           std::size_t rank) const {
  const auto n = static_cast<Index>(rank);
  const Eigen::Map<const VectorXd> mean(moments.mean.data(), n);
  const Eigen::Map<const MatrixXd> covariance(moments.covariance.data(), n, n);
  Update update;
  if (!mean.allFinite() || !covariance.allFinite() || !std::isfinite(moments.log_mass)) return update;
  // Mass at the end of a lattice: q is still too narrow, or without a proper cavity there is no end to it.
  if (moments.edge > kMostEdge && view.least_cavity < -kFlat) return update;
  if (rank > kMostLatticeDirections && moments.effective < kFewestEffective * static_cast<double>(rank))
    return update;
  MatrixXd factor(n, n);
  if (!math::linear::cholesky(covariance, factor)) return update;
  MatrixXd precision = MatrixXd::Identity(n, n);
  math::linear::solve_cholesky(factor, precision);
  const MatrixXd gain = (precision - MatrixXd::Identity(n, n)) / options_.power;
  const VectorXd shift = precision * mean / options_.power;
  NaturalGaussian by(rank);
  by.precision.assign(gain.data(), gain.data() + gain.size());
  by.shift.assign(shift.data(), shift.data() + shift.size());
  update.by = in_directions(by, view);
  update.change =
      std::max(mean.cwiseAbs().maxCoeff(), (covariance - MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff());
  update.is_made = true;
  return update;
}

// How far q has moved; infinity, and nothing has changed, where it would not be proper or move too far.
double Propagation::apply(const std::vector<Update>& updates, double step) {
  const std::vector<Site> before = sites_.all;
  for (std::size_t s = 0; s < updates.size(); ++s) {
    if (!updates[s].is_made) continue;
    NaturalGaussian& natural = sites_.all[s].natural;
    for (std::size_t i = 0; i < natural.precision.size(); ++i)
      natural.precision[i] += step * updates[s].by.precision[i];
    for (std::size_t i = 0; i < natural.shift.size(); ++i) natural.shift[i] += step * updates[s].by.shift[i];
  }
  const auto joint = JointGaussian::from(sites_.product());
  const double moved = joint ? distance(*joint) : kInfinity;
  if (!(moved <= kLargestMove)) {
    sites_.all = before;
    return kInfinity;
  }
  joint_ = *joint;
  return moved;
}

// The largest difference of a mean in sd, or of a logarithm of a variance.
double Propagation::distance(const JointGaussian& other) const {
  double largest = 0;
  for (std::size_t i = 0; i < joint_.dim(); ++i) {
    largest = std::max({largest, std::abs(other.mean()[i] - joint_.mean()[i]) / joint_.sd(i),
                        2 * std::abs(std::log(other.sd(i) / joint_.sd(i)))});
  }
  return largest;
}

double Propagation::log_evidence(double log_masses) const {
  double log_scale = 0;
  for (const double scale : scale_) log_scale += std::log(scale);
  return sites_.constant + joint_.log_integral() + log_masses + log_scale;
}

Sweep Propagation::sweep() {
  Sweep result;
  const std::vector<SiteView> seen = views(joint_);
  const auto sums = integrate<TiltedSums>(seen, joint_, [&](std::size_t s, bool is_lattice) {
    return TiltedSums(seen[s], sites_.all[s].rank, is_lattice, options_.power);
  });
  std::vector<Update> updates;
  double log_masses = 0;
  for (std::size_t s = 0; s < sums.size(); ++s) {
    const Moments moments = sums[s].moments();
    updates.push_back(update_of(seen[s], moments, sites_.all[s].rank));
    result.change = std::max(result.change, updates.back().change);
    result.failed += updates.back().is_made ? 0 : 1;
    result.improper += seen[s].least_cavity > 0 ? 0 : 1;
    log_masses += moments.log_mass;
  }
  result.log_evidence = log_evidence(log_masses);
  if (last_change_ > 0)
    step_ = result.change > last_change_ ? std::max(step_ / 2, kLeastStep)
                                         : std::min(step_ * kGrowth, options_.damping);
  last_change_ = result.change;
  for (double step = step_; step >= kLeastStep; step /= 2) {
    const double moved = apply(updates, step);
    if (moved == kInfinity) continue;
    result.change = std::max(result.change, moved / step);
    result.step = step_ = step;
    break;
  }
  return result;
}

std::vector<double> Propagation::mean() const {
  std::vector<double> theta(center_.size());
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = center_[i] + scale_[i] * joint_.mean()[i];
  return theta;
}

std::vector<double> Propagation::covariance() const {
  const std::size_t dim = center_.size();
  std::vector<double> result = joint_.covariance();
  for (std::size_t k = 0; k < result.size(); ++k) result[k] *= scale_[k % dim] * scale_[k / dim];
  return result;
}

std::vector<double> Propagation::draw(const std::vector<double>& normals) const {
  const std::vector<double> move = joint_.root_times(normals);
  std::vector<double> theta = mean();
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += scale_[i] * move[i];
  return theta;
}

double Propagation::log_density_of_draw(const std::vector<double>& normals) const {
  double result = -joint_.log_determinant();
  for (std::size_t i = 0; i < normals.size(); ++i)
    result -= 0.5 * (normals[i] * normals[i] + std::log(2 * std::numbers::pi)) + std::log(scale_[i]);
  return result;
}

void Propagation::archive(Archive& archive) {
  sites_.archive(archive);
  archive.value(step_);
  archive.value(last_change_);
  std::uint64_t points = terms_.points();
  archive.value(points);
  if (!archive.is_reading()) return;
  terms_.set_points(points);
  if (const auto joint = JointGaussian::from(sites_.product())) joint_ = *joint;
}

}  // namespace kullback::infer
