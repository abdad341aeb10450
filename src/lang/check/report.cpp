// The words of the errors: what was found, what was needed, and what may have been meant.
#include <fmt/format.h>

#include <algorithm>

#include "lang/check/checker.hpp"
#include "lang/check/suggest.hpp"
#include "math/signatures.hpp"

namespace kullback::lang {

std::string quoted(std::string_view name) { return fmt::format("'{}'", name); }

std::string with_article(const math::Type& type) {
  const std::string text = math::to_string(type);
  if (type.kind == math::Kind::function && type.array_rank == 0) return "a function";
  return (text.starts_with('a') || text.starts_with('i') ? "an " : "a ") + text;
}

std::string listed(std::span<const Value> arguments) {
  std::string text = "(";
  for (const Value& argument : arguments) {
    if (text.size() > 1) text += ", ";
    text += argument.type()->kind == math::Kind::function ? "function" : math::to_string(*argument.type());
  }
  return text + ")";
}

std::string counted(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string ordinal(std::size_t n) {
  static constexpr std::string_view kWords[] = {"zeroth", "first", "second",  "third", "fourth",
                                                "fifth",  "sixth", "seventh", "eighth"};
  if (n < std::size(kWords)) return std::string(kWords[n]);
  const std::size_t tens = n % 100;
  if (n % 10 == 1 && tens != 11) return fmt::format("{}st", n);
  if (n % 10 == 2 && tens != 12) return fmt::format("{}nd", n);
  if (n % 10 == 3 && tens != 13) return fmt::format("{}rd", n);
  return fmt::format("{}th", n);
}

Diagnostic& Checker::error(std::string_view code, Span span, std::string message, std::string hint) {
  failed_ = true;
  diagnostics_.push_back({Severity::error, std::string(code), span, std::move(message), std::move(hint)});
  return diagnostics_.back();
}

Diagnostic& Checker::warning(std::string_view code, Span span, std::string message, std::string hint) {
  diagnostics_.push_back({Severity::warning, std::string(code), span, std::move(message), std::move(hint)});
  return diagnostics_.back();
}

// "'x' is a real" for a name, "this is a real" for anything longer.
std::string Checker::describe(const ast::Expr& expr, const Type* type) {
  const ast::Expr* bare = &expr;
  while (const auto* paren = bare->as<ast::Paren>()) bare = paren->inner;
  if (const auto* name = bare->as<ast::Variable>())
    return fmt::format("{} is {}", quoted(name->name.text), with_article(*type));
  return "this is " + with_article(*type);
}

std::string Checker::suggestion(std::string_view name, bool functions_first) {
  if (suggestions_left_ <= 0) return {};
  --suggestions_left_;
  std::vector<std::string_view> variables, functions;
  for (const Environment::Declared& declared : environment_.declared())
    variables.push_back(declared.name->text);
  for (const Overload& overload : environment_.overloads()) functions.push_back(overload.function->name);
  for (std::string_view builtin : math::builtin_names()) functions.push_back(builtin);
  std::string_view found = nearest_name(name, functions_first ? functions : variables);
  if (found.empty()) found = nearest_name(name, functions_first ? variables : functions);
  return found.empty() ? std::string() : fmt::format("Did you mean {}?", quoted(found));
}

void Checker::report_undefined_variable(const ast::Name& name, Name& entry) {
  if (entry.poisoned) return;
  environment_.poison(entry);
  std::string hint(foreign_value(name.text));
  if (hint.empty()) hint = suggestion(name.text, false);
  error("undefined-variable", name.span, quoted(name.text) + " is not declared.", std::move(hint));
}

// What may stand behind the name of a distribution.
static bool is_of_distribution(std::string_view suffix) {
  constexpr std::string_view kSuffixes[] = {"_lpdf", "_lpmf",  "_lupdf", "_lupmf", "_cdf",
                                            "_lcdf", "_lccdf", "_rng",   "_log"};
  return std::find(std::begin(kSuffixes), std::end(kSuffixes), suffix) != std::end(kSuffixes);
}

void Checker::report_undefined_function(const ast::Name& name, Name& entry) {
  if (entry.poisoned) return;
  environment_.poison(entry);
  const std::string stem = name.text.find('_') == std::string_view::npos
                               ? std::string(name.text)
                               : std::string(name.text.substr(0, name.text.rfind('_')));
  const std::string_view suffix = name.text.substr(std::min(stem.size(), name.text.size()));
  const auto exists = [this](const std::string& candidate) {
    const Name& other = environment_.name(candidate);
    return other.is_builtin || !other.overloads.empty();
  };
  const auto density_of = [&](std::string_view family) {
    for (const char* ending : {"_lpdf", "_lpmf"}) {
      std::string density = std::string(family) + ending;
      if (exists(density)) return density;
    }
    return std::string();
  };
  std::string hint;
  if ((suffix == "_lpmf" || suffix == "_lupmf") && exists(stem + "_lpdf")) {
    hint = fmt::format("{} is continuous: write {}_lpdf.", quoted(stem), stem);
  } else if ((suffix == "_lpdf" || suffix == "_lupdf") && exists(stem + "_lpmf")) {
    hint = fmt::format("{} is discrete: write {}_lpmf.", quoted(stem), stem);
  } else if (const std::string density = density_of(name.text); !density.empty()) {
    hint = fmt::format("{0} is a distribution: write y ~ {0}(...), or {1}(y | ...).", name.text, density);
  } else if (is_of_distribution(suffix) && math::find_family(stem)) {
    hint = fmt::format("The distribution {} has no function ending in {}.", quoted(stem), suffix);
  } else if (is_of_distribution(suffix) && !density_of(stem).empty()) {
    hint = fmt::format("The program defines {} only: define {} in the functions block too.",
                       quoted(density_of(stem)), quoted(name.text));
  }
  if (hint.empty()) hint = foreign_function(name.text);
  if (hint.empty()) hint = suggestion(name.text, true);
  error("undefined-function", name.span, fmt::format("There is no function {}.", quoted(name.text)),
        std::move(hint));
}

namespace {

// "a, b or c"
std::string alternatives(const std::vector<std::string>& texts) {
  std::string list;
  for (std::size_t i = 0; i < texts.size(); ++i)
    list += (i == 0 ? "" : i + 1 == texts.size() ? " or " : ", ") + texts[i];
  return list;
}

void add_once(std::vector<std::string>& texts, std::string text) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
}

bool fits_before(const math::Signature& signature, std::span<const Value> arguments, std::size_t count) {
  if (signature.arguments.size() != arguments.size()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!math::promotion_cost(*arguments[i].type(), signature.arguments[i].type)) return false;
  }
  return true;
}

// What the first argument that does not fit could be, given those before it.
std::string why_not(const math::Resolution& resolution, std::span<const math::Signature> all,
                    std::span<const Value> arguments) {
  std::vector<std::string> wanted;
  if (resolution.bad_argument < 0) {
    std::vector<std::size_t> counts;
    for (const math::Signature& signature : all) counts.push_back(signature.arguments.size());
    std::sort(counts.begin(), counts.end());
    for (std::size_t count : counts) add_once(wanted, std::to_string(count));
    if (wanted.empty() || wanted.size() > 4)
      return fmt::format("it does not take {} arguments", arguments.size());
    return fmt::format("it takes {} argument{}, but got {}", alternatives(wanted),
                       wanted.back() == "1" ? "" : "s", arguments.size());
  }
  const auto at = static_cast<std::size_t>(resolution.bad_argument);
  if (at >= arguments.size()) return {};
  if (resolution.needs_data) {
    return fmt::format(
        "the {} argument must not depend on parameters (local variables and arguments not declared 'data' "
        "count as if "
        "they did)",
        ordinal(at + 1));
  }
  for (const math::Signature& signature : all) {
    if (fits_before(signature, arguments, at))
      add_once(wanted, math::to_string(signature.arguments[at].type));
  }
  const std::string found =
      fmt::format("the {} argument is {}", ordinal(at + 1), with_article(*arguments[at].type()));
  if (wanted.empty()) return found;
  if (wanted.size() > 6) {
    wanted.resize(5);
    return fmt::format("{}, but must be {} or the like", found, fmt::join(wanted, ", "));
  }
  return fmt::format("{}, but must be {}", found, alternatives(wanted));
}

std::string signature_lines(std::string_view name, const std::vector<math::Signature>& candidates) {
  std::string lines;
  for (const math::Signature& candidate : candidates) {
    if (!lines.empty()) lines += '\n';
    lines += fmt::format("  {}{}", name, math::to_string(candidate));
  }
  return lines;
}

}  // namespace

