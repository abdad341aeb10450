#include "model/bridgestan_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <type_traits>

#include "base/error.hpp"

namespace kullback::model {

namespace {

constexpr int kInterfaceVersion = 2;

void discard(const char*, std::size_t) {}

void check_file(const std::string& path) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorKind::missing_file, fmt::format("{}: no such file.", path),
                "BridgeStan makes it from model.stan with 'make model_model.so'.");
  }
  if (std::filesystem::is_directory(status))
    throw Error(ErrorKind::bad_input, fmt::format("{}: expected a shared library, found a folder.", path));
}

}  // namespace

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return parts;
}

// Never unloaded: threads of the library (TBB's) may outlive the last model.
BridgeStanLibrary::BridgeStanLibrary(const std::string& path) {
  check_file(path);
  void* handle = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: this file cannot be loaded as a shared library: {}.", path, dlerror()),
                "It must be made for this kind of machine, and the libraries it names must be installed.");
  }
  const auto* version = static_cast<const int*>(dlsym(handle, "bs_major_version"));
  if (version == nullptr) {
    const bool old = dlsym(handle, "bs_construct") != nullptr;
    throw Error(ErrorKind::bad_input,
                old ? fmt::format("{}: BridgeStan 1 made this library; its interface is another one.", path)
                    : fmt::format("{}: this shared library does not have BridgeStan's interface: there is no "
                                  "'bs_major_version'.",
                                  path),
                "Compile the model with BridgeStan 2.");
  }
  if (*version != kInterfaceVersion) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: its interface has version {}; this program knows version {}.", path,
                            *version, kInterfaceVersion));
  }
  const auto find = [&](const char* symbol, auto& function) {
    void* found = dlsym(handle, symbol);
    if (found == nullptr) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: the function '{}' of BridgeStan's interface is missing.", path, symbol),
                  "Compile the model again with BridgeStan 2.");
    }
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  find("bs_model_construct", construct);
  find("bs_model_destruct", destruct);
  find("bs_free_error_msg", free_error);
  find("bs_name", name);
  find("bs_model_info", info);
  find("bs_param_names", param_names);
  find("bs_param_unc_names", param_unc_names);
  find("bs_param_num", param_num);
  find("bs_param_unc_num", param_unc_num);
  find("bs_param_constrain", param_constrain);
  find("bs_rng_construct", rng_construct);
  find("bs_rng_destruct", rng_destruct);
  find("bs_log_density", log_density);
  find("bs_log_density_gradient", log_density_gradient);
  using SetPrint = int (*)(void (*)(const char*, std::size_t), char**);
  if (void* set_print = dlsym(handle, "bs_set_print_callback")) {
    char* error = nullptr;
    if (reinterpret_cast<SetPrint>(set_print)(discard, &error) != 0)
      throw Error(ErrorKind::bad_input, fmt::format("{}: {}", path, take(error)));
  }
}

std::string BridgeStanLibrary::take(char* error) const {
  if (error == nullptr) return "no reason given";
  std::string text = error;
  free_error(error);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

bool BridgeStanLibrary::has_threads(const void* model) const {
  return std::string_view(info(model)).find("STAN_THREADS=true") != std::string_view::npos;
}

}  // namespace kullback::model
