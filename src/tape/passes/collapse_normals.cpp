// Sufficient statistics of normal likelihoods. The sum over i of log normal(y_i | mu_i, sigma), where y_i -
// mu_i is an affine function of a few numbers p, needs only
//   S = sum of (a_i' p - b_i)^2,   then   -S / (2 sigma^2) - N log sigma  [- N log(2 pi) / 2].
// Rows that involve the same p are a block [A b] with as many rows as observations; a QR decomposition gives
// R with |A p - b| = |R [p; -1]|, at most one row more than it has p. Being orthogonal it loses no accuracy,
// unlike A'A.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>

#include "math/instruction_set.hpp"
#include "math/linear_algebra.hpp"
#include "tape/passes/affine.hpp"
#include "tape/passes/passes.hpp"
#include "tape/run/lane_kernels.hpp"

namespace kullback::tape {

namespace {

constexpr std::size_t kMostTerms = 400;
constexpr double kMostWork = 5e7;  // multiplications for the decompositions of one sum

// ---- the function: numbers p, sigma, and the blocks as constants ----
// Blocks: N (the sum of weights), number of blocks, total rows; then for each block: k, rows, k indices into
// p, rows * k coefficients by columns, rows constants b.
struct Block {
  std::size_t k;
  std::size_t rows;
  const double* index;
  const double* a;
  const double* b;

  std::size_t position(std::size_t j) const { return static_cast<std::size_t>(index[j]); }
};

class Blocks final {
 public:
  explicit Blocks(const double* data) : n_(data[0]), left_(size(data[1])), at_(data + 3) {}

  double n() const { return n_; }
  static std::size_t total_rows(const double* data) { return size(data[2]); }
  bool next(Block& block) {
    if (left_ == 0) return false;
    --left_;
    block.k = size(at_[0]);
    block.rows = size(at_[1]);
    block.index = at_ + 2;
    block.a = block.index + block.k;
    block.b = block.a + block.rows * block.k;
    at_ = block.b + block.rows;
    return true;
  }

 private:
  static std::size_t size(double number) { return static_cast<std::size_t>(number); }

