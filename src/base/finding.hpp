// Something a run found out that a user should know: a sentence, its evidence, and what to do.
#pragma once

#include <string>
#include <vector>

namespace kullback {

struct Finding {
  std::string code;      // short and stable: "divergences", "rhat"
  std::string message;   // one sentence: "31 of 4000 transitions diverged (0.8 %)."
  std::string evidence;  // numbers and names behind it: "most with tau below 0.9 (its 5 % quantile)"
  std::string advice;    // what to do: "Raise --target-accept to 0.95, or reparametrise theta."
};

using Findings = std::vector<Finding>;

}  // namespace kullback
