// The verbs of models on LibTorch, as bnn, vae and ebm: all words go to kullback-deep as they are.
#include "cli/deep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "run/record.hpp"

namespace kullback::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProgram = "kullback-deep";

bool is_deep_verb(std::string_view word) {
#define KULLBACK_DEEP_VERB(name, summary) \
  if (word == #name) return true;
#include "shell/verbs.def"
  return false;
}

bool is_common_verb(std::string_view word) {
#define KULLBACK_COMMON_VERB(name, summary) \
  if (word == #name) return true;
#include "shell/verbs.def"
  return false;
}

bool is_program(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none) && ::access(path.c_str(), X_OK) == 0;
}

fs::path own_folder() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).parent_path();
}

// Empty where it is nowhere.
fs::path find_program() {
  if (is_program(own_folder() / kProgram)) return own_folder() / kProgram;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && is_program(fs::path(folder) / kProgram)) return fs::path(folder) / kProgram;
  return {};
}

bool is_deep_folder(const std::string& word) {
  std::error_code none;
  const fs::path record = fs::path(word) / "run.json";
  if (word.empty() || !fs::is_regular_file(record, none)) return false;
  return run::is_deep(run::read_run_record(record.string()).kind);
}

}  // namespace

int run_deep(const std::vector<std::string>& words) {
  const fs::path program = find_program();
  if (program.empty()) {
    throw Error(
        ErrorKind::missing_file,
        fmt::format("{} is not installed, neither in {} nor on PATH.", kProgram, own_folder().string()),
        "'make deep' builds it in a checkout of Kullback, with LibTorch.");
  }
  std::vector<std::string> all = {program.string()};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(stdout);
  ::execv(program.c_str(), arguments.data());
  throw Error(ErrorKind::missing_file,
              fmt::format("{}: cannot be started: {}.", program.string(), std::strerror(errno)));
}

bool is_for_deep(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  if (is_deep_verb(words[0])) return true;
  if (!is_common_verb(words[0])) return false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool is_value = words[i - 1] == "--out";
    if (!is_value && !words[i].starts_with("-") && is_deep_folder(words[i])) return true;
  }
  return false;
}

}  // namespace kullback::cli
