#include "report/assets.hpp"

#include <string>

#include "base/error.hpp"
#include "report_assets.hpp"

namespace kullback::report {

std::string_view asset(std::string_view name) {
  for (const auto& [known, text] : kAssets)
    if (known == name) return text;
  throw Error(ErrorKind::internal, "the page has no part '" + std::string(name) + "'.");
}

}  // namespace kullback::report
