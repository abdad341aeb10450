// Monotone rational-quadratic splines (Gregory and Delbourgo 1982; Durkan, Bekasov, Murray and Papamakarios
// 2019) of [-B, B] onto itself, the identity outside. c has the raw widths and heights of the K bins and the
// raw slopes of the K - 1 inner knots:
//   widths 2B (e + (1 - K e) softmax), heights alike, slopes exp(7 tanh(raw / 7)); at the ends the slope
//   is 1.
// In the bin with left end (x0, y0), width w, height h, s = h / w and end slopes d0, d1, for xi = (x - x0) /
// w and u = xi (1 - xi):
//   D = s + (d0 + d1 - 2 s) u,  A = s xi^2 + d0 u,  N = d1 xi^2 + 2 s u + d0 (1 - xi)^2,
//   y = y0 + h A / D,  g' = s^2 N / D^2.
// The inverse is the root of a quadratic in xi, in the form that does not cancel. Slopes were softplus in the
// paper; here they are bounded, so that extreme parameters stay finite.
#include <vector>

#include "infer/vi/flows/transformer.hpp"
#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

namespace kullback::infer::flows {

namespace {

namespace fast = math::fast;

constexpr double kEdge = 5;           // B
constexpr double kLeastShare = 1e-3;  // e
constexpr double kSlopeBound = 7;

// What is kept of a pass, in blocks of `lanes`; after these the shares of widths and heights.
enum Kept : std::size_t { kXi, kWidth, kHeight, kSlope0, kSlope1, kRaw0, kRaw1, kBin, kKept };

struct SplineCall {
  std::size_t lanes;
  std::size_t bins;
  const double* x;  // or y, of the inverse
  const double* c;
  double* kept;
  double* left;    // x0
  double* bottom;  // y0
  double* edges;   // 2 * lanes: running knots
};

KULLBACK_INLINE void softmax(std::size_t lanes, std::size_t bins, const double* raw, double* shares) {
  double* greatest = shares;  // of each lane, until the first share is written over it
  for (std::size_t k = 0; k < lanes; ++k) {
    double most = raw[k];
    for (std::size_t j = 1; j < bins; ++j) most = raw[j * lanes + k] > most ? raw[j * lanes + k] : most;
    greatest[k] = most;
  }
  for (std::size_t j = bins; j-- > 0;) {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < lanes; ++k)
      shares[j * lanes + k] = fast::exp(raw[j * lanes + k] - greatest[k]);
  }
  for (std::size_t k = 0; k < lanes; ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < bins; ++j) sum += shares[j * lanes + k];
    const double inverse = 1 / sum;
    for (std::size_t j = 0; j < bins; ++j) shares[j * lanes + k] *= inverse;
  }
}

// Finds the bin of each lane, by x or by y, and keeps what belongs to it.
template <bool by_y>
struct Search {
  KULLBACK_INLINE static void run(const SplineCall& call) {
    const std::size_t lanes = call.lanes;
    const std::size_t bins = call.bins;
    double* kept = call.kept;
    double* widths = kept + kKept * lanes;
    double* heights = widths + bins * lanes;
    softmax(lanes, bins, call.c, widths);
    softmax(lanes, bins, call.c + bins * lanes, heights);
    const double* raw = call.c + 2 * bins * lanes;
    const double rest = 1 - static_cast<double>(bins) * kLeastShare;
    double* edge_x = call.edges;
    double* edge_y = call.edges + lanes;
    for (std::size_t k = 0; k < lanes; ++k) edge_x[k] = edge_y[k] = -kEdge;
    for (std::size_t j = 0; j < bins; ++j) {
      const double* raw0 = raw + (j == 0 ? 0 : j - 1) * lanes;
      const double* raw1 = raw + (j + 1 == bins ? 0 : j) * lanes;
      const double keep0 = j == 0 ? 0 : 1;
      const double keep1 = j + 1 == bins ? 0 : 1;
      const auto bin = static_cast<double>(j);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t k = 0; k < lanes; ++k) {
        const double width = 2 * kEdge * (kLeastShare + rest * widths[j * lanes + k]);
        const double height = 2 * kEdge * (kLeastShare + rest * heights[j * lanes + k]);
        const double edge = by_y ? edge_y[k] : edge_x[k];
        const bool is_here = j == 0 || call.x[k] >= edge;
        call.left[k] = is_here ? edge_x[k] : call.left[k];
        call.bottom[k] = is_here ? edge_y[k] : call.bottom[k];
        kept[kWidth * lanes + k] = is_here ? width : kept[kWidth * lanes + k];
        kept[kHeight * lanes + k] = is_here ? height : kept[kHeight * lanes + k];
        kept[kRaw0 * lanes + k] = is_here ? keep0 * raw0[k] : kept[kRaw0 * lanes + k];
        kept[kRaw1 * lanes + k] = is_here ? keep1 * raw1[k] : kept[kRaw1 * lanes + k];
        kept[kBin * lanes + k] = is_here ? bin : kept[kBin * lanes + k];
        edge_x[k] += width;
        edge_y[k] += height;
      }
    }
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < lanes; ++k) {
      // Of raw0 and raw1 the derivative is needed later: they become tanh.
      const double t0 = fast::tanh(kept[kRaw0 * lanes + k] / kSlopeBound);
      const double t1 = fast::tanh(kept[kRaw1 * lanes + k] / kSlopeBound);
      kept[kRaw0 * lanes + k] = t0;
      kept[kRaw1 * lanes + k] = t1;
      kept[kSlope0 * lanes + k] = fast::exp_bounded(kSlopeBound * t0);
      kept[kSlope1 * lanes + k] = fast::exp_bounded(kSlopeBound * t1);
      const bool is_outside = !(call.x[k] > -kEdge && call.x[k] < kEdge);
      kept[kBin * lanes + k] = is_outside ? -1.0 : kept[kBin * lanes + k];
    }
  }
};

