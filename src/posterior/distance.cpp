// Each shared parameter is tested by itself, all together by up to three joint distances. The smallest
// p-value of the first group times their number, and of the second times theirs (Bonferroni), are the two
// evidences; the smaller of them, twice, is the p-value of all.
//
// The joint tests need independent draws. Of chains every s-th is taken, s = 2 tau - 1 with tau = draws /
// effective draws of the parameter that mixes worst: in an autoregressive process neighbours of those
// correlate by less than 0.05. Of draws with weights each is accepted with probability weight / largest
// weight: what is accepted are independent draws of the posterior.
#include "posterior/distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/try_thread.hpp"
#include "posterior/equal_weights.hpp"
#include "posterior/finding_parts.hpp"

namespace kullback::posterior {

namespace {

constexpr std::size_t kLeastDraws = 20;
constexpr std::size_t kLeastOfChain = 6;       // from here on chains have effective sample sizes
constexpr std::size_t kMostIndependent = 500;  // of each: the joint tests cost the square
constexpr std::uint32_t kRejectionPurpose = 2;

// One column of both posteriors.
struct Shared {
  std::string name;  // as shown
  std::size_t in_first = 0;
  std::size_t in_second = 0;
};

std::vector<std::string> parameter_names(const Posterior& posterior) {
  std::vector<std::string> names;
  for (const Variable& variable : find_variables(posterior.names))
    if (variable.first < posterior.parameters) names.push_back(variable.name);
  return names;
}

std::map<std::string, std::size_t> columns_of(const Posterior& posterior) {
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < posterior.generated; ++i) columns[posterior.names[i]] = i;
  return columns;
}

// Parameters of one that are no shared columns.
std::vector<std::string> missing_in(const Posterior& other, const Posterior& posterior) {
  const std::map<std::string, std::size_t> others = columns_of(other);
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < posterior.parameters; ++i)
    if (!others.contains(posterior.names[i])) missing.push_back(display_name(posterior.names[i]));
  return missing;
}

std::string names_or_none(const Posterior& posterior) {
  std::vector<std::string> names = parameter_names(posterior);
  constexpr std::size_t kMost = 6;
  if (names.size() > kMost) {
    const std::size_t more = names.size() - kMost;
    names.resize(kMost);
    names.push_back(fmt::format("{} more", more));
  }
  return names.empty() ? "no parameters" : listed(names);
}

std::vector<Shared> shared_columns(const DrawsOf& first, const DrawsOf& second) {
  const Posterior &a = first.posterior, &b = second.posterior;
  const std::map<std::string, std::size_t> others = columns_of(b);
  std::vector<Shared> shared;
  for (std::size_t i = 0; i < a.generated; ++i) {
    const auto other = others.find(a.names[i]);
    if (other == others.end() || (i >= a.parameters && other->second >= b.parameters)) continue;
    shared.push_back({display_name(a.names[i]), i, other->second});
  }
  if (!shared.empty()) return shared;
  throw Error(ErrorKind::bad_input,
              fmt::format("{} and {} have no parameter in common: the first has {}, the second {}.",
                          first.name, second.name, names_or_none(a), names_or_none(b)),
              "Distances are between parameters of the same names.");
}

void check_draws(const DrawsOf& of) {
  const std::size_t draws = of.posterior.draws(), all = draws * of.posterior.chains.size();
  if (all >= kLeastDraws && (!of.is_markov || draws >= kLeastOfChain)) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: has {}; a distance needs at least {}{}.", of.name, counted(all, "draw"),
                          kLeastDraws, of.is_markov ? fmt::format(", {} in each chain", kLeastOfChain) : ""),
              "`kullback fit MODEL DATA --draws 1000` makes enough.");
}

void check_finite(const DrawsOf& of, const std::string& name, const std::vector<double>& values) {
  const auto at =
      std::find_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
  if (at == values.end()) return;
  const auto place = static_cast<std::size_t>(at - values.begin());
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {} is {} in draw {} of chain {}; distances need finite draws.", of.name, name,
                          *at, place % of.posterior.draws() + 1, place / of.posterior.draws() + 1),
              fmt::format("`kullback diagnose {}` tells more.", of.name));
}

// Draws with weights as draws of equal weight, for what needs no independent ones.
class Draws final {
 public:
  Draws(const DrawsOf& of, std::uint64_t seed)
      : of_(of), weights_(of.is_markov ? std::vector<double>() : of.posterior.weights()), seed_(seed) {
    check_draws(of);
    if (!weights_.empty()) equal_ = with_equal_weights(of.posterior, seed);
  }

