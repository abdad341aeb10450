// The local step is the forward-backward algorithm with exp(E log) in place of probabilities: log Z of a
// sequence is E_q log p(x, z | theta) + H(q(z)), so that the entropy, which `local` keeps, is log Z less the
// product of the statistics with the expected parameters.
//
// A part of a sequence (Foti, Xu, Laird, Fox 2014) counts its inner rows s .. e only, each with the
// transition into it. Its share of the entropy is sum_t -E log q(z_t | z_{t-1}), with
//   q(z_t = j | z_{t-1} = i) = A_ij b_tj beta_tj / beta_{t-1,i},
// a sum that telescopes to the product with the parameters and E log beta at rows s - 1 and e.
//
// Numbers stay in range: the likelihoods of a row are relative to its largest; concentrations are at least
// kLeastConcentration, so that no exp(E log A) is below e^-300 and neither are ratios within beta.
#include "conjugate/hmm/hmm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/minibatch.hpp"

namespace kullback::conjugate::hmm {

namespace {

constexpr std::size_t kKeptNumbers = std::size_t{1} << 24;  // in each of two arrays of a thread
constexpr std::size_t kTile = 1024;                         // rows at a time, in the cache

void expect_logs(std::span<const double> concentrations, double* logs) {
  dirichlet_expected_logs(concentrations, {logs, concentrations.size()});
}

// Grassmann, Taksar, Heyman (1985): elimination of states without a subtraction.
std::vector<double> stationary_of(const double* matrix, std::size_t states, std::size_t stride) {
  std::vector<double> a(states * states);
  for (std::size_t i = 0; i < states; ++i) std::copy_n(matrix + i * stride, states, &a[i * states]);
  for (std::size_t n = states; n-- > 1;) {
    const double leaving = std::accumulate(&a[n * states], &a[n * states + n], 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      a[i * states + n] /= leaving;
      for (std::size_t j = 0; j < n; ++j) a[i * states + j] += a[i * states + n] * a[n * states + j];
    }
  }
  std::vector<double> result(stride);
  result[0] = 1;
  double total = 1;
  for (std::size_t n = 1; n < states; ++n) {
    for (std::size_t i = 0; i < n; ++i) result[n] += result[i] * a[i * states + n];
    total += result[n];
  }
  for (double& x : result) x /= total;
  return result;
}

double dot(std::span<const double> a, const std::vector<double>& b) {
  return std::inner_product(b.begin(), b.end(), a.begin(), 0.0);
}

double dirichlet_divergence(std::span<const double> q, std::span<const double> prior) {
  std::vector<double> logs(q.size());
  dirichlet_expected_logs(q, logs);
  double sum = dirichlet_log_partition(prior) - dirichlet_log_partition(q);
  for (std::size_t i = 0; i < q.size(); ++i) sum += (q[i] - prior[i]) * logs[i];
  return sum;
}

double concentration_of(const OptionValues& values) {
  const double usual = 1.0 / static_cast<double>(values[option::kStates]);
  return values.given(option::kConcentration).value_or(std::max(usual, kLeastConcentration));
}

}  // namespace

// Where the parts of a vector of statistics begin.
struct Hmm::Parts {
  double* initial;
  double* pairs;
  double* emissions;
};

struct Hmm::Work {
  void begin(std::size_t statistics_size) {
    statistics.assign(statistics_size, 0.0);
    log_normalizer = 0;
  }
  void need(std::size_t rows, std::size_t stride) {
    if (shifts.size() >= rows && likelihoods.size() >= rows * stride) return;
    for (std::vector<double>* numbers : {&likelihoods, &alphas}) numbers->resize(rows * stride);
    for (std::vector<double>* numbers : {&shifts, &sums}) numbers->resize(rows);
  }

