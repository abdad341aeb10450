// What was found and what was looked at and is well, the worst first. The words of a finding are those of the
// record; what is said here are the checks that passed, so that a reader sees what "no problems" rests on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "base/advice.hpp"
#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/section.hpp"
#include "report/telling.hpp"
#include "stats/chains.hpp"

namespace kullback::report {

namespace {

// As the findings have them.
constexpr double kMaxRhat = 1.01;
constexpr double kMinEss = 400;
constexpr double kMinEnergyRatio = 0.3;

enum class Level { bad, caution, good };
constexpr std::string_view kLevelNames[] = {"bad", "caution", "good"};

// `picture` is a name in checks.js; several are separated by spaces.
struct Known {
  std::string_view code;
  std::string_view title;
  Level level;
  std::string_view pictures;
};

constexpr Known kKnown[] = {
    {"divergences", "Divergent transitions", Level::bad, "pair"},
    {"chains-apart", "Chains apart", Level::bad, "trace ranks"},
    {"rhat", "R-hat", Level::bad, "rhats ranks"},
    {"stuck-chain", "A chain stood still", Level::bad, "trace"},
    {"e-bfmi", "Energy", Level::bad, "energy"},
    {"khat", "Importance weights", Level::bad, "weights"},
    {"weights", "Importance weights", Level::bad, "weights"},
    {"not-finite", "Not finite", Level::bad, ""},
    {"gradient", "Gradient", Level::bad, ""},
    {"outside-support", "Outside the support", Level::bad, ""},
    {"infinite-bound", "The bound is infinite", Level::bad, "bound"},
    {"improper", "Perhaps improper", Level::bad, ""},
    {"unstable-step-size", "Step size", Level::bad, ""},
    {"not-converged", "Not converged", Level::bad, "bound"},
    {"few-draws", "Too few draws", Level::bad, ""},
    {"interrupted", "Interrupted", Level::caution, ""},
    {"ess", "Effective sample size", Level::caution, "ess"},
    {"tree-depth", "Tree depth", Level::caution, "depths"},
    {"heavy-tails", "Heavy tails", Level::caution, "density"},
    {"prior-data-conflict", "Prior and data disagree", Level::caution, "density"},
    {"strong-prior", "A strong prior", Level::caution, "density"},
};

Known known(const std::string& code) {
  for (const Known& one : kKnown)
    if (one.code == code) return one;
  return {code, "", Level::caution, ""};
}

struct Check {
  Finding finding;
  std::string title;
  Level level = Level::good;
  std::string pictures;
  std::vector<std::string> names;  // what the pictures show
};

const posterior::SummaryRow* largest(const std::vector<posterior::SummaryRow>& rows,
                                     std::optional<double> posterior::SummaryRow::*number, double sign) {
  const posterior::SummaryRow* found = nullptr;
  for (const posterior::SummaryRow& row : rows) {
    if (!(row.*number) || std::isnan(*(row.*number))) continue;
    if (found == nullptr || sign * *(row.*number) > sign * *(found->*number)) found = &row;
  }
  return found;
}

// A name that the evidence lists with its number: "tau (1.83)".
std::string named_in(const std::string& evidence, const std::vector<posterior::SummaryRow>& rows) {
  std::size_t first = std::string::npos;
  std::string name;
  for (const posterior::SummaryRow& row : rows) {
    const std::size_t at = evidence.find(row.name + " (");
    const bool is_whole = at != std::string::npos && (at == 0 || evidence[at - 1] == ' ');
    if (is_whole && at < first) {
      first = at;
      name = row.name;
    }
  }
  return name;
}

double divergent_share(const posterior::Posterior& draws) {
  const std::vector<double> divergent = draws.stat("divergent__");
  if (divergent.empty()) return 1;
  const auto count = std::count_if(divergent.begin(), divergent.end(), [](double flag) { return flag != 0; });
  return static_cast<double>(count) / static_cast<double>(divergent.size());
}

// Nearly well counts as a caution: what the ladder accepts, and R-hat below 1.05.
Level level_of(const Finding& finding, Level usual, const Result& result) {
  if (finding.code == "divergences" && divergent_share(result.draws()) <= 0.001) return Level::caution;
  const auto* row = largest(result.rows(), &posterior::SummaryRow::rhat, 1);
  if (finding.code == "rhat" && row != nullptr && *row->rhat < 1.05) return Level::caution;
  return usual;
}

Check found(const Finding& finding, const Result& result) {
  const Known kind = known(finding.code);
  Check check{finding,
              std::string(kind.title),
              level_of(finding, kind.level, result),
              std::string(kind.pictures),
              {}};
  if (finding.code == "divergences")
    check.names = telling_names(result);
  else if (const std::string name = named_in(finding.evidence, result.rows()); !name.empty())
    check.names = {name};
  else if (const auto* row = largest(result.rows(), &posterior::SummaryRow::rhat, 1))
    check.names = {row->name};
  return check;
}

class Checks final {
 public:
  explicit Checks(const Result& result) : result_(result) {
    for (const Finding& finding : result.record().findings) all_.push_back(found(finding, result));
    if (result.are_chains()) add_chain_checks();
    add_khat();
    std::stable_sort(all_.begin(), all_.end(),
                     [](const Check& a, const Check& b) { return a.level < b.level; });
  }