  std::vector<double> column(const std::string& name, std::size_t index) const {
    std::vector<double> values = (equal_ ? *equal_ : of_.posterior).column(index);
    check_finite(of_, name, values);
    return values;
  }

  stats::Sample sample(const std::vector<double>& column) const {
    if (of_.is_markov) return stats::sample_of(of_.posterior.chains_of(column));
    double squares = 0;
    for (const double weight : weights_) squares += weight * weight;
    return stats::sample_of(column, weights_.empty() ? static_cast<double>(column.size()) : 1 / squares);
  }

  // Places in the columns of the posterior itself; `effective`: of the parameter that mixes worst.
  std::vector<std::size_t> independent(double effective) const {
    return weights_.empty() ? thinned(effective) : accepted();
  }

 private:
  std::vector<std::size_t> thinned(double effective) const {
    const std::size_t draws = of_.posterior.draws(), chains = of_.posterior.chains.size();
    const double tau = of_.is_markov ? static_cast<double>(draws * chains) / effective : 1;
    const auto stride = static_cast<std::size_t>(std::max(std::round(2 * tau - 1), 1.0));
    const std::size_t kept = std::min(draws / stride, std::max<std::size_t>(kMostIndependent / chains, 1));
    std::vector<std::size_t> places;
    for (std::size_t chain = 0; chain < chains; ++chain)
      for (std::size_t i = 0; i < kept; ++i) places.push_back(chain * draws + i * draws / kept);
    if (places.size() > kMostIndependent) places.resize(kMostIndependent);
    return places;
  }

  std::vector<std::size_t> accepted() const {
    const double largest = *std::max_element(weights_.begin(), weights_.end());
    Random random(seed_, 0, kRejectionPurpose, 0);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < weights_.size() && places.size() < kMostIndependent; ++i)
      if (random.uniform() * largest < weights_[i]) places.push_back(i);
    return places;
  }

  const DrawsOf& of_;
  std::vector<double> weights_;
  std::uint64_t seed_;
  std::optional<Posterior> equal_;
};

// What a parameter has beside its row.
struct Measured {
  ParameterDistance row;
  double center = 0, unit = 0;  // of both together; unit 0: constant in both
  double first_rhat = 0, second_rhat = 0;
};

class Pair final {
 public:
  Pair(const DrawsOf& first, const DrawsOf& second, const DistanceOptions& options)
      : first_of_(first),
        second_of_(second),
        shared_(shared_columns(first, second)),
        first_(first, options.seed),
        second_(second, options.seed),
        options_(options) {}

  // In two threads where there are two.
  std::vector<Measured> measure() const {
    const stats::MarginalComparison compare(options_.seed);
    std::vector<Measured> all(shared_.size());
    const auto measure_from = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) all[i] = measure(shared_[i], compare);
    };
    const std::size_t middle = shared_.size() / 2;
    auto upper = async_where_possible([&] { measure_from(middle, shared_.size()); });
    measure_from(0, middle);
    upper.get();
    return all;
  }

  void add_joint(const std::vector<Measured>& measured, Distance& result) const {
    std::vector<std::size_t> varying;
    double first_effective = INFINITY, second_effective = INFINITY;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (measured[i].unit == 0) continue;
      varying.push_back(i);
      first_effective = std::min(first_effective, measured[i].row.first_effective);
      second_effective = std::min(second_effective, measured[i].row.second_effective);
    }
    if (varying.size() < 2) {
      result.why_no_joint = "There is one parameter: its row says all.";
      return;
    }
    const std::vector<std::size_t> of_first = first_.independent(first_effective),
                                   of_second = second_.independent(second_effective);
    result.first_independent = of_first.size(), result.second_independent = of_second.size();
    for (const auto& [draws, name] :
         {std::pair(of_first.size(), first_of_.name), {of_second.size(), second_of_.name}})
      if (draws < kLeastDraws && result.why_no_joint.empty())
        result.why_no_joint = fmt::format(
            "Nothing is said of all parameters together: {} has {} that can pass for independent, of {} "
            "needed.",
            name, counted(draws, "draw"), kLeastDraws);
    if (!result.why_no_joint.empty()) return;
    const std::vector<double> x = points(first_of_, varying, measured, of_first, &Shared::in_first),
                              y = points(second_of_, varying, measured, of_second, &Shared::in_second);
    result.joint = stats::joint_distances({x, varying.size()}, {y, varying.size()},
                                          {.permutations = options_.permutations, .seed = options_.seed});
  }

 private:
  Measured measure(const Shared& shared, const stats::MarginalComparison& compare) const {
    const std::vector<double> first = first_.column(shared.name, shared.in_first),
                              second = second_.column(shared.name, shared.in_second);
    const stats::Sample a = first_.sample(first), b = second_.sample(second);
    return {.row = {shared.name, compare(a, b), a.effective, b.effective},
            .center = a.mean,
            .unit = std::sqrt((a.sd * a.sd + b.sd * b.sd) / 2),
            .first_rhat = a.rhat,
            .second_rhat = b.rhat};
  }

  // Point after point, in sds.
  std::vector<double> points(const DrawsOf& of, const std::vector<std::size_t>& varying,
                             const std::vector<Measured>& measured, const std::vector<std::size_t>& places,
                             std::size_t Shared::*index) const {
    std::vector<double> result(places.size() * varying.size());
    for (std::size_t j = 0; j < varying.size(); ++j) {
      const Measured& in = measured[varying[j]];
      const std::vector<double> column = of.posterior.column(shared_[varying[j]].*index);
      for (std::size_t i = 0; i < places.size(); ++i)
        result[i * varying.size() + j] = (column[places[i]] - in.center) / in.unit;
    }
    return result;
  }

  const DrawsOf& first_of_;
  const DrawsOf& second_of_;
  std::vector<Shared> shared_;
  Draws first_, second_;
  const DistanceOptions& options_;
};

