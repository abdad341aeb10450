// Points x = m + W t, with t on a cubic lattice of spacing h, are for a site with v = G (x - m) the lattice
// v = B t, B = G W. The trapezoidal rule on it converges faster than any power of h for smooth integrands
// that vanish at the edge, provided that the singular values s of B allow |v| <= reach for |t| <= reach /
// s_min, and h s_max <= the spacing wanted. With the joint covariance L L' and W = L Y, B = Q Y, where Q = G
// L has orthonormal rows: Y is sought such that all Q_i Y are near orthogonal matrices O_i, by least squares
// for Y and O_i = the polar factor of Q_i Y in turn. Sites for which this fails wait for the next frame,
// which is made for fewer of them at once, one in the end.
#include "infer/ep/frames.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// By the number of directions. For a standard normal the trapezoidal rule errs by 2 exp(-2 pi^2 / spacing^2),
// 1e-12 for 0.85; at a fixed point the tilted distribution has variance 1.
constexpr std::array<double, 4> kReach{0, 8.5, 7.5, 6.5};
constexpr std::array<double, 4> kSpacing{0, 0.5, 0.7, 0.85};
constexpr std::array<double, 4> kLeastStretch{0, 0.4, 0.6, 0.7};
constexpr std::array<double, 4> kMostStretch{0, 2.5, 1.6, 1.4};
constexpr int kTurns = 12;
constexpr std::size_t kDraws = 4096;
constexpr std::uint32_t kDrawStream = 1000;    // the points of draws
constexpr std::uint32_t kFrameStream = 10000;  // the starts of frames

MatrixXd view_directions(const Site& site, const SiteView& view, const JointGaussian& joint) {
  const auto rank = static_cast<Index>(site.rank);
  const auto count = static_cast<Index>(site.coordinates.size());
  const auto dim = static_cast<Index>(joint.dim());
  const Eigen::Map<const MatrixXd> whiten(view.whiten.data(), rank, count);
  const Eigen::Map<const MatrixXd> root(joint.root().data(), dim, dim);
  MatrixXd result = MatrixXd::Zero(rank, dim);
  for (Index c = 0; c < count; ++c)
    result += whiten.col(c) * root.row(static_cast<Index>(site.coordinates[static_cast<std::size_t>(c)]));
  return result;
}

MatrixXd polar_factor(const MatrixXd& m) {
  MatrixXd left(m.rows(), m.rows()), right(m.cols(), m.cols());
  VectorXd values(m.rows());
  math::linear::svd(m, left, values, right);
  return left * right.transpose();
}

class LatticeMaker final {
 public:
  LatticeMaker(const std::vector<Site>& sites, const std::vector<SiteView>& views, const JointGaussian& joint,
               const FrameSeed& seed)
      : sites_(sites), views_(views), joint_(joint), seed_(seed) {}

