// Stan's own mean-field ADVI on kullback's density: what differs from `kullback fit --method vi` is the
// method alone. Prints the summary of its draws by kullback's statistics, and what it evaluated until it had
// fitted, as JSON. usage: stan_variational LIBRARY PROGRAM DATA SEED [DRAWS]   (LIBRARY: of
// bench/rivals/stan_advi.cpp)
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "fit/chain_outputs.hpp"
#include "infer/algorithm.hpp"
#include "posterior/summary.hpp"
#include "stan_advi.hpp"
#include "stan_driver.hpp"

namespace {

using namespace kullback;

struct Setting {
  const char* library = nullptr;
  fit::Request request;
};

struct Counts {
  std::uint64_t gradients = 0;
  std::uint64_t values = 0;  // the density alone: starts and ELBO estimates
};

// One run under way.
struct Recorder {
  density::LogDensity* density = nullptr;
  Counts counts;
  bool is_fitted = false;
  bool has_converged = true;
  bool may_diverge = false;
  std::string eta;
  fit::ChainResult result;
};

Recorder& recorder_of(void* context) { return *static_cast<Recorder*>(context); }

density::Status evaluate(void* context, const double* theta, double* log_density, double* slopes) {
  density::Status status = density::Status::ok;
  recorder_of(context).density->evaluate({1, theta, log_density, slopes, &status});
  return status;
}

int gradient(void* context, const double* theta, double* log_density, double* slopes) {
  ++recorder_of(context).counts.gradients;
  return evaluate(context, theta, log_density, slopes) == density::Status::rejected ? 0 : 1;
}

// The log density of a draw is only written beside it: a draw that is rejected does not end the run.
int value(void* context, const double* theta, double* log_density) {
  Recorder& recorder = recorder_of(context);
  if (!recorder.is_fitted) ++recorder.counts.values;
  return evaluate(context, theta, log_density, nullptr) == density::Status::rejected && !recorder.is_fitted
             ? 0
             : 1;
}

void fitted(void* context, const double*) { recorder_of(context).is_fitted = true; }

void draw(void* context, double log_p, double log_q, const double* theta) {
  infer::Draws& draws = recorder_of(context).result.draws;
  draws.theta.insert(draws.theta.end(), theta, theta + draws.dim);
  draws.log_density.push_back(log_p);
  draws.log_q.push_back(log_q);
}

// The words of stan/variational/advi.hpp.
void say(void* context, const char* text) {
  Recorder& recorder = recorder_of(context);
  const std::string_view line(text);
  const auto has = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
  if (has("maximum number of iterations is reached")) recorder.has_converged = false;
  if (has("MAY BE DIVERGING")) recorder.may_diverge = true;
  if (line.starts_with("eta = ")) recorder.eta = line.substr(6);
}

void run(const Setting& setting) {
  const fit::Request& request = setting.request;
  rivals::Subject subject(request, {.normalized = true, .jacobian = true, .seed = request.seed});
  auto* approximate = rivals::load_function<StanAdvi>(setting.library, "stan_advi");
  Recorder recorder;
  recorder.density = subject.model.density.get();
  recorder.result.draws.dim = recorder.density->dim();
  const StanAdviTask task{recorder.density->dim(),
                          &recorder,
                          gradient,
                          value,
                          fitted,
                          draw,
                          say,
                          static_cast<unsigned>(request.seed),
                          1,
                          static_cast<int>(request.options[infer::option::kDraws])};
  const double began = rivals::processor_seconds();
  char problem[2048] = "";
  const int code = approximate(&task, problem, sizeof problem);
  const double seconds = rivals::processor_seconds() - began;
  fmt::print("{{\"gradients\": {}, \"values\": {}, \"eta\": {}, \"converged\": {}, \"may_diverge\": {}, ",
             recorder.counts.gradients, recorder.counts.values, recorder.eta.empty() ? "null" : recorder.eta,
             recorder.has_converged, recorder.may_diverge);
  fmt::print("\"processor_seconds\": {}, ", seconds);
  if (code != 0) {
    fmt::print("\"problem\": {}}}\n", json_string(problem));
    return;
  }
  posterior::Posterior posterior = subject.empty_posterior();
  std::string rejected;
  posterior.chains.push_back(fit::make_chain(request, *subject.model.outputs, 0, recorder.result, rejected));
  fmt::print("\"summary\": {}}}\n", posterior::to_json({posterior::summarize(posterior, false), {}}));
}

Setting read_setting(int argc, char** argv) {
  if (argc != 5 && argc != 6)
    throw std::runtime_error("usage: stan_variational LIBRARY PROGRAM DATA SEED [DRAWS]");
  Setting setting{argv[1], {}};
  setting.request.inputs = {.program = argv[2], .data = argv[3]};
  setting.request.method = infer::find_method("laplace");  // independent draws of an approximation
  setting.request.seed = std::strtoull(argv[4], nullptr, 10);
  setting.request.options.set("draws", argc == 6 ? std::strtoull(argv[5], nullptr, 10) : 1000);
  return setting;
}

}  // namespace

int main(int argc, char** argv) {
  return rivals::guarded("stan_variational", [&] { run(read_setting(argc, argv)); });
}
