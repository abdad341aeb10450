// The hierarchical Dirichlet process of topics (Teh, Jordan, Beal, Blei 2006) in the stick-breaking form of
// Wang, Paisley and Blei (2011):
//   beta_k ~ Dirichlet(eta),  v_k ~ Beta(1, gamma),  sigma_k = v_k prod_{l<k} (1 - v_l),   k < T (v_{T-1} =
//   1)
// and in each document
//   c_t ~ sigma,  u_t ~ Beta(1, alpha),  pi_t = u_t prod_{s<t} (1 - u_s),   t < K (u_{K-1} = 1)
//   z_n ~ pi,  word_n ~ beta_{c_{z_n}}.
// q(v_k), q(u_t) are beta, q(c_t) and q(z_n) categorical. Statistics: n_wk = sum_n q(z_n = t) q(c_t = k),
// then m_k = sum over documents and t of q(c_t = k).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "conjugate/record.hpp"
#include "conjugate/topics/topic_completion.hpp"
#include "conjugate/topics/topic_kernels.hpp"
#include "conjugate/topics/topic_options.hpp"
#include "conjugate/topics/topic_sticks.hpp"
#include "conjugate/topics/topic_words.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {

namespace {

// Coordinate ascent in one document.
class HdpDocument final {
 public:
  struct Limits {
    double tolerance;
    std::size_t rounds;
    std::size_t tables;
    double alpha;
    std::size_t fresh_passes = 0;
  };

  HdpDocument(const TopicWords& words, std::span<const double> log_sigma, Limits limits)
      : words_(words),
        log_sigma_(log_sigma),
        limits_(limits),
        topics_(words.topics()),
        sticks_(limits.tables, limits.alpha) {}

  static std::size_t memory_size(std::size_t topics, std::size_t tables) {
    return tables * topics + 2 * (tables - 1) + 1;
  }

  // From what `memory` holds: q(c), q(u) and the number of visits; empty or zeros: afresh, as in the first
  // fresh_passes visits (see topic_document.hpp).
  void run(std::span<const std::uint32_t> words, std::span<const double> counts,
           std::span<const double> memory) {
    indices_ = words;
    counts_ = counts;
    zeta_.assign(words.size() * limits_.tables, 0.0);
    tokens_.assign(limits_.tables, 0.0);
    const double visits = memory.empty() ? 0 : memory.back();
    if (visits == 0 || visits < static_cast<double>(limits_.fresh_passes)) {
      start_afresh();
    } else {
      chosen_.assign(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(limits_.tables * topics_));
      std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(chosen_.size()), sticks_.parameters().size(),
                  sticks_.parameters().begin());
    }
    for (std::size_t round = 0; round < limits_.rounds; ++round) {
      const std::vector<double> before = tokens_;
      assign_words();
      sticks_.update(tokens_);
      choose_topics();
      double change = 0;
      for (std::size_t t = 0; t < limits_.tables; ++t) change += std::abs(tokens_[t] - before[t]);
      if (round > 0 && change <= limits_.tolerance * static_cast<double>(limits_.tables)) break;
    }
  }

  void remember(std::span<double> memory) const {
    std::copy(chosen_.begin(), chosen_.end(), memory.begin());
    const std::span<const double> sticks = sticks_.parameters();
    std::copy(sticks.begin(), sticks.end(), memory.begin() + static_cast<std::ptrdiff_t>(chosen_.size()));
    memory.back() += 1;
  }

  // Adds weight times the statistics; the result is weight times
  //   H(q(z)) + E log p(z | u) + H(q(c)) + E log p(u) - E log q(u).
  double add(double weight, double* counts, double* uses) const {
    double local = sticks_.minus_divergence();
    std::vector<double> log_pi = sticks_.expected_logs();
    for (std::size_t n = 0; n < indices_.size(); ++n) {
      double* into = counts + indices_[n] * topics_;
      for (std::size_t t = 0; t < limits_.tables; ++t) {
        const double zeta = zeta_[n * limits_.tables + t];
        if (zeta <= 0) continue;
        local += counts_[n] * zeta * (log_pi[t] - std::log(zeta));
        const double part = weight * counts_[n] * zeta;
        const double* chosen = chosen_.data() + t * topics_;
        for (std::size_t k = 0; k < topics_; ++k) into[k] += part * chosen[k];
      }
    }
    for (std::size_t t = 0; t < limits_.tables; ++t) {
      for (std::size_t k = 0; k < topics_; ++k) {
        const double chosen = chosen_[t * topics_ + k];
        uses[k] += weight * chosen;
        if (chosen > 0) local -= chosen * std::log(chosen);
      }
    }
    return weight * local;
  }

