// What 'kullback restore' made of observations: restore.json and the pictures beside it, in the folder or in
// its folder 'restore'.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "report/json_object.hpp"
#include "report/pictures.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostPictures = 24;

// "mean_and_sd" becomes "Mean and sd".
std::string title_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  std::replace(name.begin(), name.end(), '-', ' ');
  if (!name.empty() && name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

// Those that 'kullback restore' writes come first, with their words.
std::vector<PictureFile> pictures_in(const fs::path& folder, const std::string& within) {
  std::vector<PictureFile> files = {
      {"observed.png", "Observed", "What was observed."},
      {"mean.png", "Mean", "The mean of the restored images, pixel by pixel."},
      {"sd.png", "Standard deviation", "Their standard deviation, pixel by pixel: white is the largest."},
      {"samples.png", "Draws", "Draws of what was observed: a row for each observation."}};
  const auto known = static_cast<std::ptrdiff_t>(files.size());
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / within, none)) {
    const std::string name = entry.path().filename().string();
    const bool is_known = std::any_of(files.begin(), files.begin() + known,
                                      [&](const auto& file) { return file.file == name; });
    if (is_known || entry.path().extension() != ".png") continue;
    files.push_back({name, title_of(entry.path().stem().string()), "The picture " + name + "."});
  }
  std::sort(files.begin() + known, files.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  if (files.size() > kMostPictures) files.resize(kMostPictures);
  for (PictureFile& file : files) file.file = within + file.file;
  return files;
}

// Members that are numbers or words; of lists how long they are.
std::string facts_json(const JsonValue& object) {
  std::vector<std::string> facts;
  if (object.object() == nullptr) return "[]";
  for (const JsonValue::Member& member : *object.object()) {
    JsonObject fact;
    fact.text("name", title_of(member.name));
    if (member.value.number() != nullptr)
      fact.number("value", member.value.number()->value);
    else if (member.value.string() != nullptr)
      fact.text("value", *member.value.string());
    else if (member.value.array() != nullptr)
      fact.count("value", member.value.array()->size());
    else
      continue;
    facts.push_back(fact.str());
  }
  return json_array(facts);
}

}  // namespace

std::string restored_section(const Result& result) {
  for (const std::string within : {"", "restored/"}) {
    const JsonValue* record = result.json(within + "restore.json");
    if (record == nullptr) continue;
    return JsonObject()
        .raw("facts", facts_json(*record))
        .raw("pictures", pictures_json(result, pictures_in(result.folder(), within)))
        .str();
  }
  return {};
}

}  // namespace kullback::report