std::vector<math::Signature> Checker::all_signatures(const Name& entry) const {
  std::vector<math::Signature> all;
  for (const Overload* overload : entry.overloads) all.push_back(overload->signature);
  if (!entry.is_builtin) return all;
  for (math::Signature& signature : math::signatures(entry.text)) all.push_back(std::move(signature));
  return all;
}

void Checker::report_mismatch(const ast::Name& name, const Resolved& resolved,
                              std::span<const Value> arguments) {
  const math::Resolution& resolution = resolved.resolution;
  std::vector<math::Signature> all = resolution.candidates;
  if (suggestions_left_-- > 0) all = all_signatures(function_entry(name.text));
  std::string message = fmt::format("{} cannot be called with {}", quoted(name.text), listed(arguments));
  if (const std::string why = why_not(resolution, all, arguments); !why.empty()) message += ": " + why;
  message += '.';
  std::string hint;
  if (!resolution.candidates.empty())
    hint = (resolution.candidates.size() == 1 ? "It is declared as\n" : "The nearest of its forms are\n") +
           signature_lines(name.text, resolution.candidates);
  error("no-matching-overload", name.span, std::move(message), std::move(hint));
}

void Checker::report_ambiguous(const ast::Name& name, const Resolved& resolved,
                               std::span<const Value> arguments) {
  error("ambiguous-call", name.span,
        fmt::format("{} of {} could mean several overloads, all equally near.", quoted(name.text),
                    listed(arguments)),
        "They are\n" + signature_lines(name.text, resolved.resolution.candidates));
}

