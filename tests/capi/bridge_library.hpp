// A library that `kullback bridge` wrote, loaded as BridgeStan's clients load one.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace kullback::capi::bridge_test {

using Vector = std::vector<double>;
using Names = std::vector<std::string>;

struct Functions {
  void* (*model_construct)(const char*, unsigned, char**);
  void (*model_destruct)(void*);
  void (*free_error_msg)(char*);
  const char* (*name)(const void*);
  const char* (*model_info)(const void*);
  const char* (*param_names)(const void*, bool, bool);
  const char* (*param_unc_names)(const void*);
  int (*param_num)(const void*, bool, bool);
  int (*param_unc_num)(const void*);
  int (*param_constrain)(const void*, bool, bool, const double*, double*, void*, char**);
  int (*param_unconstrain)(const void*, const double*, double*, char**);
  int (*param_unconstrain_json)(const void*, const char*, double*, char**);
  int (*param_initialize)(const void*, const char*, void*, double, int, bool, double*, char**);
  int (*log_density)(const void*, bool, bool, const double*, double*, char**);
  int (*log_density_gradient)(const void*, bool, bool, const double*, double*, double*, char**);
  int (*log_density_hessian)(const void*, bool, bool, const double*, double*, double*, double*, char**);
  int (*log_density_hessian_vector_product)(const void*, bool, bool, const double*, const double*, double*,
                                            double*, char**);
  void* (*rng_construct)(unsigned, char**);
  void (*rng_destruct)(void*);
  int (*set_print_callback)(void (*)(const char*, std::size_t), char**);
};

class Folder final {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kullback-bridge-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

// KULLBACK_PROGRAM is the program that the build made.
inline int bridge(const std::string& arguments) {
  return std::system((std::string(KULLBACK_PROGRAM) + " bridge " + arguments + " >/dev/null").c_str());
}

inline Names split(const std::string& text) {
  Names names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

class Library final {
 public:
  explicit Library(const std::filesystem::path& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
    find("model_construct", call.model_construct);
    find("model_destruct", call.model_destruct);
    find("free_error_msg", call.free_error_msg);
    find("name", call.name);
    find("model_info", call.model_info);
    find("param_names", call.param_names);
    find("param_unc_names", call.param_unc_names);
    find("param_num", call.param_num);
    find("param_unc_num", call.param_unc_num);
    find("param_constrain", call.param_constrain);
    find("param_unconstrain", call.param_unconstrain);
    find("param_unconstrain_json", call.param_unconstrain_json);
    find("param_initialize", call.param_initialize);
    find("log_density", call.log_density);
    find("log_density_gradient", call.log_density_gradient);
    find("log_density_hessian", call.log_density_hessian);
    find("log_density_hessian_vector_product", call.log_density_hessian_vector_product);
    find("rng_construct", call.rng_construct);
    find("rng_destruct", call.rng_destruct);
    find("set_print_callback", call.set_print_callback);
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void* symbol(const char* name) const { return dlsym(handle_, name); }
  // The text of a message, which is freed.
  std::string take(char* error) const {
    const std::string text = error != nullptr ? error : "";
    call.free_error_msg(error);
    return text;
  }

  Functions call{};

 private:
  template <class F>
  void find(const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(handle_, (std::string("bs_") + name).c_str()));
    EXPECT_NE(function, nullptr) << name;
  }

  void* handle_;
};

// A program as text, through the verb, with its data.
class Model final {
 public:
  explicit Model(const std::string& program, const std::string& data = "", unsigned seed = 1) {
    write_text(folder_ / "test.stan", program);
    EXPECT_EQ(bridge((folder_ / "test.stan").string() + " -o " + (folder_ / "test.so").string()), 0);
    library = std::make_unique<Library>(folder_ / "test.so");
    char* error = nullptr;
    handle = library->call.model_construct(data.c_str(), seed, &error);
    if (handle == nullptr) ADD_FAILURE() << library->take(error);
  }
  ~Model() { library->call.model_destruct(handle); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const Functions& call() const { return library->call; }
  std::size_t dim() const { return static_cast<std::size_t>(call().param_unc_num(handle)); }
  Names names(bool tp, bool gq) const { return split(call().param_names(handle, tp, gq)); }

  double log_density(const Vector& theta, bool propto = true, bool jacobian = true) const {
    double value = 0;
    char* error = nullptr;
    if (call().log_density(handle, propto, jacobian, theta.data(), &value, &error) != 0)
      ADD_FAILURE() << library->take(error);
    return value;
  }

  Vector gradient(const Vector& theta, bool propto = true, bool jacobian = true) const {
    Vector gradient(dim());
    double value = 0;
    char* error = nullptr;
    if (call().log_density_gradient(handle, propto, jacobian, theta.data(), &value, gradient.data(),
                                    &error) != 0)
      ADD_FAILURE() << library->take(error);
    EXPECT_EQ(value, log_density(theta, propto, jacobian));
    return gradient;
  }

  Vector constrain(const Vector& theta, bool tp = false, bool gq = false, void* rng = nullptr) const {
    Vector columns(static_cast<std::size_t>(call().param_num(handle, tp, gq)));
    char* error = nullptr;
    if (call().param_constrain(handle, tp, gq, theta.data(), columns.data(), rng, &error) != 0)
      ADD_FAILURE() << library->take(error);
    return columns;
  }

  Vector unconstrain(const Vector& columns) const {
    Vector theta(dim());
    char* error = nullptr;
    if (call().param_unconstrain(handle, columns.data(), theta.data(), &error) != 0)
      ADD_FAILURE() << library->take(error);
    return theta;
  }

  std::unique_ptr<Library> library;
  void* handle = nullptr;

 private:
  Folder folder_;
};

}  // namespace kullback::capi::bridge_test