void note_rhat(double rhat, const std::string& parameter, const std::string& of, Distance& result) {
  if (std::isnan(rhat) || rhat <= result.largest_rhat) return;
  result.largest_rhat = rhat;
  result.largest_rhat_name = fmt::format("{} of {}", parameter, of);
}

// Constants that differ have rows: they are infinitely far apart.
void take_rows(std::vector<Measured> measured, Distance& result) {
  for (Measured& of : measured) {
    note_rhat(of.first_rhat, of.row.name, result.first, result);
    note_rhat(of.second_rhat, of.row.name, result.second, result);
    const bool is_same_constant = of.unit == 0 && of.row.apart.wasserstein == 0;
    if (is_same_constant)
      result.constant.push_back(std::move(of.row.name));
    else
      result.parameters.push_back(std::move(of.row));
  }
  const auto beyond_noise = [](const ParameterDistance& of) { return of.apart.wasserstein - of.apart.noise; };
  std::stable_sort(result.parameters.begin(), result.parameters.end(),
                   [&](const auto& a, const auto& b) { return beyond_noise(a) > beyond_noise(b); });
}

double smallest_joint_p(const stats::JointDistances& joint) {
  const double both = std::min(joint.mmd_squared.p_value, joint.sliced_wasserstein.p_value);
  return joint.gaussian_kl ? 3 * std::min(both, joint.gaussian_kl->p_value) : 2 * both;
}

void judge(Distance& result) {
  const double groups = result.joint ? 2 : 1, tests = groups * static_cast<double>(result.parameters.size());
  result.p_value = result.joint ? groups * smallest_joint_p(*result.joint) : 1;
  bool are_equal = true;
  for (ParameterDistance& of : result.parameters) {
    of.differs = of.apart.p_value * tests < result.level;
    result.p_value = std::min(result.p_value, of.apart.p_value * tests);
    are_equal = are_equal && of.apart.wasserstein == 0;
  }
  result.p_value = std::min(result.p_value, 1.0);
  result.verdict = are_equal                       ? DistanceVerdict::same_draws
                   : result.p_value < result.level ? DistanceVerdict::differ
                                                   : DistanceVerdict::none_found;
}

}  // namespace

Distance distance(const DrawsOf& first, const DrawsOf& second, const DistanceOptions& options) {
  const Pair pair(first, second, options);
  Distance result;
  result.first = first.name, result.second = second.name, result.level = options.level;
  result.only_in_first = missing_in(second.posterior, first.posterior);
  result.only_in_second = missing_in(first.posterior, second.posterior);
  std::vector<Measured> measured = pair.measure();
  pair.add_joint(measured, result);
  take_rows(std::move(measured), result);
  if (result.parameters.empty())
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{} and {}: no parameter that they share varies in either.", first.name, second.name),
        "Constants have no distances.");
  judge(result);
  return result;
}

}  // namespace kullback::posterior