  // E of the document's proportions of topics.
  std::vector<double> proportions() const {
    std::vector<double> result(topics_, 0.0);
    const std::vector<double> pi = sticks_.means();
    for (std::size_t t = 0; t < limits_.tables; ++t) {
      for (std::size_t k = 0; k < topics_; ++k) result[k] += pi[t] * chosen_[t * topics_ + k];
    }
    return result;
  }

 private:
  // The tables take the topics that words would choose without them, the most chosen first: tables that all
  // began alike would stay alike.
  void start_afresh() {
    std::vector<double> wanted(topics_, 0.0), logits(topics_);
    for (std::size_t n = 0; n < indices_.size(); ++n) {
      const double* log_row = words_.log_row(indices_[n]);
      for (std::size_t k = 0; k < topics_; ++k) logits[k] = log_row[k] + log_sigma_[k];
      softmax(logits);
      for (std::size_t k = 0; k < topics_; ++k) wanted[k] += counts_[n] * logits[k];
    }
    std::vector<std::size_t> order(topics_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wanted[a] > wanted[b]; });
    chosen_.assign(limits_.tables * topics_, 0.0);
    std::vector<double> held(limits_.tables);
    for (std::size_t t = 0; t < limits_.tables; ++t) {
      chosen_[t * topics_ + order[t % topics_]] = 1.0;
      held[t] = t < topics_ ? wanted[order[t]] : 0.0;
    }
    sticks_.update(held);
  }

  // q(z_n = t) in proportion to exp(E log pi_t + sum_k q(c_t = k) E log beta_kn).
  void assign_words() {
    const std::vector<double> log_pi = sticks_.expected_logs();
    std::vector<double> logits(limits_.tables);
    std::fill(tokens_.begin(), tokens_.end(), 0.0);
    for (std::size_t n = 0; n < indices_.size(); ++n) {
      const double* log_row = words_.log_row(indices_[n]);
      for (std::size_t t = 0; t < limits_.tables; ++t) {
        logits[t] = log_pi[t] + kernels::dot(chosen_.data() + t * topics_, log_row, topics_);
      }
      softmax(logits);
      for (std::size_t t = 0; t < limits_.tables; ++t) {
        zeta_[n * limits_.tables + t] = logits[t];
        tokens_[t] += counts_[n] * logits[t];
      }
    }
  }

  // q(c_t = k) in proportion to exp(E log sigma_k + sum_n n q(z_n = t) E log beta_kn).
  void choose_topics() {
    std::vector<double> logits(topics_);
    for (std::size_t t = 0; t < limits_.tables; ++t) {
      std::copy(log_sigma_.begin(), log_sigma_.end(), logits.begin());
      for (std::size_t n = 0; n < indices_.size(); ++n) {
        const double part = counts_[n] * zeta_[n * limits_.tables + t];
        if (part < 1e-300) continue;
        const double* log_row = words_.log_row(indices_[n]);
        for (std::size_t k = 0; k < topics_; ++k) logits[k] += part * log_row[k];
      }
      softmax(logits);
      std::copy(logits.begin(), logits.end(), chosen_.begin() + static_cast<std::ptrdiff_t>(t * topics_));
    }
  }

  static void softmax(std::vector<double>& logits) {
    const double largest = *std::max_element(logits.begin(), logits.end());
    for (double& logit : logits) logit -= largest;
    kernels::exp(logits.data(), logits.size(), logits.data());
    const double sum = std::accumulate(logits.begin(), logits.end(), 0.0);
    for (double& logit : logits) logit /= sum;
  }

  const TopicWords& words_;
  std::span<const double> log_sigma_;
  Limits limits_;
  std::size_t topics_;
  std::span<const std::uint32_t> indices_;
  std::span<const double> counts_;
  Sticks sticks_;
  std::vector<double> chosen_;  // q(c_t = k), tables x topics
  std::vector<double> zeta_;    // q(z_n = t), words x tables
  std::vector<double> tokens_;  // of tables
};

