// A small library with BridgeStan's interface, written by hand: y ~ normal(mu, s[1]), s ~ exponential(1), s >
// 0, a transformed parameter prod = s[1] s[2] and a generated quantity u in (0, 1), of the generator's seed.
// The macros make wrong ones: BRIDGESTAN_INCOMPLETE lacks a function, BRIDGESTAN_OLD has the interface of
// version 1, BRIDGESTAN_NEWER that of a version to come, BRIDGESTAN_FOREIGN none.
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#if defined BRIDGESTAN_FOREIGN
extern "C" int something_else() { return 1; }
#elif defined BRIDGESTAN_OLD
extern "C" void* bs_construct(char*, unsigned, unsigned) { return nullptr; }
#else

struct bs_model {
  std::vector<double> y;
};
struct bs_rng {
  unsigned seed;
};

namespace {

int fail(char** error, const std::string& text) {
  if (error != nullptr) {
    *error = new char[text.size() + 1];
    std::memcpy(*error, text.c_str(), text.size() + 1);
  }
  return -1;
}

std::string text_of(const char* data) {
  const std::string text = data == nullptr ? "" : data;
  if (!text.ends_with(".json")) return text;
  std::ifstream file(text);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

bool read_y(const std::string& text, std::vector<double>& y) {
  const std::size_t name = text.find("\"y\"");
  if (name == std::string::npos) return false;
  std::size_t at = text.find('[', name);
  while (at != std::string::npos && text[at] != ']') {
    std::size_t length = 0;
    y.push_back(std::stod(text.substr(at + 1), &length));
    at = text.find_first_of(",]", at + 1 + length);
  }
  return true;
}

}  // namespace

extern "C" {

#if defined BRIDGESTAN_NEWER
extern const int bs_major_version = 3;
#else
extern const int bs_major_version = 2;
#endif

bs_model* bs_model_construct(const char* data, unsigned int, char** error) {
  auto* model = new bs_model;
  if (read_y(text_of(data), model->y)) return model;
  delete model;
  fail(error, "variable does not exist; variable name=y\n");
  return nullptr;
}

void bs_model_destruct(bs_model* model) { delete model; }
void bs_free_error_msg(char* error) { delete[] error; }
const char* bs_name(const bs_model*) { return "by_hand_model"; }
#if defined BRIDGESTAN_ONE_THREAD
const char* bs_model_info(const bs_model*) { return "\tSTAN_THREADS=false\n"; }
#else
const char* bs_model_info(const bs_model*) { return "\tSTAN_THREADS=true\n"; }
#endif
const char* bs_param_names(const bs_model*, bool transformed, bool generated) {
  if (!transformed) return generated ? "mu,s.1,s.2,u" : "mu,s.1,s.2";
  return generated ? "mu,s.1,s.2,prod,u" : "mu,s.1,s.2,prod";
}
const char* bs_param_unc_names(const bs_model*) { return "mu,s.1,s.2"; }
int bs_param_num(const bs_model*, bool transformed, bool generated) {
  return 3 + (transformed ? 1 : 0) + (generated ? 1 : 0);
}
int bs_param_unc_num(const bs_model*) { return 3; }

bs_rng* bs_rng_construct(unsigned seed, char**) { return new bs_rng{seed}; }
void bs_rng_destruct(bs_rng* random) { delete random; }

int bs_param_constrain(const bs_model*, bool transformed, bool generated, const double* theta, double* params,
                       bs_rng* random, char** error) {
  if (std::isnan(theta[0])) return fail(error, "mu is nan");
  params[0] = theta[0];
  params[1] = std::exp(theta[1]);
  params[2] = std::exp(theta[2]);
  double* next = params + 3;
  if (transformed) *next++ = params[1] * params[2];
  if (generated && random == nullptr) return fail(error, "a generator is needed");
  if (generated) *next = (random->seed + 0.5) / 4294967296.0;
  return 0;
}

#if !defined BRIDGESTAN_INCOMPLETE
int bs_log_density_gradient(const bs_model* model, bool propto, bool jacobian, const double* theta,
                            double* value, double* gradient, char** error) {
  if (theta[0] > 100) return fail(error, "mu is too large");
  const double mu = theta[0];
  const double s1 = std::exp(theta[1]);
  const double s2 = std::exp(theta[2]);
  const auto n = static_cast<double>(model->y.size());
  *value = -s1 - s2 - n * theta[1] - (propto ? 0 : n * 0.5 * std::log(2 * std::acos(-1.0)));
  gradient[0] = 0;
  gradient[1] = -s1 - n;
  gradient[2] = -s2;
  for (const double y : model->y) {
    const double z = (y - mu) / s1;
    *value -= 0.5 * z * z;
    gradient[0] += z / s1;
    gradient[1] += z * z;
  }
  if (jacobian) {
    *value += theta[1] + theta[2];
    gradient[1] += 1;
    gradient[2] += 1;
  }
  return 0;
}

int bs_log_density(const bs_model* model, bool propto, bool jacobian, const double* theta, double* value,
                   char** error) {
  double gradient[3];
  return bs_log_density_gradient(model, propto, jacobian, theta, value, gradient, error);
}
#endif
}

#endif
