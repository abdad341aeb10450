#include "report/json_object.hpp"
#include "report/section.hpp"

namespace kullback::report {

// model.stan, the copy that was run.
std::string program_section(const Result& result) {
  constexpr std::size_t kLargest = 300'000;
  const std::optional<std::string> text = result.text("model.stan", kLargest);
  if (!text) return {};
  JsonObject json;
  json.text("text", *text);
  std::error_code none;
  if (std::filesystem::file_size(result.folder() / "model.stan", none) > text->size())
    json.truth("cut", true);
  return json.str();
}

}  // namespace kullback::report