constexpr auto kTopics =
    CountOption("topics", 50, "The most topics of all documents together").from(2).to(100'000);
constexpr auto kTables = CountOption("tables", 10, "The most topics of one document").from(2).to(100'000);
constexpr auto kGamma =
    NumberOption("gamma", 1, "Concentration of the topics: the larger, the more of them").above(0);
constexpr auto kAlpha =
    NumberOption("alpha", 1, "Concentration in a document: the larger, the more topics it has").above(0);
constexpr auto kEta = NumberOption("eta", 0.01, "Prior of a topic's words, each word").above(0);

constexpr const OptionRecord* kOwnOptions[] = {&kTopics, &kTables, &kGamma, &kAlpha, &kEta};
constexpr auto kOptions = joined(kOwnOptions, kSharedTopicOptions);

class Hdp final : public Model {
 public:
  Hdp(const OptionValues& values, const Shape& shape)
      : topics_(values[kTopics]),
        limits_{.tolerance = values[option::kInnerTolerance],
                .rounds = values[option::kInnerRounds],
                .tables = values[kTables],
                .alpha = values[kAlpha],
                .fresh_passes = values[option::kFreshPasses]},
        top_(values[option::kTopWords]),
        writes_words_(values[option::kTopicWords]),
        words_(shape.columns, topics_, values[kEta]),
        sticks_(topics_, values[kGamma]) {}

  std::size_t statistics_size() const override { return words_.size() + topics_; }
  std::size_t local_size() const override { return HdpDocument::memory_size(topics_, limits_.tables); }
  std::size_t chunk() const override { return 64; }

  void begin(const Batch&, Random& random) override {
    words_.begin(random);
    sticks_.update(std::vector<double>(topics_, 1.0));
  }
  void prepare() override {
    words_.prepare();
    log_sigma_ = sticks_.expected_logs();
  }

  void local_step(const Batch& units, std::span<double> local, Statistics& statistics) const override {
    HdpDocument document(words_, log_sigma_, limits_);
    double* const counts = statistics.values.data();
    for (std::size_t d = 0; d < units.units; ++d) {
      const std::span<double> memory = local.empty() ? local : local.subspan(d * local_size(), local_size());
      run(document, units, d, memory);
      if (!memory.empty()) document.remember(memory);
      statistics.local += document.add(units.weight(d), counts, counts + words_.size());
      statistics.units += units.weight(d);
    }
  }

  std::size_t blocks() const override { return 2; }
  void global_step(std::size_t block, const Statistics& statistics, Mover& mover) override {
    if (block == 0) return words_.step(0, statistics.values.data(), mover);
    sticks_.step(1, statistics.values.data() + words_.size(), mover);
  }
  std::span<double> natural(std::size_t block) override {
    return block == 0 ? words_.parameters() : sticks_.parameters();
  }
  std::vector<double> mean_parameters(std::size_t block) const override {
    return block == 0 ? words_.mean_parameters() : sticks_.mean_parameters();
  }

  Terms elbo(const Statistics& statistics) const override {
    const double* const uses = statistics.values.data() + words_.size();
    const std::vector<double> log_sigma = sticks_.expected_logs();
    return {
        {"words", words_.expected_log(statistics.values.data())},
        {"documents", statistics.local + std::inner_product(log_sigma.begin(), log_sigma.end(), uses, 0.0)},
        {"topics", words_.minus_divergence()},
        {"topic weights", sticks_.minus_divergence()}};
  }

  void adopt_posterior_as_prior() override {
    words_.adopt_posterior_as_prior();
    sticks_.adopt_posterior_as_prior();
  }

  std::vector<double> state() const override {
    std::vector<double> result;
    sticks_.save(result);
    words_.save(result);
    return result;
  }
  void set_state(std::span<const double> state) override {
    sticks_.load(state);
    words_.load(state);
  }

  std::vector<ResultTable> tables(const Shape& shape) const override {
    std::vector<ResultTable> result = {weights(shape), words_.top_words(shape, top_)};
    if (writes_words_) result.push_back(words_.probabilities(shape));
    return result;
  }

  Figures figures() const override {
    Figures result;
    add_topic_figures(words_.tokens(), result);
    return result;
  }

  // Topics without words are what the process is for; to need all of them is not.
  Findings findings(const Statistics&) const override {
    const std::vector<double> tokens = words_.tokens();
    if (*std::min_element(tokens.begin(), tokens.end()) < 1) return {};
    return {{.code = "all-topics-in-use",
             .message = "All " + std::to_string(topics_) + " topics are in use.",
             .evidence = "the smallest has " +
                         std::to_string(*std::min_element(tokens.begin(), tokens.end())) + " tokens",
             .advice = "The truncation may decide how many topics there are: raise --topics."}};
  }

  std::string unit_table() const override { return "documents"; }
  std::vector<std::string> unit_columns(const Shape&) const override {
    std::vector<std::string> result;
    for (std::size_t k = 0; k < topics_; ++k) result.push_back(topic_name(k));
    return result;
  }
  void unit_lines(const Batch& units, std::vector<double>& cells) const override {
    HdpDocument document(words_, log_sigma_, fine_limits());
    for (std::size_t d = 0; d < units.units; ++d) {
      run(document, units, d, {});
      const std::vector<double> proportions = document.proportions();
      cells.insert(cells.end(), proportions.begin(), proportions.end());
    }
  }

  Score score(const Batch& units) const override {
    HdpDocument document(words_, log_sigma_, fine_limits());
    Score result;
    for (std::size_t d = 0; d < units.units; ++d) {
      const Halves halves = split_document(units, d);
      document.run(halves.seen_words, halves.seen_counts, {});
      add_completion(halves, document.proportions(), words_, units.weight(d), result);
    }
    return result;
  }

 private:
  // For results, whatever the fit used.
  HdpDocument::Limits fine_limits() const {
    return {.tolerance = 1e-6, .rounds = 1000, .tables = limits_.tables, .alpha = limits_.alpha};
  }

  static void run(HdpDocument& document, const Batch& units, std::size_t d, std::span<const double> memory) {
    const std::size_t begin = units.offsets[d];
    const std::size_t size = units.offsets[d + 1] - begin;
    document.run(units.indices.subspan(begin, size), units.values.subspan(begin, size), memory);
  }

  ResultTable weights(const Shape& shape) const {
    ResultTable table{
        .name = "topic_weights", .columns = {"tokens", "share", "weight"}, .cells = {}, .row_head = "topic"};
    const std::vector<double> tokens = words_.tokens();
    const std::vector<double> sigma = sticks_.means();
    const double all = std::max(std::accumulate(tokens.begin(), tokens.end(), 0.0), 1e-300);
    for (std::size_t k = 0; k < topics_; ++k) {
      table.row_names.push_back(topic_name(k));
      table.cells.insert(table.cells.end(), {tokens[k], tokens[k] / all, sigma[k]});
    }
    table.notes = words_.word_lists(shape);
    table.note_head = "words";
    return table;
  }

  std::size_t topics_;
  HdpDocument::Limits limits_;
  std::size_t top_;
  bool writes_words_;
  TopicWords words_;
  Sticks sticks_;
  std::vector<double> log_sigma_;
};

}  // namespace

extern const ModelRecord k_hdp;
const ModelRecord k_hdp = {
    .verb = "topics",
    .kind = "hdp",
    .summary = "Hierarchical Dirichlet process: topics as in lda, as many as the documents need.",
    .use_when = "documents as bags of words, and the number of topics is to be found.",
    .citation = "Teh, Jordan, Beal, Blei 2006; Wang, Paisley, Blei 2011",
    .data = DataKind::documents,
    .needs_counts = true,
    .options = kOptions,
    .make = [](const OptionValues& values, const Shape& shape) -> std::unique_ptr<Model> {
      return std::make_unique<Hdp>(values, shape);
    }};

}  // namespace kullback::conjugate