  std::vector<double> statistics;
  double log_normalizer = 0;
  std::vector<double> likelihoods, alphas, shifts, sums;  // sums become logs
};

Hmm::~Hmm() = default;

std::unique_ptr<Hmm::Work> Hmm::take_work() const {
  const std::lock_guard lock(work_mutex_);
  if (spare_work_.empty()) return std::make_unique<Work>();
  std::unique_ptr<Work> work = std::move(spare_work_.back());
  spare_work_.pop_back();
  return work;
}

void Hmm::give_back(std::unique_ptr<Work> work) const {
  const std::lock_guard lock(work_mutex_);
  spare_work_.push_back(std::move(work));
}

Hmm::Hmm(const OptionValues& values, const Shape& shape, std::unique_ptr<Emissions> emissions)
    : states_(values[option::kStates]),
      stride_(stride_of(states_)),
      columns_(shape.columns),
      chunk_(std::clamp<std::size_t>(shape.units / 64, 1, 512)),
      kept_rows_(std::max<std::size_t>(1024, kKeptNumbers / stride_)),
      subchain_(values[option::kSubchain]),
      buffer_(values[option::kBuffer]),
      concentration_(concentration_of(values)),
      sticky_(values[option::kSticky]),
      emissions_(std::move(emissions)) {
  initial_prior_.assign(states_, concentration_);
  transitions_prior_.assign(states_ * states_, concentration_);
  for (std::size_t i = 0; i < states_; ++i) transitions_prior_[i * states_ + i] += sticky_;
  initial_ = initial_prior_;
  transitions_ = transitions_prior_;
}

std::size_t Hmm::statistics_size() const {
  return stride_ + states_ * stride_ + emissions_->statistics_size();
}

Hmm::Parts Hmm::parts(std::vector<double>& statistics) const {
  double* at = statistics.data();
  return {at, at + stride_, at + stride_ + states_ * stride_};
}

// The chain begins with half of its mass on staying and half on going anywhere, as of so many rows as there
// are.
void Hmm::begin(const Batch& sample, Random& random) {
  const std::size_t rows = sample.rows();
  if (rows < states_) {
    throw Error(ErrorKind::bad_input,
                "the data have " + std::to_string(rows) + " rows; " + std::to_string(states_) +
                    " states need at least as many.",
                "Ask for fewer with --states.");
  }
  const auto states = static_cast<double>(states_);
  const double each = 0.5 * static_cast<double>(rows) / states;
  initial_ = initial_prior_;
  transitions_ = transitions_prior_;
  for (double& x : initial_) x += static_cast<double>(sample.units) / states;
  for (std::size_t i = 0; i < states_; ++i) {
    for (std::size_t j = 0; j < states_; ++j) transitions_[i * states_ + j] += each / states;
    transitions_[i * states_ + i] += each;
  }
  emissions_->begin(sample, random);
}

Transitions Hmm::transitions(const Chain& chain) const {
  return {.states = states_, .matrix = chain.matrix.data(), .transposed = chain.transposed.data()};
}

void Hmm::fill_chain(Chain& chain) const {
  chain.initial.assign(stride_, 0.0);
  chain.matrix.assign(states_ * stride_, 0.0);
  chain.transposed.assign(states_ * stride_, 0.0);
  for (std::size_t i = 0; i < states_; ++i) {
    chain.initial[i] = std::exp(chain.log_initial[i]);
    for (std::size_t j = 0; j < states_; ++j) {
      const double probability = std::exp(chain.log_matrix[i * stride_ + j]);
      chain.matrix[i * stride_ + j] = probability;
      chain.transposed[j * stride_ + i] = probability;
    }
  }
}

void Hmm::prepare() {
  const auto log_means = [](std::span<const double> concentrations, double* logs) {
    const double total = std::accumulate(concentrations.begin(), concentrations.end(), 0.0);
    for (std::size_t i = 0; i < concentrations.size(); ++i) logs[i] = std::log(concentrations[i] / total);
  };
  for (Chain* chain : {&expected_, &means_}) {
    chain->log_initial.assign(stride_, 0.0);
    chain->log_matrix.assign(states_ * stride_, 0.0);
  }
  expect_logs(initial_, expected_.log_initial.data());
  log_means(initial_, means_.log_initial.data());
  for (std::size_t i = 0; i < states_; ++i) {
    const std::span<const double> row(&transitions_[i * states_], states_);
    expect_logs(row, &expected_.log_matrix[i * stride_]);
    log_means(row, &means_.log_matrix[i * stride_]);
  }
  fill_chain(expected_);
  fill_chain(means_);
  stationary_ = stationary_of(means_.matrix.data(), states_, stride_);
  emissions_->prepare();
}

void Hmm::likelihoods(const double* cells, std::size_t rows, std::size_t at, Work& work) const {
  double* values = work.likelihoods.data() + at * stride_;
  emissions_->log_densities(cells, rows, Plug::expected_logs, values);
  to_likelihoods(values, rows, states_, work.shifts.data() + at);
}

// A unit whose rows are `row` .. of the arrays of `work`.
void Hmm::unit_in_rows(const Batch& units, std::size_t unit, std::size_t row, Work& work) const {
  const std::size_t rows = units.offsets[unit + 1] - units.offsets[unit];
  const Margin margin = units.margin(unit);
  const double weight = units.weight(unit);
  const Parts parts = this->parts(work.statistics);
  double* alphas = work.alphas.data() + row * stride_;
  const double* likelihoods = work.likelihoods.data() + row * stride_;
  const std::span<double> sums = std::span(work.sums).subspan(row, rows);
  forward({.transitions = transitions(expected_),
           .rows = rows,
           .enter = (margin.is_inside ? stationary_ : expected_.initial).data(),
           .likelihoods = likelihoods,
           .alphas = alphas,
           .sums = sums.data()});
  to_logs(sums);
  const std::size_t first = margin.before;
  const std::size_t last = rows - margin.after - 1;
  double normalizer = 0;
  for (std::size_t t = first; t <= last; ++t) normalizer += work.shifts[row + t];
  for (std::size_t t = first == 0 ? 0 : first - 1; t < last; ++t) normalizer += sums[t];

  Backward backward(transitions(expected_));
  const auto run = [&](std::size_t begin, std::size_t end, double counted) {
    backward.run(end - begin, likelihoods + begin * stride_, alphas + begin * stride_, counted, parts.pairs);
  };
  run(last + 1, rows, 0.0);
  run(last, last + 1, weight);
  normalizer -= backward.edge();
  run(first, last, weight);
  if (first > 0) {
    run(first - 1, first, 0.0);
    normalizer += backward.edge();
    std::fill_n(alphas, (first - 1) * stride_, 0.0);
  } else {
    for (std::size_t k = 0; k < states_; ++k) parts.initial[k] += alphas[k];
  }
  work.log_normalizer += weight * normalizer;
}

// Several at once, so that the loops over rows of emissions are long.
void Hmm::short_units(const Batch& units, std::size_t begin, std::size_t end, Work& work) const {
  const std::size_t first = units.offsets[begin];
  const std::size_t rows = units.offsets[end] - first;
  const double* cells = units.values.data() + first * columns_;
  work.need(rows, stride_);
  likelihoods(cells, rows, 0, work);
  for (std::size_t unit = begin; unit < end; ++unit) {
    if (units.offsets[unit] == units.offsets[unit + 1]) continue;
    unit_in_rows(units, unit, units.offsets[unit] - first, work);
  }
  emissions_->accumulate(cells, rows, work.alphas.data(), parts(work.statistics).emissions);
}

// Tile after tile forward and back. The vectors of the last tiles are kept, tile i in slot i modulo their
// number; earlier tiles are made again, from where each began.
void Hmm::long_unit(const Batch& units, std::size_t unit, Work& work) const {
  const std::size_t first = units.offsets[unit];
  const std::size_t rows = units.offsets[unit + 1] - first;
  if (rows == 0) return;
  const std::size_t tile_rows = std::min(kTile, kept_rows_);
  const std::size_t tiles = (rows + tile_rows - 1) / tile_rows;
  const std::size_t kept = std::min(tiles, std::max<std::size_t>(1, kept_rows_ / tile_rows));
  const double weight = units.weight(unit);
  const Parts parts = this->parts(work.statistics);
  work.need(kept * tile_rows, stride_);
  std::vector<double> enters((tiles + 1) * stride_);
  std::copy(expected_.initial.begin(), expected_.initial.end(), enters.begin());
  const auto size = [&](std::size_t tile) { return std::min(tile_rows, rows - tile * tile_rows); };
  const auto cells = [&](std::size_t tile) {
    return units.values.data() + (first + tile * tile_rows) * columns_;
  };
  const auto slot = [&](std::size_t tile) { return tile % kept * tile_rows; };
  const auto go_forward = [&](std::size_t tile) {
    likelihoods(cells(tile), size(tile), slot(tile), work);
    forward({.transitions = transitions(expected_),
             .rows = size(tile),
             .enter = &enters[tile * stride_],
             .likelihoods = &work.likelihoods[slot(tile) * stride_],
             .alphas = &work.alphas[slot(tile) * stride_],
             .sums = &work.sums[slot(tile)]});
  };
  double normalizer = 0;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    go_forward(tile);
    const std::size_t last = slot(tile) + size(tile) - 1;
    enter_next(transitions(expected_), &work.alphas[last * stride_], work.sums[last],
               &enters[(tile + 1) * stride_]);
    to_logs(std::span(work.sums).subspan(slot(tile), size(tile)));
    double sum = 0;
    for (std::size_t t = slot(tile); t <= last; ++t) sum += work.sums[t] + work.shifts[t];
    normalizer += sum;
  }
  Backward backward(transitions(expected_));
  for (std::size_t tile = tiles; tile-- > 0;) {
    if (tile + kept < tiles) go_forward(tile);
    const std::size_t at = slot(tile) * stride_;
    backward.run(size(tile), &work.likelihoods[at], &work.alphas[at], weight, parts.pairs);
    emissions_->accumulate(cells(tile), size(tile), &work.alphas[at], parts.emissions);
  }
  for (std::size_t k = 0; k < states_; ++k) parts.initial[k] += work.alphas[k];
  work.log_normalizer += weight * normalizer;
}