struct ForwardCall {
  const TransformerPass& pass;
  const double* left;
  const double* bottom;
};

struct ForwardBody {
  KULLBACK_INLINE static void run(const ForwardCall& call) {
    const TransformerPass& pass = call.pass;
    const std::size_t lanes = pass.lanes;
    double* kept = pass.kept;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < lanes; ++k) {
      const bool is_outside = kept[kBin * lanes + k] < 0;
      const double width = kept[kWidth * lanes + k];
      const double height = kept[kHeight * lanes + k];
      const double d0 = kept[kSlope0 * lanes + k];
      const double d1 = kept[kSlope1 * lanes + k];
      const double x = pass.x[k];
      const double xi = is_outside ? 0.5 : (x - call.left[k]) / width;
      const double s = height / width;
      const double u = xi * (1 - xi);
      const double bend = d0 + d1 - 2 * s;
      const double below = s + bend * u;
      const double above = s * xi * xi + d0 * u;
      const double n = d1 * xi * xi + 2 * s * u + d0 * (1 - xi) * (1 - xi);
      const double ratio = s / below;
      const double slope = ratio * ratio * n;
      const double n_slope = 2 * (d1 * xi + s * (1 - 2 * xi) - d0 * (1 - xi));
      kept[kXi * lanes + k] = xi;
      pass.y[k] = is_outside ? x : call.bottom[k] + height * above / below;
      pass.slope[k] = is_outside ? 1.0 : slope;
      pass.curve[k] = is_outside ? 0.0 : (n_slope / n - 2 * bend * (1 - 2 * xi) / below) / width;
      pass.log_slope[k] += is_outside ? 0.0 : fast::log(slope);
    }
  }
};

struct BackwardCall {
  const TransformerAdjoint& adjoint;
  std::size_t bins;
  double* work;  // 4 * lanes
};