void Checker::report_operator(const ast::Expr& expr, Op op, std::initializer_list<const Value*> operands) {
  std::string types;
  for (const Value* operand : operands) {
    if (!types.empty()) types += " and ";
    types += with_article(*operand->type());
  }
  std::string hint;
  const Type* left = (*operands.begin())->type();
  const Type* right = (*(operands.end() - 1))->type();
  const auto is_plain = [](const Type* t) { return t->array_rank == 0; };
  if (operands.size() == 2 && op == Op::times && is_plain(left) && left->kind == right->kind &&
      left == right && (left->kind == Kind::vector || left->kind == Kind::row_vector)) {
    hint = "Write .* for elementwise multiplication, or dot_product(x, y).";
  } else if (operands.size() == 2 && op == Op::divide && is_plain(left) && is_plain(right)) {
    hint = "Write ./ for elementwise division.";
  } else if (left->array_rank > 0 || right->array_rank > 0) {
    hint =
        "Arithmetic works on vectors and matrices, not on arrays; to_vector(x) makes a vector of an array.";
  } else if (op == Op::modulo || op == Op::int_divide) {
    hint = "Both sides must be int.";
  }
  error("operator-types", expr.span,
        fmt::format("Operator {} cannot be applied to {}.", to_string(op), types), std::move(hint));
}

}  // namespace kullback::lang
