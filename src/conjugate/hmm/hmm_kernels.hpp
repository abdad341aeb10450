// Loops of hidden Markov models over rows, states innermost. A vector over K states takes `stride` numbers: K
// and zeros up to whole packs of 4. All are compiled for several instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kullback::conjugate::hmm {

inline constexpr std::size_t kPack = 4;
constexpr std::size_t stride_of(std::size_t states) { return (states + kPack - 1) / kPack * kPack; }

// c[i][:] += sum_l a(i, l) b[l][:], a(i, l) = a[i * row_step + l * column_step]; rows of b and c have
// `stride` numbers.
struct Product {
  const double* a = nullptr;
  std::size_t row_step = 0;
  std::size_t column_step = 0;
  std::size_t rows = 0;
  std::size_t inner = 0;
  const double* b = nullptr;
  double* c = nullptr;
  std::size_t stride = 0;
};
void add_product(const Product& product);

// out[t][:] += sum_c table[indices[t * columns + c]][:], and the reverse: table[...][:] += rows[t][:].
// kNoRow: nothing.
inline constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
struct Lookup {
  const std::uint32_t* indices = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;
};
void add_looked_up(const Lookup& lookup, const double* table, double* out);
void add_to_looked_up(const Lookup& lookup, const double* rows, double* table);

// Logarithms to exp(value - shift), shift the largest of the row; the padding becomes 0.
void to_likelihoods(double* values, std::size_t rows, std::size_t states, double* shifts);
void to_logs(std::span<double> values);

// Transition probabilities (or exp of expected logs, which need not add up to 1), states x stride each.
struct Transitions {
  std::size_t states = 0;
  const double* matrix = nullptr;      // [from][to]
  const double* transposed = nullptr;  // [to][from]
};

// alpha_0 = enter b_0, alpha_t = (alpha_{t-1} / s_{t-1}) A b_t with s_t the sum of alpha_t. Dividing by the
// sum of the row before keeps the division out of the chain of dependent operations. log Z is the sum of the
// logs of all s_t, and s_t the density of row t given those before.
struct Forward {
  Transitions transitions;
  std::size_t rows = 0;
  const double* enter = nullptr;
  const double* likelihoods = nullptr;
  double* alphas = nullptr;
  double* sums = nullptr;
};
void forward(const Forward& call);
// The `enter` of the row that follows one.
void enter_next(const Transitions& transitions, const double* alpha, double sum, double* enter);

// From the last row to the first, in as many calls as one likes, the later rows first.
class Backward final {
 public:
  explicit Backward(const Transitions& transitions);

  // Replaces alphas by `weight` times the probabilities of states, and adds to `pairs` (states x stride) the
  // sum over pairs of rows, the later of them in this call or (its weight counts) the one before it, of
  // weight P(i, j) / A_ij.
  void run(std::size_t rows, const double* likelihoods, double* alphas, double weight, double* pairs);
  // Of the first row of the last call: sum_k p_k log beta_k - log sum_k alpha_k beta_k, in the scales used
  // here.
  double edge() const;

 private:
  friend struct BackwardBody;
  static constexpr std::size_t kTile = 64;

  Transitions transitions_;
  std::size_t stride_;
  bool has_next_ = false;
  double next_scale_ = 0;      // 1 / sum of beta of the row after
  double next_weight_ = 0;     // of the row after
  std::vector<double> next_;   // b beta of the row after
  std::vector<double> beta_;   // of the row last seen
  std::vector<double> alpha_;  // of the first row of a call
  std::vector<double> from_;   // kTile rows: alpha scaled
  std::vector<double> to_;     // kTile rows: b beta of the rows after
};

// The most probable path: logs of likelihoods are rows x stride; ties go to the lower state.
struct Viterbi {
  std::size_t states = 0;
  std::size_t rows = 0;
  const double* log_enter = nullptr;
  const double* log_matrix = nullptr;  // states x stride
  const double* logs = nullptr;
};
std::vector<std::uint16_t> viterbi(const Viterbi& call);

}  // namespace kullback::conjugate::hmm
