#include "lang/old_functions.hpp"

#include <algorithm>
#include <iterator>

#include "math/signatures.hpp"

// Until Stan 2.10 every density was called foo_log(y, ...), with all constants, as foo_lpdf(y | ...) is
// today; distribution functions were foo_cdf_log and foo_ccdf_log. So poisson_log(y, lambda) is poisson_lpmf,
// and the density of poisson_log was poisson_log_log.

namespace kullback::lang {

namespace {

constexpr OldFunction kOldFunctions[] = {
#define OLD(name, form, modern, arguments, reason) {#name, OldForm::form, modern, arguments, reason},
#define TAKES_DATA(name, argument)
#define NEW(name)
#include "lang/old_functions.def"
#undef OLD
#undef TAKES_DATA
#undef NEW
};

struct DataArgument {
  std::string_view function;
  std::size_t argument;
};

constexpr DataArgument kDataArguments[] = {
#define OLD(name, form, modern, arguments, reason)
#define TAKES_DATA(name, argument) {#name, argument},
#define NEW(name)
#include "lang/old_functions.def"
#undef OLD
#undef TAKES_DATA
#undef NEW
};

constexpr std::string_view kNewBuiltins[] = {
#define OLD(name, form, modern, arguments, reason)
#define TAKES_DATA(name, argument)
#define NEW(name) #name,
#include "lang/old_functions.def"
#undef OLD
#undef TAKES_DATA
#undef NEW
};

std::string_view without(std::string_view name, std::string_view ending) {
  return name.substr(0, name.size() - ending.size());
}

std::string arguments_text(const OldFunction& old) {
  static constexpr std::string_view kTexts[] = {"", "x", "x, y", "c, a, b"};
  if (old.arguments >= 0 && old.arguments < static_cast<int>(std::size(kTexts))) {
    return std::string(kTexts[old.arguments]);
  }
  return "...";
}

std::string modern_text(const OldFunction& old) {
  switch (old.form) {
    case OldForm::choose: return "c ? a : b";
    case OldForm::density_so_far: return "target()";
    case OldForm::keep: return std::string(old.modern) + ", by hand";  // see row()
    default: return std::string(old.modern) + "(" + arguments_text(old) + ")";
  }
}

// As a table's cell wants it.
std::string code(std::string_view text) {
  std::string result = "`";
  for (const char c : text) {
    if (c == '|') result.push_back('\\');
    result.push_back(c);
  }
  return result + "`";
}

std::string row(std::string_view old, std::string_view modern, std::string_view reason) {
  constexpr std::string_view kByHand = ", by hand";
  const bool by_hand = modern.ends_with(kByHand);
  std::string text = "| " + code(old) + " | " + code(by_hand ? without(modern, kByHand) : modern);
  if (by_hand) text.append(kByHand);
  return text.append(" | ").append(reason).append(" |\n");
}

}  // namespace

std::span<const OldFunction> old_functions() { return kOldFunctions; }

const OldFunction* find_old_function(std::string_view name) {
  const auto* found = std::ranges::find(kOldFunctions, name, &OldFunction::name);
  return found == std::end(kOldFunctions) ? nullptr : found;
}

bool is_new_builtin(std::string_view name) {
  return std::ranges::find(kNewBuiltins, name) != std::end(kNewBuiltins);
}

bool takes_data(std::string_view function, std::size_t argument) {
  return std::ranges::any_of(kDataArguments, [&](const DataArgument& record) {
    return record.function == function && record.argument == argument;
  });
}

std::optional<OldDensity> split_old_density(std::string_view name) {
  struct Ending {
    std::string_view text;
    OldEnding ending;
  };
  static constexpr Ending kEndings[] = {
      {"_ccdf_log", OldEnding::ccdf_log}, {"_cdf_log", OldEnding::cdf_log}, {"_log", OldEnding::log}};
  for (const Ending& ending : kEndings) {
    if (name.ends_with(ending.text) && name.size() > ending.text.size()) {
      return OldDensity{without(name, ending.text), ending.ending};
    }
  }
  return std::nullopt;
}

std::string_view modern_ending(OldEnding ending, bool discrete) {
  switch (ending) {
    case OldEnding::cdf_log: return "_lcdf";
    case OldEnding::ccdf_log: return "_lccdf";
    default: return discrete ? "_lpmf" : "_lpdf";
  }
}

std::string modern_density(std::string_view name) {
  const std::optional<OldDensity> old = split_old_density(name);
  if (!old) return {};
  const math::Family* family = math::find_family(old->stem);
  if (family == nullptr) return {};
  std::string modern(old->stem);
  modern.append(modern_ending(old->ending, family->discrete));
  return math::is_builtin(modern) ? modern : std::string{};
}

std::string old_functions_table() {
  std::string table = "| old | modern | why |\n|---|---|---|\n";
  table += row("foo_log(y, a)", "foo_lpdf(y | a)", "densities, and `foo_lpmf` where `y` is an integer");
  table += row("foo_cdf_log(y, a)", "foo_lcdf(y | a)", "distribution functions");
  table += row("foo_ccdf_log(y, a)", "foo_lccdf(y | a)", "and their complements");
  table += row("foo_cdf(y, a)", "foo_cdf(y | a)", "a bar stands behind the outcome");
  for (const OldFunction& old : kOldFunctions) {
    table += row(std::string(old.name) + "(" + arguments_text(old) + ")", modern_text(old), old.reason);
  }
  return table;
}

}  // namespace kullback::lang