// Units that fit into a tile together; longer ones alone. A part with margins is never very long.
void Hmm::local_step(const Batch& units, std::span<double>, Statistics& statistics) const {
  const auto rows_of = [&](std::size_t begin, std::size_t end) {
    return units.offsets[end] - units.offsets[begin];
  };
  std::unique_ptr<Work> work = take_work();
  work->begin(statistics_size());
  for (std::size_t begin = 0, end = 0; begin < units.units; begin = end) {
    end = begin + 1;
    while (end < units.units && rows_of(begin, end + 1) <= kTile) ++end;
    if (rows_of(begin, end) > std::min(kTile, kept_rows_) && units.margins.empty()) {
      for (std::size_t unit = begin; unit < end; ++unit) long_unit(units, unit, *work);
    } else {
      short_units(units, begin, end, *work);
    }
  }
  const Parts parts = this->parts(work->statistics);
  for (std::size_t i = 0; i < states_ * stride_; ++i) parts.pairs[i] *= expected_.matrix[i];
  statistics.local += work->log_normalizer - expected_log(work->statistics);
  for (std::size_t i = 0; i < work->statistics.size(); ++i) statistics.values[i] += work->statistics[i];
  for (std::size_t unit = 0; unit < units.units; ++unit) {
    statistics.units += units.weight(unit) * units.margin(unit).share;
  }
  give_back(std::move(work));
}

