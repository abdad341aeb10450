#include "fit/program_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/stop.hpp"
#include "fit/propriety.hpp"
#include "lang/lint.hpp"
#include "lang/program.hpp"
#include "tape/higher_order/stiff_refusals.hpp"

namespace kullback::fit {

namespace {

constexpr std::string_view kNoPrior = "no-prior";
constexpr std::string_view kPointMethod = "optimize";  // whose answer is no posterior
constexpr std::string_view kUnused = "unused-variable";
// Others are about style, speed or what only shows where it is run.
constexpr std::string_view kBearOnAnswers[] = {
    kNoPrior,       "multiple-priors", "vague-gamma",      "hard-bounds",      "uniform-bounds",
    "empty-bounds", "out-of-support",  "jacobian-missing", "parameter-branch", "uninitialized-variable"};
constexpr std::size_t kPlacesShown = 3;

const lang::Variable* parameter_at(const lang::Program& program, Span span) {
  for (const lang::Stmt* stmt : program.block(lang::BlockKind::parameters)) {
    const auto* declare = stmt->as<lang::Declare>();
    if (declare != nullptr && declare->variable->span == span) return declare->variable;
  }
  return nullptr;
}

bool bears_on_answer(const Diagnostic& lint, const lang::Program& program) {
  if (lint.severity != Severity::warning) return false;
  if (lint.code == kUnused) return parameter_at(program, lint.span) != nullptr;
  return std::find(std::begin(kBearOnAnswers), std::end(kBearOnAnswers), lint.code) !=
         std::end(kBearOnAnswers);
}

// All lints of one code.
Finding folded(const std::vector<const Diagnostic*>& lints, const SourceMap& sources) {
  const Diagnostic& first = *lints.front();
  Finding finding{first.code, first.message, "", first.hint};
  if (lints.size() > 1)
    finding.message +=
        fmt::format(" The same holds in {} more place{}.", lints.size() - 1, lints.size() == 2 ? "" : "s");
  for (std::size_t i = 0; i < std::min(kPlacesShown, lints.size()); ++i) {
    const Position at = sources.position(lints[i]->span.file, lints[i]->span.begin);
    finding.evidence +=
        fmt::format("{}{}:{}:{}", i == 0 ? "" : ", ", sources.name(lints[i]->span.file), at.line, at.column);
  }
  if (lints.size() > kPlacesShown) finding.evidence += ", ...";
  return finding;
}

Findings findings_of(const Diagnostics& lints, const LoadedProgram& program) {
  std::vector<std::vector<const Diagnostic*>> by_code;
  for (const Diagnostic& lint : lints) {
    if (!bears_on_answer(lint, *program.understood.program)) continue;
    auto same = std::find_if(by_code.begin(), by_code.end(),
                             [&](const auto& group) { return group.front()->code == lint.code; });
    if (same == by_code.end()) same = by_code.insert(same, {{}});
    same->push_back(&lint);
  }
  Findings findings;
  for (const auto& group : by_code) findings.push_back(folded(group, program.sources));
  return findings;
}

// Without a prior, or not even in the density.
std::vector<std::string> without_prior(const Diagnostics& lints, const lang::Program& program) {
  std::vector<std::string> names;
  for (const Diagnostic& lint : lints) {
    if (lint.code != kNoPrior && lint.code != kUnused) continue;
    if (const lang::Variable* parameter = parameter_at(program, lint.span))
      names.emplace_back(parameter->name);
  }
  return names;
}

// What is known of a posterior's being proper.
struct Propriety {
  std::vector<std::string> without_prior;
  std::vector<ImproperWay> improper;
};

Propriety propriety_of(const LoadedModel& model, const infer::Draws& draws, const Diagnostics& lints) {
  Propriety result;
  result.without_prior = without_prior(lints, *model.program->understood.program);
  const bool is_quick = model.stan != nullptr;  // not where each evaluation reads the data from files
  if (!is_quick || result.without_prior.empty()) return result;
  try {
    result.improper = improper_ways(result.without_prior, *model.density, draws);
  } catch (const Interrupted&) {  // not known: the results are written all the same
  }
  return result;
}

std::string names_of(const std::vector<ImproperWay>& ways) {
  std::vector<std::string> names;
  for (const ImproperWay& way : ways) names.push_back(way.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void note(const Propriety& propriety, certify::Certificate& certificate) {
  certificate.without_prior = propriety.without_prior;
  if (propriety.improper.empty()) return;
  if (certificate.verdict == certify::Verdict::met) certificate.verdict = certify::Verdict::cannot_tell;
  certificate.reasons.insert(certificate.reasons.begin(),
                             {certify::ReasonCode::improper,
                              fmt::format("The posterior is improper along {}: it has no mean and standard "
                                          "deviation to be near to.",
                                          names_of(propriety.improper))});
}

Finding improper_finding(const std::vector<ImproperWay>& improper) {
  return {"improper-posterior",
          fmt::format("The posterior is improper: far out along {} its density does not fall, so that its "
                      "integral is infinite.",
                      names_of(improper)),
          "The draws show only the part of it that the chains or the approximation found.",
          fmt::format("Give {} a proper prior.", improper.front().parameters.front())};
}

// A solver that gave up makes the density 0 there, which it is not.
Findings stiffness_findings(const LoadedModel& model) {
  Findings findings;
  if (model.stan == nullptr || model.stan->tape() == nullptr) return findings;
  for (const auto& [solver, count] : tape::stiff_refusals(*model.stan->tape())) {
    std::string with_steps = solver + (solver.starts_with("ode_") ? "_tol" : "");
    findings.push_back(
        {"stiff-ode",
         fmt::format("{} gave up {} time{}, where stability had limited 500,000 of its steps.", solver, count,
                     count == 1 ? "" : "s"),
         "Points where it gives up count as impossible; where the posterior has mass at them, it is missing "
         "from the draws.",
         fmt::format("Use ode_bdf, which is made for stiff systems, or {} with a number of steps, which it "
                     "then takes.",
                     with_steps)});
  }
  return findings;
}

}  // namespace

void note_propriety(const LoadedModel& model, const infer::Draws& draws, certify::Certificate& certificate) {
  if (model.program->is_library) return;
  note(propriety_of(model, draws, lang::lint(*model.program->understood.program, model.program->sources)),
       certificate);
}

void add_program_findings(const LoadedModel& model, const std::vector<FinishedChain>& chains,
                          Outcome& outcome) {
  if (model.program->is_library) return;
  Diagnostics lints = lang::lint(*model.program->understood.program, model.program->sources);
  const bool is_point = outcome.record.method == kPointMethod;
  if (is_point) std::erase_if(lints, [](const Diagnostic& lint) { return lint.code == kNoPrior; });
  Findings& findings = outcome.summary.findings;
  for (Finding& finding : stiffness_findings(model)) findings.push_back(std::move(finding));
  if (!is_point && !chains.empty()) {
    const Propriety propriety = propriety_of(model, chains.front().result.draws, lints);
    if (outcome.certificate) note(propriety, *outcome.certificate);
    if (!propriety.improper.empty()) findings.push_back(improper_finding(propriety.improper));
  }
  for (Finding& finding : findings_of(lints, *model.program)) findings.push_back(std::move(finding));
}

}  // namespace kullback::fit
