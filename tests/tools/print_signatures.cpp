// Prints every built-in overload as `stanc --dump-stan-math-signatures` does, and with --families the
// distributions as `--dump-stan-math-distributions` does; for tests/signatures_against_stanc.py.
#include <cstdio>
#include <cstring>
#include <string>

#include "math/higher_order.hpp"
#include "math/signatures.hpp"

namespace m = kullback::math;

namespace {

// stanc marks data-only arguments in callbacks but not in functions.
std::string arguments(const m::Signature& signature) {
  std::string text;
  for (const m::Argument& argument : signature.arguments) {
    if (!text.empty()) text += ", ";
    text += to_string(argument.type);
  }
  return text;
}

void print_functions() {
  for (std::string_view name : m::builtin_names()) {
    for (const m::Signature& signature : m::signatures(name)) {
      std::printf("%s(%s) => %s\n", std::string(name).c_str(), arguments(signature).c_str(),
                  to_string(signature.result).c_str());
    }
    const auto record = m::find_higher_order(name);
    if (!record || record->form != m::HigherOrder::Form::fixed) continue;
    for (const m::Signature& call : record->calls) {
      std::printf("%s(%s, %s) => %s\n", std::string(name).c_str(), to_string(record->callback).c_str(),
                  arguments(call).c_str(), to_string(call.result).c_str());
    }
  }
}

void print_families() {
  for (const m::Family& family : m::families()) {
    std::string text = std::string(family.name) + ":";
    if (family.has_density) text += family.discrete ? " lpmf" : " lpdf";
    if (family.has_cdf) text += " cdf";
    if (family.has_lcdf) text += " lcdf";
    if (family.has_lccdf) text += " lccdf";
    if (family.has_rng) text += " rng";
    std::puts(text.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--families") == 0) {
    print_families();
  } else {
    print_functions();
  }
}
