// Every built-in function either runs or is listed as unsupported, not both.
#include <gtest/gtest.h>

#include "math/signatures.hpp"
#include "math/unsupported.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback {
namespace {

TEST(Supported, TheListOfUnsupportedFunctionsIsTrue) {
  for (const std::string_view name : math::builtin_names()) {
    EXPECT_EQ(tape::is_supported(name), math::why_unsupported(name).empty()) << name;
  }
}

}  // namespace
}  // namespace kullback
