// What 'kullback restore' made of observations: restore.json and the pictures beside it, in the folder or in
// its folder 'restore'.
#include <algorithm>
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

std::vector<PictureFile> pictures_in(const fs::path& folder, const std::string& within) {
  std::vector<PictureFile> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / within, none)) {
    if (entry.path().extension() != ".png") continue;
    const std::string stem = entry.path().stem().string();
    files.push_back({.file = within + entry.path().filename().string(),
                     .title = title_of(stem),
                     .alt = "The picture " + entry.path().filename().string() + " of the restoration."});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  if (files.size() > kMostPictures) files.resize(kMostPictures);
  return files;
}

// Members that are numbers, words or truths.
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
    else
      continue;
    facts.push_back(fact.str());
  }
  return json_array(facts);
}

}  // namespace

std::string restored_section(const Result& result) {
  for (const std::string within : {"", "restore/"}) {
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