  const std::vector<Check>& all() const { return all_; }

 private:
  bool has(std::initializer_list<std::string_view> codes) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Check& check) {
      return std::find(codes.begin(), codes.end(), check.finding.code) != codes.end();
    });
  }

  // Said only where the record says nothing of it: well or not is by the numbers of the folder.
  void add(std::string_view code, bool is_well, std::string message, std::vector<std::string> names = {}) {
    const Known kind = known(std::string(code));
    all_.push_back({{std::string(code), std::move(message), "", ""},
                    std::string(kind.title),
                    is_well ? Level::good : Level::caution,
                    std::string(kind.pictures),
                    std::move(names)});
  }

  void add_chain_checks() {
    using Row = posterior::SummaryRow;
    const Row* rhat = largest(result_.rows(), &Row::rhat, 1);
    if (rhat != nullptr && !has({"rhat", "chains-apart", "few-draws"})) {
      const bool is_well = *rhat->rhat <= kMaxRhat;
      add("rhat", is_well,
          fmt::format("{}: R-hat is at most {:.3f} ({}), and up to 1.01 is well.",
                      is_well ? "The chains agree" : "The chains do not quite agree", *rhat->rhat,
                      rhat->name),
          {rhat->name});
    }
    const Row* bulk = largest(result_.rows(), &Row::ess_bulk, -1);
    const Row* tail = largest(result_.rows(), &Row::ess_tail, -1);
    if (bulk != nullptr && tail != nullptr && !has({"ess", "few-draws"})) {
      const bool is_well = std::min(*bulk->ess_bulk, *tail->ess_tail) >= kMinEss;
      add("ess", is_well,
          fmt::format(
              "{}: the chains are worth {:.0f} independent draws at least ({}), {:.0f} in the tails ({}); "
              "from 400 on is well.",
              is_well ? "Enough draws" : "Few draws", *bulk->ess_bulk, bulk->name, *tail->ess_tail,
              tail->name));
    }
    add_sampler_checks();
  }

  void add_sampler_checks() {
    const posterior::Posterior& draws = result_.draws();
    const std::vector<double> divergent = draws.stat("divergent__");
    if (!divergent.empty() && !has({"divergences"})) {
      const auto count =
          std::count_if(divergent.begin(), divergent.end(), [](double flag) { return flag != 0; });
      add("divergences", count == 0,
          fmt::format("{} of {} transitions diverged.", count == 0 ? "None" : std::to_string(count),
                      divergent.size()),
          telling_names(result_));
    }
    const std::vector<double> depths = draws.stat("treedepth__");
    if (!depths.empty() && !has({"tree-depth"}))
      add("tree-depth", true,
          fmt::format("Trajectories were not cut short: the longest took {:.0f} doublings.",
                      *std::max_element(depths.begin(), depths.end())));
    const std::vector<double> energy = draws.stat("energy__");
    if (energy.empty() || draws.draws() < 2 || has({"e-bfmi"})) return;
    double smallest = HUGE_VAL;
    for (std::size_t c = 0; c < draws.chains.size(); ++c)
      smallest =
          std::min(smallest, stats::e_bfmi(std::span(energy).subspan(c * draws.draws(), draws.draws())));
    if (std::isfinite(smallest))
      add("e-bfmi", smallest >= kMinEnergyRatio,
          fmt::format("{}: E-BFMI is at least {:.2f}, and from 0.3 on is well.",
                      smallest >= kMinEnergyRatio ? "The chains reach the tails"
                                                  : "The chains hardly reach the tails",
                      smallest));
  }

  // From the method's own account, else from the certificate.
  void add_khat() {
    if (has({"khat", "weights"})) return;
    std::string khat;
    const JsonValue* certificate = result_.json("certificate.json");
    const JsonValue* weights = certificate == nullptr ? nullptr : certificate->find("weights");
    if (const std::string* fact = run::find_fact(result_.record(), "khat")) {
      khat = *fact;
    } else if (weights != nullptr && number_in(*weights, "khat") < number_in(*weights, "khat_limit")) {
      khat = fmt::format("{:.2f}", number_in(*weights, "khat"));
    }
    if (khat.empty()) return;
    add("khat", true,
        fmt::format("Pareto k-hat of the importance weights is {}: the weights can repair what the "
                    "approximation misses.",
                    khat));
  }

  const Result& result_;
  std::vector<Check> all_;
};

std::string check_json(const Check& check) {
  return JsonObject()
      .text("code", check.finding.code)
      .text("title", check.title.empty() ? check.finding.code : check.title)
      .text("level", kLevelNames[static_cast<std::size_t>(check.level)])
      .text("message", without_marks(check.finding.message))
      .text("evidence", without_marks(check.finding.evidence))
      .text("advice", without_marks(check.finding.advice))
      .text("pictures", check.pictures)
      .raw("names", json_strings(check.names))
      .str();
}

}  // namespace

std::string checks_section(const Result& result) {
  const Checks checks(result);
  std::vector<std::string> items;
  for (const Check& check : checks.all()) items.push_back(check_json(check));
  if (items.empty() && result.record().method == "optimize") return {};
  return JsonObject().raw("checks", json_array(items)).str();
}

}  // namespace kullback::report
