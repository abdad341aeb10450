// What the programs that run Stan's algorithms on kullback's density share.
#pragma once

#include <dlfcn.h>
#include <time.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "fit/loaded_model.hpp"
#include "posterior/posterior.hpp"

namespace rivals {

template <class Function>
Function* load_function(const char* path, const char* name) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  void* function = dlsym(library, name);
  if (function == nullptr) throw std::runtime_error(std::string(path) + ": has no " + name);
  return reinterpret_cast<Function*>(function);
}

inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline std::unique_ptr<kullback::fit::LoadedProgram> understood_program(const kullback::fit::Inputs& inputs) {
  auto program = kullback::fit::load_program(inputs);
  if (!program->understood.program) throw std::runtime_error(inputs.program + ": has errors");
  return program;
}

// A program with its data.
struct Subject {
  Subject(const kullback::fit::Request& request, kullback::model::StanModelOptions options)
      : program(understood_program(request.inputs)),
        model(kullback::fit::load_model(*program, request.inputs, std::move(options))) {}

  kullback::posterior::Posterior empty_posterior() const {
    kullback::posterior::Posterior posterior;
    posterior.names = model.outputs->column_names();
    posterior.parameters = model.outputs->parameter_columns();
    posterior.generated = model.outputs->generated_columns_begin();
    return posterior;
  }

  std::unique_ptr<kullback::fit::LoadedProgram> program;
  kullback::fit::LoadedModel model;
};

// The exit code of `work`, whose failure is told.
template <class Work>
int guarded(const char* name, Work work) {
  try {
    work();
    return 0;
  } catch (const kullback::Error& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.message().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
  }
  return 1;
}

}  // namespace rivals
