// Each advice is tried: what it says to add is added to the command that was run, for every method and for
// the ladder, and must be accepted.
#include "fit/finding_advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "fit/request_options.hpp"
#include "infer/options.hpp"
#include "posterior/summary.hpp"
#include "tests/posterior/made_posterior.hpp"

namespace kullback::fit {
namespace {

using posterior::Chain;
using posterior::Maker;
using posterior::Posterior;

Maker offset(std::string name, std::vector<double> by_chain) {
  return {std::move(name), [by_chain = std::move(by_chain)](Random& random, std::size_t c, std::size_t) {
            return by_chain[c % by_chain.size()] + random.normal();
          }};
}

Maker drifting(std::string name) {
  return {std::move(name), [](Random& random, std::size_t c, std::size_t d) {
            return (c == 0 ? 0.02 * static_cast<double>(d) : 0.0) + random.normal();
          }};
}

Maker still(std::string name) {
  return {std::move(name), [](Random& random, std::size_t c, std::size_t d) {
            return c == 0 ? 0.1 * static_cast<double>(d / 400) : random.normal();
          }};
}

Posterior with_stats(Posterior made) {
  posterior::add_stat(made, "divergent__", [](const Chain& chain, std::size_t, std::size_t d) {
    return chain.columns[d] < -1 ? 1 : 0;
  });
  posterior::add_stat(made, "treedepth__", [](const Chain&, std::size_t, std::size_t) { return 10; });
  double last = 0;
  Random random(3);
  posterior::add_stat(made, "energy__", [&](const Chain&, std::size_t, std::size_t) {
    last = 0.99 * last + random.normal();
    return last;
  });
  return made;
}

// Something of everything that draws can show.
std::map<std::string, Posterior> troubles() {
  using posterior::make_posterior;
  using posterior::normal;
  std::map<std::string, Posterior> all;
  all["sampler"] = with_stats(make_posterior({normal("mu"), normal("tau")}, 4, 1000));
  all["apart"] = make_posterior({offset("mu", {0, 0, 0, 9})}, 4, 1000);
  all["drift"] = make_posterior({drifting("mu")}, 4, 1000);
  all["labels"] = make_posterior({offset("mu.1", {0, 9}), offset("mu.2", {9, 0})}, 4, 1000);
  all["stuck"] = make_posterior({still("mu")}, 4, 1000);
  all["rhat"] = make_posterior({offset("mu", {0, 0, 0, 0.5})}, 4, 1000);
  all["far"] = make_posterior({offset("mu", {0, 0, 0, 1.2})}, 4, 1000);
  all["short"] = make_posterior({normal("mu")}, 4, 60);
  all["few"] = make_posterior({normal("mu")}, 1, 3);
  Posterior weighted = make_posterior({normal("mu")}, 1, 1000);
  for (std::size_t d = 0; d < 1000; ++d)
    weighted.chains[0].log_weight.push_back(d < 3 ? 50.0 * static_cast<double>(d) : 0.0);
  all["weights"] = std::move(weighted);
  return all;
}

// What stands in code spans, as a command line would have it; an option without a value is "".
GivenTexts options_to_paste(const std::string& advice) {
  GivenTexts given;
  std::size_t at = 0;
  while ((at = advice.find("`--", at)) != std::string::npos) {
    const std::size_t end = advice.find('`', at + 1);
    std::istringstream words(advice.substr(at + 1, end - at - 1));
    std::string name;
    for (std::string word; words >> word;) {
      if (word.starts_with("--")) {
        name = options_in(word).at(0);
        given[name];
      } else {
        given[name] = word;
      }
    }
    at = end + 1;
  }
  return given;
}

run::RunRecord record_of(const infer::Method& method) {
  run::RunRecord record;
  record.method = method.name;
  record.options.set(method.options, {});
  return record;
}

Findings findings_of(const Posterior& made, const run::RunRecord& record) {
  const posterior::FindingOptions options = finding_options(record);
  return posterior::find_problems(made, posterior::summarize(made, options.is_markov), options);
}

// "" where the command takes what the advice says.
std::string refusal(GivenTexts command, const std::string& advice) {
  const GivenTexts pasted = options_to_paste(advice);
  for (const auto& [name, value] : pasted) command[name] = value;
  try {
    const Request request = make_request(command, {"model.stan", ""});
    for (const std::string& name : options_in(advice)) {
      check_names({{name, ""}});
      if (find_option(infer::all_options(), name) != nullptr && !reads(*request.method, name))
        return "--" + name + " is not read";
    }
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(FindingAdvice, IsAcceptedByEveryMethod) {
  std::map<std::string, int> seen;
  for (const auto& [trouble, made] : troubles()) {
    for (const infer::Method* method : infer::methods()) {
      for (const Finding& finding : findings_of(made, record_of(*method))) {
        ++seen[finding.code];
        EXPECT_EQ(refusal({{"method", std::string(method->name)}}, finding.advice), "")
            << trouble << ", " << method->name << ": " << finding.advice;
      }
    }
  }
  for (const char* code : {"divergences", "tree-depth", "e-bfmi", "stuck-chain", "chains-apart", "rhat",
                           "ess", "few-draws", "weights"})
    EXPECT_GT(seen[code], 0) << code;
}

TEST(FindingAdvice, IsAcceptedByTheDefaultMethod) {
  int named = 0;
  for (const auto& [trouble, made] : troubles()) {
    for (const char* rung : {"laplace", "pathfinder", "fullrank", "lowrank", "flow", "nuts", "tempering"}) {
      run::RunRecord record = record_of(*infer::find_method(rung));
      record.rungs.push_back({rung, "cannot tell", 1, ""});
      Findings findings = findings_of(made, record);
      name_method(record, findings);
      for (const Finding& finding : findings) {
        named += options_to_paste(finding.advice).contains("method") ? 1 : 0;
        EXPECT_EQ(refusal({}, finding.advice), "") << trouble << ", " << rung << ": " << finding.advice;
      }
    }
  }
  EXPECT_GT(named, 10);
}

TEST(FindingAdvice, KeepsTheAcceptanceThatTheLadderRaised) {
  run::RunRecord record = record_of(*infer::find_method("nuts"));
  record.rungs.push_back({"nuts", "cannot tell", 1, ""});
  record.options.set("target_accept", 0.99);
  Findings findings = {{"ess", "", "", "`--draws 3000` should be enough."}, {"other", "", "", "Look again."}};
  name_method(record, findings);
  EXPECT_EQ(findings[0].advice,
            "`--draws 3000` should be enough. Add `--method nuts --target-accept 0.99`: the default method "
            "chooses these options itself.");
  EXPECT_EQ(findings[1].advice, "Look again.");
  record.options.set("budget", 3.0);
  findings[0].advice = "`--draws 3000` should be enough.";
  name_method(record, findings);
  EXPECT_EQ(
      findings[0].advice,
      "`--draws 3000` should be enough. Add `--method nuts --target-accept 0.99` and leave --budget out: "
      "the default method chooses these options itself.");
}

}  // namespace
}  // namespace kullback::fit