  double n_;
  std::size_t left_;
  const double* at_;
};

constexpr std::size_t kMostLanes = 1024;

double log_density(double sum, double sigma, double n, const math::Terms& terms) {
  double value = -0.5 * sum / (sigma * sigma);
  if (terms.keep(0b010)) value -= n * std::log(sigma);
  if (terms.normalized) value -= n * 0.5 * std::log(2 * std::numbers::pi);
  return sigma > 0 ? value : std::numeric_limits<double>::quiet_NaN();
}

math::Shape residuals_shape(std::span<const math::DenseArgument>) { return {}; }

std::size_t residuals_scratch(std::span<const math::DenseArgument> arguments) {
  // The number of rows, where the constants are known (they always are on a tape).
  return Blocks::total_rows(arguments[2].data) + 1;
}

void residuals_forward(const math::ArrayCall& call) {
  const double* p = call.arguments[0].data;
  const double sigma = *call.arguments[1].data;
  Blocks blocks(call.arguments[2].data);
  double* z = call.scratch + 1;
  double sum = 0;
  for (Block block; blocks.next(block);) {
    const std::size_t rows = block.rows;
    for (std::size_t r = 0; r < rows; ++r) z[r] = -block.b[r];
    for (std::size_t j = 0; j < block.k; ++j) {
      const double x = p[block.position(j)];
      for (std::size_t r = 0; r < rows; ++r) z[r] += block.a[j * rows + r] * x;
    }
    for (std::size_t r = 0; r < rows; ++r) sum += z[r] * z[r];
    z += rows;
  }
  call.scratch[0] = sum;
  *call.result = log_density(sum, sigma, blocks.n(), call.terms);
}

void residuals_backward(const math::ArrayCall& call) {
  const double sigma = *call.arguments[1].data;
  const double up = *call.result_adjoint;
  Blocks blocks(call.arguments[2].data);
  if (call.adjoints[1] != nullptr)
    *call.adjoints[1] += up * (call.scratch[0] / (sigma * sigma) - blocks.n()) / sigma;
  double* down = call.adjoints[0];
  if (down == nullptr) return;
  const double scale = -up / (sigma * sigma);
  const double* z = call.scratch + 1;
  for (Block block; blocks.next(block);) {
    const std::size_t rows = block.rows;
    for (std::size_t j = 0; j < block.k; ++j) {
      double sum = 0;
      for (std::size_t r = 0; r < rows; ++r) sum += block.a[j * rows + r] * z[r];
      down[block.position(j)] += scale * sum;
    }
    z += rows;
  }
}

// ---- the same for all lanes ----

template <std::size_t kLanes>
struct LanesForward {
  KULLBACK_INLINE static void run(const LaneCall& call) {
    const std::size_t lanes = kLanes != 0 ? kLanes : call.lanes;
    const double* p = call.arguments[0].data;
    Blocks blocks(call.arguments[2].data);
    double* sum = call.scratch;
    double* z = call.scratch + lanes;
    std::fill_n(sum, lanes, 0.0);
    for (Block block; blocks.next(block);) {
      for (std::size_t r = 0; r < block.rows; ++r) {
        double* own = z + r * lanes;
        for (std::size_t l = 0; l < lanes; ++l) own[l] = -block.b[r];
        for (std::size_t j = 0; j < block.k; ++j) {
          const double* x = p + block.position(j) * lanes;
          const double factor = block.a[j * block.rows + r];
          KULLBACK_INDEPENDENT_LOOP
          for (std::size_t l = 0; l < lanes; ++l) own[l] += factor * x[l];
        }
        KULLBACK_INDEPENDENT_LOOP
        for (std::size_t l = 0; l < lanes; ++l) sum[l] += own[l] * own[l];
      }
      z += block.rows * lanes;
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      const double sigma = call.arguments[1].data[call.arguments[1].varies ? l : 0];
      call.result[l] = log_density(sum[l], sigma, blocks.n(), call.terms);
    }
  }
};

template <std::size_t kLanes>
struct LanesBackward {
  KULLBACK_INLINE static void run(const LaneCall& call) {
    const std::size_t lanes = kLanes != 0 ? kLanes : call.lanes;
    Blocks blocks(call.arguments[2].data);
    double scale[kMostLanes];
    for (std::size_t l = 0; l < lanes; ++l) {
      const double sigma = call.arguments[1].data[call.arguments[1].varies ? l : 0];
      const double up = call.result_adjoint[l];
      scale[l] = -up / (sigma * sigma);
      if (call.adjoints[1] != nullptr)
        call.adjoints[1][l] += up * (call.scratch[l] / (sigma * sigma) - blocks.n()) / sigma;
    }
    double* down = call.adjoints[0];
    if (down == nullptr) return;
    const double* z = call.scratch + lanes;
    for (Block block; blocks.next(block);) {
      for (std::size_t j = 0; j < block.k; ++j) {
        double* to = down + block.position(j) * lanes;
        for (std::size_t r = 0; r < block.rows; ++r) {
          const double factor = block.a[j * block.rows + r];
          const double* own = z + r * lanes;
          KULLBACK_INDEPENDENT_LOOP
          for (std::size_t l = 0; l < lanes; ++l) to[l] += factor * scale[l] * own[l];
        }
      }
      z += block.rows * lanes;
    }
  }
};

template <template <std::size_t> class Body>
void for_lanes(const LaneCall& call) {
  switch (call.lanes) {
    case 4: return math::dispatch<Body<4>>(call);
    case 8: return math::dispatch<Body<8>>(call);
    default: return math::dispatch<Body<0>>(call);
  }
}

const math::ArrayOp& normal_residuals() {
  static const math::ArrayOp op{
      "normal_residuals",
      {math::Type{math::Kind::vector}, math::Type{math::Kind::real}, math::Type{math::Kind::vector}},
      residuals_shape,
      residuals_scratch,
      residuals_forward,
      residuals_backward};
  return op;
}

// ---- the pass ----

struct Row {
  std::vector<double> coefficients;
  double constant;
};

// Densities of one statement with one sigma.
struct Candidate {
  std::vector<std::uint32_t> members;
  std::size_t count = 0;
  double weight = 0;  // of all elements
};

class Collapser final {
 public:
  explicit Collapser(Trace& trace)
      : in_(trace),
        out_(trace),
        uses_(find_uses(trace)),
        affine_(trace, uses_, kMostTerms),
        replaced_(trace.instructions.size(), false) {}