  void run(std::size_t rank, std::vector<std::uint32_t> waiting, std::vector<Frame>& frames) {
    rank_ = rank;
    std::vector<MatrixXd> directions;
    directions.reserve(waiting.size());
    for (const std::uint32_t s : waiting) directions.push_back(view_directions(sites_[s], views_[s], joint_));
    std::size_t together = waiting.size();
    while (!waiting.empty()) {
      together = std::min(together, waiting.size());
      const MatrixXd plane = fit_plane(directions, together);
      std::vector<std::uint32_t> later;
      std::vector<MatrixXd> later_directions;
      Frame frame;
      Stretch stretch;
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (stretch.include(directions[i] * plane, rank_)) {
          frame.sites.push_back(waiting[i]);
        } else {
          later.push_back(waiting[i]);
          later_directions.push_back(directions[i]);
        }
      }
      const std::size_t served = frame.sites.size();
      if (together > 1 && 8 * served < together) {
        together = (together + 3) / 4;  // the plane of one site alone serves it
        continue;
      }
      if (served == 0) return;  // a view that is not finite
      finish(frame, plane, stretch);
      frames.push_back(std::move(frame));
      waiting = std::move(later);
      directions = std::move(later_directions);
    }
  }

 private:
  // Singular values of B over the sites of a frame.
  struct Stretch {
    double least = 1e300;
    double most = 0;

    bool include(const MatrixXd& b, std::size_t rank) {
      VectorXd values(std::min(b.rows(), b.cols()));
      math::linear::singular_values(b, values);
      const double low = values[values.size() - 1];
      const double high = values[0];
      if (!(low >= kLeastStretch[rank] && high <= kMostStretch[rank])) return false;
      least = std::min(least, low);
      most = std::max(most, high);
      return true;
    }
  };

  // For the first `together` sites.
  MatrixXd fit_plane(const std::vector<MatrixXd>& directions, std::size_t together) {
    const auto dim = static_cast<Index>(joint_.dim());
    const auto rank = static_cast<Index>(rank_);
    MatrixXd normal = MatrixXd::Zero(dim, dim);
    for (std::size_t i = 0; i < together; ++i)
      normal.selfadjointView<Eigen::Lower>().rankUpdate(directions[i].transpose());
    normal.diagonal().array() += 1e-10 * (1 + normal.diagonal().maxCoeff());
    math::linear::cholesky(normal, normal);
    Random random(seed_.seed, seed_.chain, static_cast<std::uint32_t>(Purpose::quadrature),
                  kFrameStream + tries_++);
    MatrixXd plane(dim, rank);
    for (double& number : plane.reshaped()) number = random.normal();
    for (int turn = 0; turn < kTurns; ++turn) {
      MatrixXd right = MatrixXd::Zero(dim, rank);
      for (std::size_t i = 0; i < together; ++i)
        right += directions[i].transpose() * polar_factor(directions[i] * plane);
      math::linear::solve_cholesky(normal, right);
      plane = std::move(right);
    }
    return plane;
  }

  void finish(Frame& frame, const MatrixXd& plane, const Stretch& stretch) const {
    const auto dim = static_cast<Index>(joint_.dim());
    const Eigen::Map<const MatrixXd> root(joint_.root().data(), dim, dim);
    const MatrixXd directions = root * plane;
    frame.rank = rank_;
    frame.directions.assign(directions.data(), directions.data() + directions.size());
    const double reach = kReach[rank_] / stretch.least;
    const double spacing = kSpacing[rank_] / stretch.most;
    const auto most = static_cast<int>(std::ceil(reach / spacing));
    std::array<int, kMostLatticeDirections> place{};
    for (std::size_t a = 0; a < rank_; ++a) place[a] = -most;
    for (bool goes_on = true; goes_on;) {
      double square = 0;
      for (std::size_t a = 0; a < rank_; ++a) square += spacing * spacing * place[a] * place[a];
      if (square <= reach * reach) {
        for (std::size_t a = 0; a < rank_; ++a) frame.steps.push_back(spacing * place[a]);
      }
      goes_on = false;
      for (std::size_t a = 0; a < rank_ && !goes_on; ++a) {
        goes_on = ++place[a] <= most;
        if (!goes_on) place[a] = -most;
      }
    }
  }

  const std::vector<Site>& sites_;
  const std::vector<SiteView>& views_;
  const JointGaussian& joint_;
  const FrameSeed& seed_;
  std::size_t rank_ = 0;
  std::uint32_t tries_ = 0;
};

// Standard normal draws with their opposites, then with covariance 1 exactly: the first three moments of any
// Gaussian come out right.
std::vector<double> matched_draws(std::size_t dim, const FrameSeed& seed) {
  const auto n = static_cast<Index>(dim);
  const auto half = static_cast<Index>(std::max(kDraws / 2, 4 * dim));
  MatrixXd z(n, half);
  for (Index k = 0; k < half; ++k) {
    Random random(seed.seed, seed.chain, static_cast<std::uint32_t>(Purpose::quadrature),
                  kDrawStream + 2 * kFrameStream + static_cast<std::uint32_t>(k));
    for (Index i = 0; i < n; ++i) z(i, k) = random.normal();
  }
  MatrixXd root = z * z.transpose() / static_cast<double>(half);
  math::linear::cholesky(root, root);
  math::linear::solve_lower(root, z);
  std::vector<double> result(z.data(), z.data() + z.size());
  for (const double number : z.reshaped()) result.push_back(-number);
  return result;
}

}  // namespace

double lattice_reach(std::size_t rank) { return kReach[rank]; }

std::vector<Frame> make_frames(const std::vector<Site>& sites, const std::vector<SiteView>& views,
                               const JointGaussian& joint, const FrameSeed& seed) {
  std::array<std::vector<std::uint32_t>, kMostLatticeDirections + 1> by_rank;
  for (std::uint32_t s = 0; s < sites.size(); ++s)
    by_rank[sites[s].rank > kMostLatticeDirections ? 0 : sites[s].rank].push_back(s);
  std::vector<Frame> frames;
  LatticeMaker maker(sites, views, joint, seed);
  for (std::size_t rank = 1; rank <= kMostLatticeDirections; ++rank) {
    if (!by_rank[rank].empty()) maker.run(rank, std::move(by_rank[rank]), frames);
  }
  if (by_rank[0].empty()) return frames;
  Frame draws;
  draws.sites = std::move(by_rank[0]);
  draws.rank = joint.dim();
  draws.directions = joint.root();
  draws.steps = matched_draws(joint.dim(), seed);
  draws.is_lattice = false;
  frames.push_back(std::move(draws));
  return frames;
}

}  // namespace kullback::infer
