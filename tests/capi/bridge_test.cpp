// BridgeStan's interface to our models: values against formulas, Hessians, names, round trips, messages,
// threads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <thread>

#include "tests/capi/bridge_library.hpp"

namespace kullback::capi {
namespace {

using namespace bridge_test;

const char* const kNormal =
    "data { int N; vector[N] y; }\n"
    "parameters { real mu; real<lower=0> sigma; }\n"
    "model { y ~ normal(mu, sigma); }\n";
const char* const kNormalData = R"({"N": 3, "y": [1, 2, 4]})";

// Every kind of constraint that changes the number of coordinates, tuples and complex numbers.
const char* const kRich =
    "parameters {\n"
    "  simplex[3] p;\n"
    "  cholesky_factor_corr[3] L;\n"
    "  cov_matrix[2] S;\n"
    "  array[2] ordered[2] o;\n"
    "  matrix<lower=-1, upper=2>[2, 2] M;\n"
    "  tuple(real<lower=0>, simplex[2]) t;\n"
    "  complex z;\n"
    "}\n"
    "transformed parameters { real r = norm(z); array[2, 2] real B = {{1, p[1]}, {p[2], 4}}; }\n"
    "model {\n"
    "  p ~ dirichlet([2, 3, 4]');\n"
    "  L ~ lkj_corr_cholesky(2);\n"
    "  S ~ wishart(4, identity_matrix(2));\n"
    "  o[1] ~ normal(0, 1); o[2] ~ normal(o[1], 2);\n"
    "  to_vector(M) ~ normal(p[1], 1);\n"
    "  t.1 ~ gamma(2, 1); t.2 ~ dirichlet([2, 2]');\n"
    "  r ~ exponential(1); get_imag(z) ~ normal(0.5, 1);\n"
    "}\n"
    "generated quantities { real u = uniform_rng(0, 1); tuple(int, complex) g = (poisson_rng(3), z); }\n";

Vector some_point(std::size_t dim) {
  Vector theta(dim);
  for (std::size_t i = 0; i < dim; ++i) theta[i] = 0.4 * std::sin(1.0 + 2.0 * static_cast<double>(i));
  return theta;
}

TEST(Bridge, FourKindsOfTermsHaveTheirFormulas) {
  const Model model(kNormal, kNormalData);
  const double mu = 0.7;
  const double s = 0.3;
  const double n = 3;
  const double squares = std::pow(1 - mu, 2) + std::pow(2 - mu, 2) + std::pow(4 - mu, 2);
  const double kernel = -n * s - squares * std::exp(-2 * s) / 2;
  const double constant = -n / 2 * std::log(2 * std::numbers::pi);
  EXPECT_NEAR(model.log_density({mu, s}, true, false), kernel, 1e-13);
  EXPECT_NEAR(model.log_density({mu, s}, true, true), kernel + s, 1e-13);
  EXPECT_NEAR(model.log_density({mu, s}, false, false), kernel + constant, 1e-13);
  EXPECT_NEAR(model.log_density({mu, s}, false, true), kernel + constant + s, 1e-13);
  const Vector gradient = model.gradient({mu, s});
  EXPECT_NEAR(gradient[0], (7 - n * mu) * std::exp(-2 * s), 1e-13);
  EXPECT_NEAR(gradient[1], -n + squares * std::exp(-2 * s) + 1, 1e-13);
}

TEST(Bridge, HessianAndItsProductAreExactToEightDigits) {
  const Model model(kNormal, kNormalData);
  const Vector theta{0.7, 0.3};
  const double scale = std::exp(-2 * 0.3);
  const double squares = std::pow(1 - 0.7, 2) + std::pow(2 - 0.7, 2) + std::pow(4 - 0.7, 2);
  const double h[4] = {-3 * scale, -2 * (7 - 2.1) * scale, -2 * (7 - 2.1) * scale, -2 * squares * scale};
  Vector gradient(2), hessian(4), product(2);
  double value = 0;
  ASSERT_EQ(model.call().log_density_hessian(model.handle, true, true, theta.data(), &value, gradient.data(),
                                             hessian.data(), nullptr),
            0);
  EXPECT_EQ(value, model.log_density(theta));
  EXPECT_EQ(gradient, model.gradient(theta));
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(hessian[static_cast<std::size_t>(i)], h[i], 1e-8 * (1 + std::abs(h[i])));
  EXPECT_EQ(hessian[1], hessian[2]);
  const Vector v{0.5, -2};
  ASSERT_EQ(model.call().log_density_hessian_vector_product(model.handle, true, true, theta.data(), v.data(),
                                                            &value, product.data(), nullptr),
            0);
  EXPECT_NEAR(product[0], h[0] * 0.5 - h[1] * 2, 1e-7);
  EXPECT_NEAR(product[1], h[2] * 0.5 - h[3] * 2, 1e-7);
}

TEST(Bridge, RichProgramAgreesWithFiniteDifferences) {
  const Model model(kRich);
  const std::size_t n = model.dim();
  const Vector theta = some_point(n);
  for (const bool propto : {true, false}) {
    for (const bool jacobian : {true, false}) {
      const Vector gradient = model.gradient(theta, propto, jacobian);
      Vector from_hessian(n), hessian(n * n);
      double value = 0;
      ASSERT_EQ(model.call().log_density_hessian(model.handle, propto, jacobian, theta.data(), &value,
                                                 from_hessian.data(), hessian.data(), nullptr),
                0);
      for (std::size_t i = 0; i < n; ++i) {
        const double step = 1e-5;
        Vector up = theta, down = theta;
        up[i] += step;
        down[i] -= step;
        const double slope =
            (model.log_density(up, propto, jacobian) - model.log_density(down, propto, jacobian)) /
            (2 * step);
        EXPECT_NEAR(gradient[i], slope, 1e-7 * (1 + std::abs(slope))) << i;
        const Vector right = model.gradient(up, propto, jacobian),
                     left = model.gradient(down, propto, jacobian);
        for (std::size_t j = 0; j < n; ++j) {
          const double second = (right[j] - left[j]) / (2 * step);
          EXPECT_NEAR(hessian[i * n + j], second, 1e-6 * (1 + std::abs(second))) << i << " " << j;
        }
      }
    }
  }
}

TEST(Bridge, NamesAreStans) {
  const Model model(kRich);
  EXPECT_EQ(model.names(false, false),
            (Names{"p.1",   "p.2",   "p.3",   "L.1.1", "L.2.1", "L.3.1", "L.1.2", "L.2.2",  "L.3.2", "L.1.3",
                   "L.2.3", "L.3.3", "S.1.1", "S.2.1", "S.1.2", "S.2.2", "o.1.1", "o.2.1",  "o.1.2", "o.2.2",
                   "M.1.1", "M.2.1", "M.1.2", "M.2.2", "t:1",   "t:2.1", "t:2.2", "z.real", "z.imag"}));
  Names with_tp = model.names(false, false);
  for (const char* name : {"r", "B.1.1", "B.2.1", "B.1.2", "B.2.2"}) with_tp.emplace_back(name);
  EXPECT_EQ(model.names(true, false), with_tp);
  Names all = with_tp;
  Names with_gq = model.names(false, false);
  for (const char* name : {"u", "g:1", "g:2.real", "g:2.imag"}) {
    all.emplace_back(name);
    with_gq.emplace_back(name);
  }
  EXPECT_EQ(model.names(true, true), all);
  EXPECT_EQ(model.names(false, true), with_gq);
  EXPECT_EQ(
      split(model.call().param_unc_names(model.handle)),
      (Names{"p.1",   "p.2",   "L.1",   "L.2",   "L.3",   "S.1",   "S.2", "S.3",   "o.1.1",  "o.1.2",
             "o.2.1", "o.2.2", "M.1.1", "M.2.1", "M.1.2", "M.2.2", "t:1", "t:2.1", "z.real", "z.imag"}));
  EXPECT_EQ(model.dim(), 20U);
  EXPECT_EQ(model.call().param_num(model.handle, false, false), 29);
  EXPECT_EQ(model.call().param_num(model.handle, false, true), 33);
  EXPECT_STREQ(model.call().name(model.handle), "test_model");
  EXPECT_NE(std::string(model.call().model_info(model.handle)).find("STAN_THREADS=true"), std::string::npos);
}

TEST(Bridge, ConstrainingAndBack) {
  const Model model(kRich);
  const Vector theta = some_point(model.dim());
  const Vector columns = model.constrain(theta);
  EXPECT_NEAR(columns[0] + columns[1] + columns[2], 1, 1e-14);
  EXPECT_EQ(columns[13], columns[14]);  // S is symmetric
  EXPECT_LT(columns[16], columns[18]);  // o.1.1 < o.1.2
  const Vector back = model.unconstrain(columns);
  for (std::size_t i = 0; i < theta.size(); ++i) EXPECT_NEAR(back[i], theta[i], 1e-9) << i;
  const Vector with_tp = model.constrain(theta, true);
  EXPECT_TRUE(std::equal(columns.begin(), columns.end(), with_tp.begin()));
  EXPECT_EQ(with_tp[31], columns[1]);  // B.2.1 = p[2]
  EXPECT_EQ(with_tp[32], columns[0]);  // B.1.2 = p[1]
}

TEST(Bridge, JsonOfParameters) {
  const Model model(
      "parameters { real<lower=0> s; matrix[2, 2] M; complex z; tuple(real, simplex[2]) t; vector[0] none; "
      "}");
  Vector theta(model.dim());
  char* error = nullptr;
  ASSERT_EQ(
      model.call().param_unconstrain_json(
          model.handle, R"({"s": 2, "M": [[1, 2], [3, 4]], "z": [5, 6], "t": {"1": 7, "2": [0.5, 0.5]}})",
          theta.data(), &error),
      0)
      << model.library->take(error);
  EXPECT_EQ(theta, (Vector{std::log(2.0), 1, 3, 2, 4, 5, 6, 7, 0}));
  EXPECT_EQ(model.constrain(theta), (Vector{std::exp(std::log(2.0)), 1, 3, 2, 4, 5, 6, 7, 0.5, 0.5}));
  ASSERT_EQ(model.call().param_unconstrain_json(model.handle, R"({"s": 2})", theta.data(), &error), -1);
  EXPECT_EQ(model.library->take(error),
            "param_unconstrain_json() failed with exception: theta_json: the parameter 'M' is missing.\n");
}

TEST(Bridge, GeneratorsDecideGeneratedQuantities) {
  const Model model(
      "parameters { real mu; } transformed parameters { real e = exp(mu); }"
      "generated quantities { real x = normal_rng(mu, 1); int k = poisson_rng(4); }");
  const auto draws = [&](unsigned seed, int count) {
    void* rng = model.call().rng_construct(seed, nullptr);
    Vector all;
    for (int i = 0; i < count; ++i) {
      for (const double x : model.constrain({0.5}, false, true, rng)) all.push_back(x);
    }
    model.call().rng_destruct(rng);
    return all;
  };
  EXPECT_EQ(draws(1, 10), draws(1, 10));
  EXPECT_NE(draws(1, 10), draws(2, 10));
  const int count = 4000;
  const Vector many = draws(3, count);
  double x = 0, k = 0;
  for (std::size_t i = 0; i < many.size(); i += 3) {
    EXPECT_EQ(many[i], 0.5);
    x += many[i + 1] / count;
    k += many[i + 2] / count;
  }
  EXPECT_NEAR(x, 0.5, 4 / std::sqrt(count));
  EXPECT_NEAR(k, 4, 4 * 2 / std::sqrt(count));
  EXPECT_EQ(model.names(false, true), (Names{"mu", "x", "k"}));
  Vector columns(3);
  char* error = nullptr;
  const double theta = 0.5;
  EXPECT_EQ(model.call().param_constrain(model.handle, false, true, &theta, columns.data(), nullptr, &error),
            -1);
  EXPECT_EQ(model.library->take(error),
            "param_constrain() failed with exception: include_gq=true but rng=nullptr\n");
  EXPECT_EQ(model.constrain({0.5}, true), (Vector{0.5, std::exp(0.5)}));
}

TEST(Bridge, StartingPointsAreFiniteAndKeepWhatIsGiven) {
  const Model model(
      "parameters { real a; real<lower=0> b; } model { if (a < 1) reject(\"a is small\"); b ~ gamma(2, 1); "
      "}");
  void* rng = model.call().rng_construct(1, nullptr);
  char* error = nullptr;
  std::vector<Vector> found;
  for (int i = 0; i < 50; ++i) {
    Vector theta(2);
    ASSERT_EQ(
        model.call().param_initialize(model.handle, R"({"b": 3})", rng, 2.0, 100, true, theta.data(), &error),
        0);
    EXPECT_GE(theta[0], 1);
    EXPECT_LT(theta[0], 2);
    EXPECT_NEAR(theta[1], std::log(3.0), 1e-15);
    found.push_back(theta);
  }
  EXPECT_NE(found[0], found[1]);
  Vector theta(2);
  ASSERT_EQ(model.call().param_initialize(model.handle, nullptr, rng, 2.0, 100, true, theta.data(), &error),
            0);
  EXPECT_LT(std::abs(theta[1]), 2);
  EXPECT_EQ(model.call().param_initialize(model.handle, "", rng, 0.5, 7, true, theta.data(), &error), -1);
  const std::string text = model.library->take(error);
  EXPECT_NE(text.find("no point with a finite density was found in 7 tries"), std::string::npos) << text;
  EXPECT_NE(text.find("a is small"), std::string::npos) << text;
  EXPECT_EQ(
      model.call().param_initialize(model.handle, R"({"b": -3})", rng, 2, 7, true, theta.data(), &error), -1);
  EXPECT_NE(model.library->take(error).find("'b'"), std::string::npos);
  EXPECT_EQ(model.call().param_initialize(model.handle, "", nullptr, 2, 7, true, theta.data(), &error), -1);
  EXPECT_NE(model.library->take(error).find("rng is a null pointer"), std::string::npos);
  EXPECT_EQ(model.call().param_initialize(model.handle, "", rng, -1, 7, true, theta.data(), nullptr), -1);
  EXPECT_EQ(model.call().param_initialize(model.handle, "", rng, 1, 0, true, theta.data(), nullptr), -1);
  model.call().rng_destruct(rng);
}

// Which block refuses decides which calls fail.
struct RefusingRow {
  const char* program;
  const char* message;
  bool density, transformed, generated;  // of the calls that fail
};

TEST(Bridge, RejectionsNameTheirPlaceAndFailOnlyWhereTheirBlockRuns) {
  const RefusingRow rows[] = {
      {"parameters { real y; }\nmodel { reject(\"y is \", y); }", "test.stan:2:9: y is 0.25", true, false,
       false},
      {"parameters { real y; }\ntransformed parameters {\n  real<lower=1> x = y;\n}", "test.stan:3:3:", true,
       true, true},
      {"parameters { real y; } model { y ~ normal(0, 1); }\ngenerated quantities { reject(\"gqfails\"); }",
       "test.stan:2:24: gqfails", false, false, true},
  };
  for (const RefusingRow& row : rows) {
    const Model model(row.program);
    const double y = 0.25;
    double value = 0;
    double gradient = 0;
    Vector columns(2);
    void* rng = model.call().rng_construct(1, nullptr);
    char* error = nullptr;
    const auto expect = [&](int code, bool fails, const char* function) {
      EXPECT_EQ(code, fails ? -1 : 0) << row.program << " " << function;
      if (!fails) return;
      const std::string text = model.library->take(error);
      EXPECT_TRUE(text.starts_with(std::string(function) + "() failed with exception: ")) << text;
      EXPECT_NE(text.find(row.message), std::string::npos) << text;
    };
    const Functions& call = model.call();
    expect(call.log_density(model.handle, true, true, &y, &value, &error), row.density, "log_density");
    expect(call.log_density_gradient(model.handle, true, true, &y, &value, &gradient, &error), row.density,
           "log_density_gradient");
    expect(call.param_constrain(model.handle, false, false, &y, columns.data(), nullptr, &error), false,
           "param_constrain");
    expect(call.param_constrain(model.handle, true, false, &y, columns.data(), nullptr, &error),
           row.transformed, "param_constrain");
    expect(call.param_constrain(model.handle, false, true, &y, columns.data(), rng, &error), row.generated,
           "param_constrain");
    call.rng_destruct(rng);
  }
}

TEST(Bridge, OutsideTheSupportIsAValueNotAnError) {
  const Model model("parameters { real y; } model { target += y > 0 ? -y : negative_infinity(); }");
  EXPECT_EQ(model.log_density({1}), -1);
  EXPECT_EQ(model.log_density({-1}), -std::numeric_limits<double>::infinity());
  const double theta = -1;
  double value = 0, gradient = 0, hessian = 0;
  EXPECT_EQ(model.call().log_density_hessian(model.handle, true, true, &theta, &value, &gradient, &hessian,
                                             nullptr),
            0);
  EXPECT_TRUE(std::isinf(value));
  EXPECT_TRUE(std::isnan(hessian));
  const double nowhere = std::nan("");
  char* error = nullptr;
  EXPECT_EQ(model.call().log_density(model.handle, true, true, &nowhere, &value, &error), -1);
  EXPECT_EQ(model.library->take(error),
            "log_density() failed with exception: coordinate 1 of theta_unc is nan; it must be finite.\n");
}

std::string failed_construction(const Library& library, const char* data) {
  char* error = nullptr;
  EXPECT_EQ(library.call.model_construct(data, 1, &error), nullptr) << data;
  return library.take(error);
}

TEST(Bridge, DataThatDoNotFit) {
  const Model model(kNormal, kNormalData);
  const Library& library = *model.library;
  EXPECT_NE(failed_construction(library, nullptr).find("construct() failed with exception: "),
            std::string::npos);
  EXPECT_NE(failed_construction(library, nullptr).find("test.stan:1:8"), std::string::npos);
  EXPECT_NE(failed_construction(library, R"({"N": 3, "y": [1, 2]})").find("data: 'y'"), std::string::npos);
  EXPECT_NE(failed_construction(library, "{\"N\": 3").find("data:1:"), std::string::npos);
  EXPECT_NE(failed_construction(library, "not JSON").find("data:1:1"), std::string::npos);
  EXPECT_NE(failed_construction(library, "/nowhere/data.json").find("/nowhere/data.json: cannot be read"),
            std::string::npos);
  EXPECT_EQ(library.call.model_construct("{}", 1, nullptr), nullptr);  // a caller who wants no message
}

TEST(Bridge, DataFromAFileAndNone) {
  const Model model(kNormal, kNormalData);
  const Folder folder;
  write_text(folder / "data.json", kNormalData);
  void* same = model.call().model_construct((folder / "data.json").c_str(), 1, nullptr);
  ASSERT_NE(same, nullptr);
  const Vector theta{0.7, 0.3};
  double value = 0;
  ASSERT_EQ(model.call().log_density(same, true, true, theta.data(), &value, nullptr), 0);
  EXPECT_EQ(value, model.log_density(theta));
  model.call().model_destruct(same);
  const Model empty("generated quantities { real x = 1; }");
  EXPECT_EQ(empty.dim(), 0U);
  EXPECT_EQ(empty.call().param_unc_names(empty.handle), std::string());
  EXPECT_EQ(empty.log_density({}), 0);
  for (const char* nothing : {static_cast<const char*>(nullptr), "", "{}"}) {
    void* again = empty.call().model_construct(nothing, 1, nullptr);
    EXPECT_NE(again, nullptr);
    empty.call().model_destruct(again);
  }
}

TEST(Bridge, ValuesThatViolateTheirConstraints) {
  const Model model("parameters { simplex[3] p; real<lower=0> s; }");
  Vector theta(3);
  char* error = nullptr;
  const Vector too_much{0.5, 0.5, 0.5, 1};
  EXPECT_EQ(model.call().param_unconstrain(model.handle, too_much.data(), theta.data(), &error), -1);
  EXPECT_NE(model.library->take(error).find("'p'"), std::string::npos);
  const Vector negative{0.2, 0.3, 0.5, -1};
  EXPECT_EQ(model.call().param_unconstrain(model.handle, negative.data(), theta.data(), &error), -1);
  EXPECT_NE(model.library->take(error).find("'s'"), std::string::npos);
  EXPECT_EQ(model.call().param_unconstrain_json(model.handle, "[", theta.data(), &error), -1);
  EXPECT_NE(model.library->take(error).find("theta_json:1:"), std::string::npos);
}

TEST(Bridge, NullPointersAreRefused) {
  const Model model(kNormal, kNormalData);
  double value = 0;
  char* error = nullptr;
  const Vector theta{0, 0};
  EXPECT_EQ(model.call().log_density(nullptr, true, true, theta.data(), &value, &error), -1);
  EXPECT_EQ(model.library->take(error),
            "log_density() failed with exception: the model is a null pointer.\n");
  EXPECT_EQ(model.call().log_density(model.handle, true, true, nullptr, &value, &error), -1);
  EXPECT_EQ(model.library->take(error),
            "log_density() failed with exception: theta_unc is a null pointer.\n");
  EXPECT_EQ(model.call().log_density(model.handle, true, true, theta.data(), nullptr, nullptr), -1);
  EXPECT_EQ(model.call().param_num(nullptr, true, true), -1);
  EXPECT_EQ(model.call().name(nullptr), nullptr);
  model.call().model_destruct(nullptr);
  model.call().rng_destruct(nullptr);
  model.call().free_error_msg(nullptr);
}

// ---- print() ----

std::string printed;
void keep_printed(const char* text, std::size_t size) { printed.append(text, size); }

TEST(Bridge, PrintsGoToTheCallback) {
  const char* const program =
      "functions { real loud(real x) { print(\"loud \", x); return x; } }"
      "data { int N; } transformed data { print(\"N = \", N); }"
      "parameters { real theta; matrix[2, 1] M; }"
      "model { theta ~ normal(0, 1); print(\"theta = \", theta, \" \", M); print(\"target is \", target()); }"
      "generated quantities { real g = loud(2 * theta); complex z = 1i; print((g, {1, 2}), z);"
      " real u = uniform_rng(0, 1); print(\"u = \", u); }";
  const Folder folder;
  write_text(folder / "print.stan", program);
  ASSERT_EQ(bridge((folder / "print.stan").string() + " -o " + (folder / "print.so").string()), 0);
  const Library library(folder / "print.so");
  ASSERT_EQ(library.call.set_print_callback(keep_printed, nullptr), 0);
  printed.clear();
  void* model = library.call.model_construct(R"({"N": 3})", 1, nullptr);
  EXPECT_EQ(printed, "N = 3\n");
  const Vector theta{0.5, 1, 2};
  double value = 0;
  for (int time = 0; time < 2; ++time) {
    printed.clear();
    ASSERT_EQ(library.call.log_density(model, true, true, theta.data(), &value, nullptr), 0);
    EXPECT_EQ(printed, "theta = 0.5 [[1], [2]]\ntarget is -0.125\n");
  }
  void* rng = library.call.rng_construct(1, nullptr);
  Vector columns(7);
  for (int time = 0; time < 3; ++time) {
    printed.clear();
    ASSERT_EQ(library.call.param_constrain(model, true, true, theta.data(), columns.data(), rng, nullptr), 0);
    std::ostringstream expected;
    expected << "loud 1\n(1, [1, 2])(0, 1)\nu = ";
    ASSERT_TRUE(printed.starts_with(expected.str())) << printed;
    EXPECT_EQ(std::stod(printed.substr(expected.str().size())), columns[6]);  // the number that was written
  }
  printed.clear();
  ASSERT_EQ(library.call.param_constrain(model, false, false, theta.data(), columns.data(), nullptr, nullptr),
            0);
  EXPECT_EQ(printed, "");
  library.call.rng_destruct(rng);
  library.call.model_destruct(model);
  ASSERT_EQ(library.call.set_print_callback(nullptr, nullptr), 0);
}

// ---- threads ----

TEST(Bridge, FourThreadsGetTheNumbersOfOne) {
  const Model model(kRich);
  const std::size_t n = model.dim();
  constexpr int kPoints = 200;
  const auto run = [&] {
    Vector all;
    void* rng = model.call().rng_construct(7, nullptr);
    for (int i = 0; i < kPoints; ++i) {
      Vector theta = some_point(n);
      theta[static_cast<std::size_t>(i) % n] += 0.01 * i;
      Vector gradient(n), columns(static_cast<std::size_t>(model.call().param_num(model.handle, true, true)));
      double value = 0;
      const bool propto = i % 2 == 0;
      const bool jacobian = i % 3 == 0;
      if (model.call().log_density_gradient(model.handle, propto, jacobian, theta.data(), &value,
                                            gradient.data(), nullptr) != 0 ||
          model.call().param_constrain(model.handle, true, true, theta.data(), columns.data(), rng,
                                       nullptr) != 0)
        return Vector{};
      all.push_back(value);
      all.insert(all.end(), gradient.begin(), gradient.end());
      all.insert(all.end(), columns.begin(), columns.end());
    }
    model.call().rng_destruct(rng);
    return all;
  };
  std::vector<Vector> found(4);
  std::vector<std::thread> threads;
  for (Vector& one : found) threads.emplace_back([&] { one = run(); });  // the first evaluations are theirs
  for (std::thread& thread : threads) thread.join();
  const Vector alone = run();
  ASSERT_FALSE(alone.empty());
  for (const Vector& one : found) EXPECT_EQ(one, alone);
}

// ---- the file ----

TEST(Bridge, IncludedFilesTravelWithTheLibrary) {
  const Folder folder;
  std::filesystem::create_directory(folder / "parts");
  write_text(folder / "parts" / "twice.stan",
             "real twice(real x) {\n  if (x > 1) reject(\"too large\");\n  return 2 * x;\n}\n");
  write_text(
      folder / "including.stan",
      "functions {\n#include twice.stan\n}\nparameters { real y; }\nmodel { target += -twice(y)^2; }\n");
  ASSERT_EQ(bridge((folder / "including.stan").string() + " --include-path " + (folder / "parts").string() +
                   " -o " + (folder / "including.so").string()),
            0);
  std::filesystem::remove_all(folder / "parts");
  std::filesystem::remove(folder / "including.stan");
  const Library library(folder / "including.so");
  void* model = library.call.model_construct(nullptr, 1, nullptr);
  ASSERT_NE(model, nullptr);
  double y = 0.5;
  double value = 0;
  ASSERT_EQ(library.call.log_density(model, true, true, &y, &value, nullptr), 0);
  EXPECT_EQ(value, -1);
  y = 2;
  char* error = nullptr;
  ASSERT_EQ(library.call.log_density(model, true, true, &y, &value, &error), -1);
  EXPECT_NE(library.take(error).find("twice.stan:2:14"), std::string::npos);
  library.call.model_destruct(model);
}

TEST(Bridge, ADamagedLibraryAndTheBareStubSaySo) {
  const Folder folder;
  write_text(folder / "m.stan", "parameters { real some_parameter; }\n");
  ASSERT_EQ(bridge((folder / "m.stan").string() + " -o " + (folder / "m.so").string()), 0);
  std::string bytes;
  {
    std::ifstream in(folder / "m.so", std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    bytes = all.str();
  }
  bytes[bytes.rfind("some_parameter")] = 'S';
  std::ofstream(folder / "damaged.so", std::ios::binary) << bytes;
  EXPECT_NE(
      failed_construction(Library(folder / "damaged.so"), "").find("the program in this library is damaged"),
      std::string::npos);
  const std::filesystem::path stub =
      std::filesystem::path(KULLBACK_PROGRAM).parent_path() / "kullback-bridge.so";
  EXPECT_NE(failed_construction(Library(stub), "").find("there is no Stan program in this library"),
            std::string::npos);
}

TEST(Bridge, EveryFunctionOfTheClientsIsThere) {
  const Model model(kNormal, kNormalData);
  for (const char* name : {"bs_model_construct_R",
                           "bs_version_R",
                           "bs_model_destruct_R",
                           "bs_free_error_msg_R",
                           "bs_name_R",
                           "bs_model_info_R",
                           "bs_param_names_R",
                           "bs_param_unc_names_R",
                           "bs_param_num_R",
                           "bs_param_unc_num_R",
                           "bs_param_constrain_R",
                           "bs_param_unconstrain_R",
                           "bs_param_unconstrain_json_R",
                           "bs_param_initialize_R",
                           "bs_log_density_R",
                           "bs_log_density_gradient_R",
                           "bs_log_density_hessian_R",
                           "bs_log_density_hessian_vector_product_R",
                           "bs_rng_construct_R",
                           "bs_rng_destruct_R"})
    EXPECT_NE(model.library->symbol(name), nullptr) << name;
  EXPECT_EQ(*static_cast<const int*>(model.library->symbol("bs_major_version")), 2);
  EXPECT_NE(model.library->symbol("bs_minor_version"), nullptr);
  EXPECT_NE(model.library->symbol("bs_patch_version"), nullptr);
}

// As R calls it: pointers only, messages in strings that R made.
TEST(Bridge, FunctionsForR) {
  const Model model(kNormal, kNormalData);
  const auto density = reinterpret_cast<void (*)(const void* const*, int*, int*, const double*, double*, int*,
                                                 char**, void**)>(model.library->symbol("bs_log_density_R"));
  int yes = 1, code = -5;
  double value = 0;
  char nothing[] = "";
  char* error = nothing;
  void* pointer = nullptr;
  const Vector theta{0.7, 0.3};
  const void* handle = model.handle;
  density(&handle, &yes, &yes, theta.data(), &value, &code, &error, &pointer);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(value, model.log_density(theta));
  EXPECT_EQ(error, nothing);
  const Vector bad{std::nan(""), 0};
  density(&handle, &yes, &yes, bad.data(), &value, &code, &error, &pointer);
  EXPECT_EQ(code, -1);
  EXPECT_EQ(pointer, error);
  const auto free_error = reinterpret_cast<void (*)(void**)>(model.library->symbol("bs_free_error_msg_R"));
  free_error(&pointer);
}

}  // namespace
}  // namespace kullback::capi