double Hmm::expected_log_of_states(std::span<const double> statistics) const {
  return dot(statistics, expected_.log_initial) + dot(statistics.subspan(stride_), expected_.log_matrix);
}

double Hmm::expected_log(std::span<const double> statistics) const {
  return expected_log_of_states(statistics) +
         emissions_->expected_log(statistics.subspan(stride_ + states_ * stride_));
}

void Hmm::global_step(std::size_t block, const Statistics& statistics, Mover& mover) {
  const std::span<const double> values = statistics.values;
  const auto is_in_range = [](std::span<const double> x) {
    return std::all_of(x.begin(), x.end(), [](double a) { return a >= kLeastConcentration; });
  };
  if (block == 2) {
    std::vector<double> target = emissions_->prior();
    emissions_->update(values.subspan(stride_ + states_ * stride_), target);
    mover.move(block, emissions_->natural(), target,
               [this](std::span<const double> x) { return emissions_->is_inside(x); });
    return;
  }
  const std::size_t rows = block == 0 ? 1 : states_;
  const std::size_t first = block == 0 ? 0 : stride_;
  std::vector<double> target = block == 0 ? initial_prior_ : transitions_prior_;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < states_; ++j) target[i * states_ + j] += values[first + i * stride_ + j];
  }
  mover.move(block, block == 0 ? initial_ : transitions_, target, is_in_range);
}

std::span<double> Hmm::natural(std::size_t block) {
  return block == 0 ? initial_ : block == 1 ? transitions_ : emissions_->natural();
}

