// Latent Dirichlet allocation (Blei, Ng, Jordan 2003; Hoffman, Blei, Bach 2010):
//   beta_k ~ Dirichlet(eta),  theta_d ~ Dirichlet(alpha),  z_dn ~ theta_d,  word_dn ~ beta_{z_dn}.
// Statistics: n_wk = sum_d n_dw phi_dwk, then sum_d E log theta_dk.
#include <algorithm>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/random.hpp"
#include "conjugate/record.hpp"
#include "conjugate/topics/topic_completion.hpp"
#include "conjugate/topics/topic_document.hpp"
#include "conjugate/topics/topic_options.hpp"
#include "conjugate/topics/topic_words.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {

namespace {

constexpr auto kTopics = CountOption("topics", 10, "Number of topics").from(1).to(100'000);
constexpr auto kAlpha =
    NumberOption("alpha", "Prior of a document's proportions, each topic (default: 1 / topics)")
        .above(0)
        .hinted("Leave it out to take 1 / topics.");
constexpr auto kEta = NumberOption("eta", "Prior of a topic's words, each word (default: 1 / topics)")
                          .above(0)
                          .hinted("Leave it out to take 1 / topics.");
constexpr auto kLearnAlpha =
    FlagOption("learn_alpha", false, "Whether alpha is learned, one for each topic, by Newton steps");

constexpr const OptionRecord* kOwnOptions[] = {&kTopics, &kAlpha, &kEta, &kLearnAlpha};
constexpr auto kOptions = joined(kOwnOptions, kSharedTopicOptions);

double or_share(std::optional<double> given, std::size_t topics) {
  return given.value_or(1.0 / static_cast<double>(topics));
}

class Lda final : public Model {
 public:
  Lda(const OptionValues& values, const Shape& shape)
      : topics_(values[kTopics]),
        limits_{.tolerance = values[option::kInnerTolerance],
                .rounds = values[option::kInnerRounds],
                .fresh_passes = values[option::kFreshPasses]},
        learns_alpha_(values[kLearnAlpha]),
        top_(values[option::kTopWords]),
        writes_words_(values[option::kTopicWords]),
        alpha_(topics_, or_share(values.given(kAlpha), topics_)),
        words_(shape.columns, topics_, or_share(values.given(kEta), topics_)) {}

  std::size_t statistics_size() const override { return words_.size() + topics_; }
  std::size_t local_size() const override { return DocumentAscent::memory_size(topics_); }
  std::size_t chunk() const override { return 128; }

  void begin(const Batch&, Random& random) override { words_.begin(random); }
  void prepare() override { words_.prepare(); }

  void local_step(const Batch& units, std::span<double> local, Statistics& statistics) const override {
    DocumentAscent ascent(words_, alpha_, limits_);
    double* const counts = statistics.values.data();
    for (std::size_t d = 0; d < units.units; ++d) {
      const auto [words, numbers] = document(units, d);
      if (local.empty()) {
        ascent.run(words, numbers);
      } else {
        ascent.run_again(words, numbers, local.subspan(d * local_size(), local_size()));
      }
      statistics.local += ascent.add(units.weight(d), counts, counts + words_.size());
      statistics.units += units.weight(d);
    }
  }

  std::size_t blocks() const override { return learns_alpha_ ? 2 : 1; }

  void global_step(std::size_t block, const Statistics& statistics, Mover& mover) override {
    documents_ = statistics.units;
    if (block == 0) return words_.step(0, statistics.values.data(), mover);
    const std::vector<double> target = alpha_target(statistics);
    mover.move(1, alpha_, target, [](std::span<const double> alpha) {
      return std::all_of(alpha.begin(), alpha.end(), [](double value) { return value >= kSmallestAlpha; });
    });
  }

  std::span<double> natural(std::size_t block) override {
    return block == 0 ? words_.parameters() : std::span<double>(alpha_);
  }

  // alpha is a point; its Newton step is a natural-gradient step in the family Dirichlet(alpha) of documents.
  std::vector<double> mean_parameters(std::size_t block) const override {
    if (block == 0) return words_.mean_parameters();
    std::vector<double> result(topics_);
    const double of_sum = math::digamma_positive(sum_of(alpha_));
    for (std::size_t k = 0; k < topics_; ++k) {
      result[k] = documents_ * (math::digamma_positive(alpha_[k]) - of_sum);
    }
    return result;
  }

  Terms elbo(const Statistics& statistics) const override {
    const double* const counts = statistics.values.data();
    return {{"words", words_.expected_log(counts)},
            {"document proportions", log_prior(alpha_, statistics) + statistics.local},
            {"topics", words_.minus_divergence()}};
  }

  void adopt_posterior_as_prior() override { words_.adopt_posterior_as_prior(); }

  std::vector<double> state() const override {
    std::vector<double> result = {documents_};
    result.insert(result.end(), alpha_.begin(), alpha_.end());
    words_.save(result);
    return result;
  }
  void set_state(std::span<const double> state) override {
    documents_ = state[0];
    std::copy_n(state.begin() + 1, topics_, alpha_.begin());
    state = state.subspan(1 + topics_);
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

  Findings findings(const Statistics&) const override {
    Findings result;
    add_empty_topics(words_.tokens(), result);
    return result;
  }

  std::string unit_table() const override { return "documents"; }
  std::vector<std::string> unit_columns(const Shape&) const override {
    std::vector<std::string> result;
    for (std::size_t k = 0; k < topics_; ++k) result.push_back(topic_name(k));
    return result;
  }
  void unit_lines(const Batch& units, std::vector<double>& cells) const override {
    DocumentAscent ascent(words_, alpha_, kFineLimits);
    for (std::size_t d = 0; d < units.units; ++d) {
      const auto [words, counts] = document(units, d);
      ascent.run(words, counts);
      const double sum = std::accumulate(ascent.gamma().begin(), ascent.gamma().end(), 0.0);
      for (const double gamma : ascent.gamma()) cells.push_back(gamma / sum);
    }
  }

  Score score(const Batch& units) const override {
    DocumentAscent ascent(words_, alpha_, kFineLimits);
    Score result;
    for (std::size_t d = 0; d < units.units; ++d) {
      const Halves halves = split_document(units, d);
      ascent.run(halves.seen_words, halves.seen_counts);
      add_completion(halves, ascent.gamma(), words_, units.weight(d), result);
    }
    return result;
  }

 private:
  static constexpr double kSmallestAlpha = 1e-5;
  // For results, whatever the fit used.
  static constexpr DocumentAscent::Limits kFineLimits = {.tolerance = 1e-6, .rounds = 1000};

  static double sum_of(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

  static std::pair<std::span<const std::uint32_t>, std::span<const double>> document(const Batch& units,
                                                                                     std::size_t d) {
    const std::size_t begin = units.offsets[d];
    const std::size_t size = units.offsets[d + 1] - begin;
    return {units.indices.subspan(begin, size), units.values.subspan(begin, size)};
  }

  // sum_d E log p(theta_d | alpha).
  double log_prior(const std::vector<double>& alpha, const Statistics& statistics) const {
    const double* const log_theta = statistics.values.data() + words_.size();
    double normaliser = math::log_gamma(sum_of(alpha));
    double sum = 0;
    for (std::size_t k = 0; k < topics_; ++k) {
      normaliser -= math::log_gamma(alpha[k]);
      sum += (alpha[k] - 1) * log_theta[k];
    }
    return statistics.units * normaliser + sum;
  }

  // One Newton step of log_prior (Minka 2000), shortened until it does not fall. The Hessian is a diagonal
  // matrix less a constant, -D diag(trigamma(alpha_k)) + D trigamma(sum alpha).
  std::vector<double> alpha_target(const Statistics& statistics) const {
    const double documents = statistics.units;
    if (!(documents > 0)) return alpha_;
    const double* const log_theta = statistics.values.data() + words_.size();
    const double of_sum = math::digamma_positive(sum_of(alpha_));
    std::vector<double> slope(topics_), curvature(topics_);
    double weighted = 0, inverse = -1 / boost::math::trigamma(sum_of(alpha_));
    for (std::size_t k = 0; k < topics_; ++k) {
      slope[k] = log_theta[k] / documents + of_sum - math::digamma_positive(alpha_[k]);
      curvature[k] = boost::math::trigamma(alpha_[k]);
      weighted += slope[k] / curvature[k];
      inverse += 1 / curvature[k];
    }
    const double common = weighted / inverse;
    const double value = log_prior(alpha_, statistics);
    std::vector<double> result(topics_);
    for (double part = 1; part > 1e-10; part /= 2) {
      bool is_inside = true;
      for (std::size_t k = 0; k < topics_; ++k) {
        result[k] = alpha_[k] + part * (slope[k] - common) / curvature[k];
        is_inside = is_inside && result[k] >= kSmallestAlpha;
      }
      if (is_inside && log_prior(result, statistics) >= value) return result;
    }
    return alpha_;
  }

  ResultTable weights(const Shape& shape) const {
    ResultTable table{
        .name = "topic_weights", .columns = {"tokens", "share", "alpha"}, .cells = {}, .row_head = "topic"};
    const std::vector<double> tokens = words_.tokens();
    const double all = std::max(sum_of(tokens), 1e-300);
    for (std::size_t k = 0; k < topics_; ++k) {
      table.row_names.push_back(topic_name(k));
      table.cells.insert(table.cells.end(), {tokens[k], tokens[k] / all, alpha_[k]});
    }
    table.notes = words_.word_lists(shape);
    table.note_head = "words";
    return table;
  }

  std::size_t topics_;
  DocumentAscent::Limits limits_;
  bool learns_alpha_;
  std::size_t top_;
  bool writes_words_;
  double documents_ = 0;  // of the last statistics
  std::vector<double> alpha_;
  TopicWords words_;
};

}  // namespace

extern const ModelRecord k_lda;
const ModelRecord k_lda = {
    .verb = "topics",
    .kind = "lda",
    .summary =
        "Latent Dirichlet allocation: each document is a mixture of topics, each topic a distribution of "
        "words.",
    .use_when = "documents as bags of words, and a number of topics chosen beforehand.",
    .citation = "Blei, Ng, Jordan 2003; Hoffman, Blei, Bach 2010",
    .data = DataKind::documents,
    .needs_counts = true,
    .options = kOptions,
    .make = [](const OptionValues& values, const Shape& shape) -> std::unique_ptr<Model> {
      return std::make_unique<Lda>(values, shape);
    }};

}  // namespace kullback::conjugate