  void run() {
    for (const TargetTerm& term : in_.target) {
      if (!is_constant(term.id)) weight_[term.id] = term.weight;
    }
    find_candidates();
    for (const auto& [key, candidate] : candidates_) collapse(candidate);
    if (added_.empty()) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < in_.instructions.size(); ++i) {
      if (!replaced_[i]) out_.instructions[kept++] = in_.instructions[i];
    }
    out_.instructions.resize(kept);
    out_.instructions.insert(out_.instructions.end(), added_.begin(), added_.end());
    std::erase_if(out_.target, [&](const TargetTerm& term) {
      return !is_constant(term.id) && uses_.producer[term.id] != Uses::kNone &&
             replaced_[uses_.producer[term.id]];
    });
    out_.target.insert(out_.target.end(), new_terms_.begin(), new_terms_.end());
    drop_unused(out_);
  }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, Id, unsigned, bool>;

  void find_candidates() {
    const math::Density* normal = &math::find_distribution("normal")->log_density;
    for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
      const RawInstruction& r = in_.instructions[i];
      if (r.kind != OpKind::density || r.definition != normal) continue;
      if (uses_.count[r.result] != 1 || uses_.target_count[r.result] != 1) continue;
      const std::span<const Id> sigma = in_.operand(r, 2);
      if (!std::all_of(sigma.begin(), sigma.end(), [&](Id id) { return id == sigma[0]; })) continue;
      if (!(weight_[r.result] > 0)) continue;
      Candidate& candidate =
          candidates_[Key{r.span.file, r.span.begin, sigma[0], r.terms.varying, r.terms.normalized}];
      candidate.members.push_back(i);
      candidate.count += r.count;
      candidate.weight += weight_[r.result] * r.count;
    }
  }

  using RowsOf = std::map<Ids, std::vector<Row>>;

  // Rows of the same numbers form a block; a zero coefficient may count as present (one dense design) or not
  // (a sparse one), whichever gives less to do.
  void collapse(const Candidate& candidate) {
    if (candidate.count < 8) return;
    RowsOf best;
    std::size_t least = 4 * candidate.count;
    for (const bool keep_zeros : {true, false}) {
      RowsOf blocks;
      for (const std::uint32_t i : candidate.members) {
        const RawInstruction& r = in_.instructions[i];
        for (std::uint32_t e = 0; e < r.count; ++e) {
          if (!add_row(r, e, keep_zeros, blocks)) return;
        }
      }
      std::size_t after = 0;
      std::size_t rows_after = 0;
      double work = 0;
      for (const auto& [slots, rows] : blocks) {
        const std::size_t width = slots.size() + 1;
        after += std::min(width, rows.size()) * width;
        rows_after += std::min(width, rows.size());
        if (rows.size() > width)
          work += static_cast<double>(rows.size()) * static_cast<double>(width * width);
      }
      if (2 * rows_after > candidate.count || after >= least || work > kMostWork) continue;
      least = after;
      best = std::move(blocks);
    }
    if (!best.empty()) replace(candidate, best);
  }

  bool add_row(const RawInstruction& r, std::uint32_t e, bool keep_zeros, RowsOf& blocks) {
    const auto at = [&](std::uint32_t j) {
      const std::span<const Id> ids = in_.operand(r, j);
      return ids[ids.size() == 1 ? 0 : e];
    };
    // Not a reference: the second call may move it.
    const std::optional<AffineForm> y = affine_.of(at(0));
    const std::optional<AffineForm>& mu = affine_.of(at(1));
    if (!y || !mu) return false;
    std::map<Id, double> row;
    for (const AffineForm::Term& term : mu->terms) row[term.slot] += term.coefficient;
    for (const AffineForm::Term& term : y->terms) row[term.slot] -= term.coefficient;
    if (row.size() > kMostTerms) return false;
    // An observation of weight w is its square times w.
    const double scale = std::sqrt(weight_[r.result]);
    Ids slots;
    Row own;
    own.constant = scale * (y->constant - mu->constant);
    for (const auto& [slot, coefficient] : row) {
      if (coefficient == 0 && !keep_zeros) continue;
      slots.push_back(slot);
      own.coefficients.push_back(scale * coefficient);
    }
    blocks[slots].push_back(std::move(own));
    return true;
  }