std::vector<double> Hmm::mean_parameters(std::size_t block) const {
  if (block == 2) return emissions_->mean_parameters();
  const std::vector<double>& natural = block == 0 ? initial_ : transitions_;
  std::vector<double> result(natural.size());
  for (std::size_t i = 0; i < natural.size(); i += states_) expect_logs({&natural[i], states_}, &result[i]);
  return result;
}

Terms Hmm::elbo(const Statistics& statistics) const {
  const std::span<const double> values = statistics.values;
  double of_transitions = 0;
  for (std::size_t i = 0; i < transitions_.size(); i += states_) {
    of_transitions += dirichlet_divergence({&transitions_[i], states_}, {&transitions_prior_[i], states_});
  }
  return {
      {"log density of rows", emissions_->expected_log(values.subspan(stride_ + states_ * stride_))},
      {"log probability of states", expected_log_of_states(values)},
      {"entropy of states", statistics.local},
      {"KL of initial probabilities", -dirichlet_divergence(initial_, initial_prior_)},
      {"KL of transitions", -of_transitions},
      {"KL of emissions", -emissions_->divergence()},
  };
}

void Hmm::adopt_posterior_as_prior() {
  initial_prior_ = initial_;
  transitions_prior_ = transitions_;
  emissions_->prior() = emissions_->natural();
}

std::vector<double> Hmm::state() const {
  const Emissions& emissions = *emissions_;
  std::vector<double> result;
  for (const std::vector<double>* part : {&initial_prior_, &transitions_prior_, &initial_, &transitions_,
                                          &emissions.constants(), &emissions.prior(), &emissions.natural()}) {
    result.insert(result.end(), part->begin(), part->end());
  }
  return result;
}

void Hmm::set_state(std::span<const double> state) {
  std::size_t at = 0;
  for (std::vector<double>* part : {&initial_prior_, &transitions_prior_, &initial_, &transitions_,
                                    &emissions_->constants(), &emissions_->prior(), &emissions_->natural()}) {
    if (at + part->size() > state.size())
      throw Error(ErrorKind::internal, "the state of a model is too short.");
    std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(at), part->size(), part->begin());
    at += part->size();
  }
}

// Sequences are cut at a random phase into pieces of `subchain` rows; different sequences are chosen, and of
// each as many different pieces as give `size` in all. Each row, with the transition into it, is in one piece
// only, so that one weight serves all statistics. A sequence no longer than a piece is one.
void Hmm::sample_minibatch(const Batch& shard, std::uint64_t total, std::size_t size, Random& random,
                           Buffer& into) const {
  const std::vector<std::uint64_t> chosen = choose(total, size, random);
  const std::uint64_t phase = random.below(subchain_);
  const std::uint64_t pieces_of_each = size / chosen.size();
  const double weight = static_cast<double>(total) / static_cast<double>(chosen.size());
  for (const std::uint64_t number : chosen) {
    Random of_unit(random());
    if (number < shard.first || number >= shard.first + shard.units) continue;
    const auto unit = static_cast<std::size_t>(number - shard.first);
    const std::size_t rows = shard.offsets[unit + 1] - shard.offsets[unit];
    const std::uint64_t skipped = rows > subchain_ ? phase : 0;
    const std::uint64_t pieces = (rows + skipped + subchain_ - 1) / subchain_;
    if (pieces <= 1) {
      into.add(shard, unit, weight);
      continue;
    }
    const std::vector<std::uint64_t> taken =
        choose(pieces, static_cast<std::size_t>(std::min(pieces, pieces_of_each)), of_unit);
    const double scale = weight * static_cast<double>(pieces) / static_cast<double>(taken.size());
    for (const std::uint64_t piece : taken) {
      const std::size_t begin = piece == 0 ? 0 : piece * subchain_ - skipped;
      const std::size_t end = std::min(rows, (piece + 1) * subchain_ - skipped);
      const std::size_t from = begin - std::min(begin, buffer_);
      const std::size_t to = std::min(rows, end + buffer_);
      const double share = static_cast<double>(end - begin) / static_cast<double>(rows);
      into.add_rows(shard, unit, from, to,
                    {.before = begin - from, .after = to - end, .is_inside = from > 0, .share = share},
                    scale);
    }
  }
}

}  // namespace kullback::conjugate::hmm