struct BackwardBody {
  KULLBACK_INLINE static void of_shares(const BackwardCall& call, const double* shares, const double* of_end,
                                        double* result) {
    const std::size_t lanes = call.adjoint.lanes;
    const double rest = 2 * kEdge * (1 - static_cast<double>(call.bins) * kLeastShare);
    const double* of_size = of_end + lanes;
    const double* bin = call.adjoint.kept + kBin * lanes;
    double* mean = call.work + 4 * lanes;
    for (std::size_t k = 0; k < lanes; ++k) mean[k] = 0;
    for (std::size_t j = 0; j < call.bins; ++j) {
      const auto here = static_cast<double>(j);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t k = 0; k < lanes; ++k) {
        const double of_share = here < bin[k] ? of_end[k] : (here == bin[k] ? of_size[k] : 0.0);
        result[j * lanes + k] = of_share;
        mean[k] += shares[j * lanes + k] * of_share;
      }
    }
    for (std::size_t j = 0; j < call.bins; ++j) {
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t k = 0; k < lanes; ++k)
        result[j * lanes + k] = rest * shares[j * lanes + k] * (result[j * lanes + k] - mean[k]);
    }
  }

  KULLBACK_INLINE static void run(const BackwardCall& call) {
    const TransformerAdjoint& adjoint = call.adjoint;
    const std::size_t lanes = adjoint.lanes;
    const std::size_t bins = call.bins;
    const double* kept = adjoint.kept;
    double* of_left = call.work;
    double* of_width = of_left + lanes;
    double* of_bottom = of_left + 2 * lanes;
    double* of_height = of_left + 3 * lanes;
    double* of_raw0 = of_left + 5 * lanes;
    double* of_raw1 = of_left + 6 * lanes;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < lanes; ++k) {
      const double inside = kept[kBin * lanes + k] < 0 ? 0.0 : 1.0;
      const double of_y = inside * adjoint.y[k];
      const double of_log = inside * adjoint.log_slope[k];
      const double xi = kept[kXi * lanes + k];
      const double width = kept[kWidth * lanes + k];
      const double height = kept[kHeight * lanes + k];
      const double d0 = kept[kSlope0 * lanes + k];
      const double d1 = kept[kSlope1 * lanes + k];
      const double s = height / width;
      const double u = xi * (1 - xi);
      const double square = xi * xi;
      const double other = (1 - xi) * (1 - xi);
      const double below = s + (d0 + d1 - 2 * s) * u;
      const double above = s * square + d0 * u;
      const double n = d1 * square + 2 * s * u + d0 * other;
      const double of_above = of_y * height / below;
      const double of_below = -(of_above * above + 2 * of_log) / below;
      const double of_n = of_log / n;
      const double of_s = 2 * of_log / s + of_above * square + of_below * (1 - 2 * u) + 2 * of_n * u;
      const double of_d0 = (of_above + of_below) * u + of_n * other;
      const double of_d1 = of_below * u + of_n * square;
      const double of_square = of_above * s + of_n * d1;
      const double of_u = of_above * d0 + of_below * (d0 + d1 - 2 * s) + 2 * s * of_n;
      const double of_xi = 2 * xi * of_square + (1 - 2 * xi) * of_u - 2 * (1 - xi) * of_n * d0;
      of_left[k] = -of_xi / width;
      of_width[k] = -(of_s * s + of_xi * xi) / width;
      of_bottom[k] = of_y;
      of_height[k] = of_y * above / below + of_s / width;
      const double t0 = kept[kRaw0 * lanes + k];
      const double t1 = kept[kRaw1 * lanes + k];
      of_raw0[k] = of_d0 * d0 * (1 - t0 * t0);
      of_raw1[k] = of_d1 * d1 * (1 - t1 * t1);
    }
    const double* shares = kept + kKept * lanes;
    of_shares(call, shares, of_left, adjoint.result);
    of_shares(call, shares + bins * lanes, of_bottom, adjoint.result + bins * lanes);
    const double* bin = kept + kBin * lanes;
    for (std::size_t j = 0; j + 1 < bins; ++j) {  // the knot between bins j and j + 1
      const auto before = static_cast<double>(j);
      double* result = adjoint.result + (2 * bins + j) * lanes;
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t k = 0; k < lanes; ++k)
        result[k] = bin[k] == before ? of_raw1[k] : (bin[k] == before + 1 ? of_raw0[k] : 0.0);
    }
  }
};

struct InverseCall {
  const SplineCall& found;
  double* x;
};

struct InverseBody {
  KULLBACK_INLINE static void run(const InverseCall& call) {
    const SplineCall& found = call.found;
    const std::size_t lanes = found.lanes;
    const double* kept = found.kept;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < lanes; ++k) {
      const bool is_outside = kept[kBin * lanes + k] < 0;
      const double width = kept[kWidth * lanes + k];
      const double height = kept[kHeight * lanes + k];
      const double d0 = kept[kSlope0 * lanes + k];
      const double d1 = kept[kSlope1 * lanes + k];
      const double s = height / width;
      const double rise = found.x[k] - found.bottom[k];
      const double bend = d0 + d1 - 2 * s;
      const double a = height * (s - d0) + rise * bend;
      const double b = height * d0 - rise * bend;
      const double c = -s * rise;
      const double root = b * b - 4 * a * c;
      const double xi = 2 * c / (-b - fast::sqrt(root > 0 ? root : 0.0));
      call.x[k] = is_outside ? found.x[k] : found.left[k] + xi * width;
    }
  }
};

class Spline final : public Transformer {
 public:
  explicit Spline(std::size_t bins) : bins_(bins) {}

  std::size_t count() const override { return 3 * bins_ - 1; }
  std::size_t kept() const override { return kKept + 2 * bins_; }

  void forward(const TransformerPass& pass) const override {
    const SplineCall call = call_of(pass.lanes, pass.x, pass.c, pass.kept);
    math::dispatch<Search<false>>(call);
    math::dispatch<ForwardBody>(ForwardCall{pass, call.left, call.bottom});
  }

  void backward(const TransformerAdjoint& adjoint) const override {
    work_.resize(7 * adjoint.lanes);
    math::dispatch<BackwardBody>(BackwardCall{adjoint, bins_, work_.data()});
  }

  void inverse(std::size_t lanes, const double* y, const double* c, double* x) const override {
    kept_.resize(kept() * lanes);
    const SplineCall call = call_of(lanes, y, c, kept_.data());
    math::dispatch<Search<true>>(call);
    math::dispatch<InverseBody>(InverseCall{call, x});
  }

 private:
  SplineCall call_of(std::size_t lanes, const double* x, const double* c, double* kept) const {
    work_.resize(7 * lanes);
    return {lanes, bins_, x, c, kept, work_.data(), work_.data() + lanes, work_.data() + 2 * lanes};
  }

  std::size_t bins_;
  mutable std::vector<double> work_;
  mutable std::vector<double> kept_;  // of the inverse
};

}  // namespace

std::unique_ptr<Transformer> make_spline(std::size_t bins) { return std::make_unique<Spline>(bins); }

}  // namespace kullback::infer::flows
