#include "capi/bridge/prints.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>

#include "tape/trace/print_hook.hpp"

namespace kullback::capi {

using lang::BlockKind;

namespace {

std::atomic<PrintCallback> callback_in_use{nullptr};
std::mutex one_at_a_time;

// The program at a point: its parameters are declared, its blocks print.
class Rerun final {
 public:
  Rerun(const model::Prepared& prepared, tape::TraceOptions terms)
      : prepared_(prepared),
        builder_(prepared.builder),
        tracer_(prepared.program, prepared.sources, builder_, terms) {
    tracer_.set_values(prepared.values);
    tracer_.set_hook(&hook_);
  }

  tape::Tracer& tracer() { return tracer_; }

  void declare(const double* theta) {
    tape::Ids free(prepared_.dim);
    for (std::size_t i = 0; i < free.size(); ++i) free[i] = builder_.constant(theta[i]);
    tracer_.declare_parameters(free);
  }

 private:
  const model::Prepared& prepared_;
  tape::Builder builder_;
  tape::Tracer tracer_;
  tape::PrintHook hook_{tracer_, print_line};
};

}  // namespace

void set_print_callback(PrintCallback callback) { callback_in_use = callback; }

void print_line(const std::string& line) {
  const std::lock_guard lock(one_at_a_time);
  if (const PrintCallback callback = callback_in_use) {
    callback(line.data(), line.size());
  } else {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }
}

void print_density(const model::Prepared& prepared, const double* theta, tape::TraceOptions terms) {
  Rerun rerun(prepared, terms);
  try {
    rerun.declare(theta);
    rerun.tracer().run(BlockKind::transformed_parameters);
    rerun.tracer().run(BlockKind::model);
  } catch (const tape::Rejection&) {  // the evaluation says so
  }
}

void print_outputs(const model::Prepared& prepared, const double* theta, const Random* random) {
  Rerun rerun(prepared, {.jacobian = false});
  std::optional<Random> copy;
  try {
    rerun.declare(theta);
    rerun.tracer().run(BlockKind::transformed_parameters);
    if (random == nullptr) return;
    copy = *random;
    rerun.tracer().set_random(&*copy);
    rerun.tracer().run(BlockKind::generated_quantities);
  } catch (const tape::Rejection&) {  // writing the outputs says so
  }
}

}  // namespace kullback::capi