  void replace(const Candidate& candidate, const RowsOf& blocks) {
    std::map<Id, std::size_t> position;
    Ids slots;
    for (const auto& [block, rows] : blocks) {
      for (const Id slot : block) {
        if (position.try_emplace(slot, slots.size()).second) slots.push_back(slot);
      }
    }
    std::vector<double> data{candidate.weight, static_cast<double>(blocks.size()), 0};
    for (const auto& [block, rows] : blocks) {
      const Eigen::MatrixXd matrix = compressed(rows, block.size());
      const auto height = static_cast<std::size_t>(matrix.rows());
      data[2] += static_cast<double>(height);
      data.push_back(static_cast<double>(block.size()));
      data.push_back(static_cast<double>(height));
      for (const Id slot : block) data.push_back(static_cast<double>(position[slot]));
      data.insert(data.end(), matrix.data(), matrix.data() + matrix.size());
    }
    const RawInstruction& first = in_.instructions[candidate.members.front()];
    RawInstruction op;
    op.kind = OpKind::array;
    op.definition = &normal_residuals();
    op.terms = first.terms;
    op.span = first.span;
    op.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    op.operand_count = 3;
    op.first_shape = static_cast<std::uint32_t>(out_.shapes.size());
    op.result = out_.new_slots(1);
    add_operand(slots);
    add_operand({in_.operand(first, 2)[0]});
    Ids constants;
    constants.reserve(data.size());
    for (const double number : data) constants.push_back(out_.new_constant(number));
    add_operand(constants);
    // Of (y, mu, sigma) the first two are one argument here, and sigma is the next.
    op.terms.varying = 0b001 | (first.terms.varying >> 1U & 0b010U);
    added_.push_back(op);
    new_terms_.push_back({op.result, 1});
    for (const std::uint32_t i : candidate.members) replaced_[i] = true;
  }

  // The block [A b], as R of its QR decomposition where that is smaller.
  static Eigen::MatrixXd compressed(const std::vector<Row>& rows, std::size_t width) {
    const auto n = static_cast<Eigen::Index>(rows.size());
    const auto k = static_cast<Eigen::Index>(width) + 1;
    Eigen::MatrixXd matrix(n, k);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Row& row = rows[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j + 1 < k; ++j) matrix(i, j) = row.coefficients[static_cast<std::size_t>(j)];
      matrix(i, k - 1) = row.constant;
    }
    if (n <= k) return matrix;
    Eigen::MatrixXd upper(k, k);
    math::linear::qr(matrix, Eigen::MatrixXd(n, 0), upper);
    return upper;
  }

  void add_operand(const Ids& ids) {
    out_.operands.push_back(
        {static_cast<std::uint32_t>(out_.pool.size()), static_cast<std::uint32_t>(ids.size())});
    out_.pool.insert(out_.pool.end(), ids.begin(), ids.end());
    out_.shapes.push_back({ids.size(), 1, 1});
  }

  const Trace& in_;
  Trace& out_;  // the same
  Uses uses_;
  Affine affine_;
  std::vector<bool> replaced_;
  std::unordered_map<Id, double> weight_;
  std::map<Key, Candidate> candidates_;
  std::vector<RawInstruction> added_;
  std::vector<TargetTerm> new_terms_;
};

}  // namespace

const LaneKernel kNormalResidualLanes{&for_lanes<LanesForward>, &for_lanes<LanesBackward>};

void collapse_normals(Trace& trace) {
  if (has_density(trace, {"normal"})) Collapser(trace).run();
}

}  // namespace kullback::tape
