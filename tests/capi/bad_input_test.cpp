// What wrong input gets: a status, and a message with place, sentence and hint.
#include "tests/capi/handles.hpp"

namespace kullback::capi_test {
namespace {

struct Refused {
  kb_status status = KB_OK;
  Told told;
};

Refused refuse_model(const std::string& program, const char* data, const char* options = nullptr) {
  kb_model* model = nullptr;
  kb_error* error = nullptr;
  const kb_status status = kb_model_new(program.c_str(), "wrong.stan", data, options, &model, &error);
  EXPECT_EQ(model, nullptr);
  return {status, take(error)};
}

Refused refuse_fit(const std::string& options) {
  static const Model model = eight_schools();
  kb_fit* fit = nullptr;
  kb_error* error = nullptr;
  const kb_status status = kb_fit_run(model.get(), options.c_str(), nullptr, nullptr, &fit, &error);
  EXPECT_EQ(fit, nullptr);
  return {status, take(error)};
}

TEST(CBadInput, ProgramWithErrors) {
  const Refused found =
      refuse_model("parameters {\n  real x;\n}\nmodel {\n  x ~ normal(0, sigma);\n}\n", nullptr);
  EXPECT_EQ(found.status, KB_BAD_INPUT);
  EXPECT_NE(found.told.text.find("wrong.stan:5:17"), std::string::npos) << found.told.text;
  EXPECT_NE(found.told.text.find("x ~ normal(0, sigma);"), std::string::npos) << found.told.text;
  EXPECT_NE(found.told.text.find("^"), std::string::npos) << found.told.text;
  EXPECT_NE(found.told.message.find("sigma"), std::string::npos);
  EXPECT_EQ(found.told.message.find('\n'), std::string::npos);
}

TEST(CBadInput, DataThatDoNotFit) {
  const char* program = "data { int N; vector[N] y; } parameters { real x; } model { y ~ normal(x, 1); }";
  const Refused size = refuse_model(program, R"({"N": 3, "y": [1, 2]})");
  EXPECT_EQ(size.status, KB_BAD_INPUT);
  EXPECT_NE(size.told.message.find("'y'"), std::string::npos) << size.told.message;
  EXPECT_EQ(size.told.message.substr(0, 5), "data:") << size.told.message;
  const Refused named = refuse_model(program, R"({"N": 3})", R"({"data_name": "mine.json"})");
  EXPECT_EQ(named.told.message.substr(0, 10), "mine.json:") << named.told.message;
  EXPECT_EQ(refuse_model(program, "{\"N\": 3,").status, KB_BAD_INPUT);
  EXPECT_EQ(refuse_model(program, nullptr).status, KB_BAD_INPUT);
}

TEST(CBadInput, OptionsOfAModel) {
  const char* program = "parameters { real x; } model { x ~ normal(0, 1); }";
  EXPECT_EQ(refuse_model(program, nullptr, "{\"sed\": 1}").told.message, "a model has no option 'sed'.");
  EXPECT_EQ(refuse_model(program, nullptr, "{\"seed\": -1}").status, KB_USAGE);
  EXPECT_EQ(refuse_model(program, nullptr, "{\"include_paths\": 3}").status, KB_USAGE);
  EXPECT_EQ(refuse_model(program, nullptr, "[1]").status, KB_USAGE);
  EXPECT_EQ(refuse_model(program, nullptr, "{").status, KB_BAD_INPUT);
}

TEST(CBadInput, OptionsOfAFit) {
  const Refused unknown = refuse_fit(R"({"method": "nuts", "max_dept": 3})");
  EXPECT_EQ(unknown.status, KB_USAGE);
  EXPECT_EQ(unknown.told.message, "kullback fit has no option '--max-dept'.");
  EXPECT_EQ(unknown.told.hint, "Did you mean '--max-depth'?");
  EXPECT_EQ(unknown.told.text, unknown.told.message + "\n  hint: " + unknown.told.hint);
  EXPECT_EQ(refuse_fit(R"({"method": "nut"})").told.hint, "Did you mean 'nuts'?");
  EXPECT_EQ(refuse_fit(R"({"method": "laplace", "max_depth": 3})").told.message,
            "--max-depth cannot be used with `--method laplace`.");
  EXPECT_EQ(refuse_fit(R"({"chains": 0})").told.message, "--chains is 0; it must be from 1 to 100000.");
  EXPECT_EQ(refuse_fit(R"({"seed": -1})").status, KB_USAGE);
  EXPECT_EQ(refuse_fit(R"({"seed": "x"})").status, KB_USAGE);
  EXPECT_EQ(refuse_fit(R"({"tolerance": 0})").status, KB_USAGE);
  EXPECT_EQ(refuse_fit(R"({"tolerance": "small"})").status, KB_USAGE);
  EXPECT_EQ(refuse_fit(R"({"sensitivity": 2})").told.message,
            "the option 'sensitivity': found 2, but true or false is needed.");
  EXPECT_EQ(refuse_fit(R"({"stream": 2})").told.message,
            "the option 'stream': found 2, but a list of texts is needed.");
  EXPECT_EQ(refuse_fit(R"({"method": "pathfinder", "resample": "no"})").told.message,
            "the option 'resample': found no, but true or false is needed.");
  EXPECT_EQ(refuse_fit(R"({"method": "nuts", "draws": 1.5})").status, KB_USAGE);
  EXPECT_EQ(refuse_fit(R"({"resume": "x"})").status, KB_USAGE);
  EXPECT_EQ(refuse_fit(R"({"force": true})").told.hint, "Name one as \"out\".");
  EXPECT_EQ(refuse_fit(R"({"force": false, "method": "nut"})").told.message, "there is no method 'nut'.");
  EXPECT_EQ(refuse_fit(R"({"minibatch": "N=3", "method": "nuts"})").status, KB_USAGE);
  EXPECT_EQ(refuse_fit("{\"seed\": 1").status, KB_BAD_INPUT);
  EXPECT_EQ(refuse_fit("3").status, KB_USAGE);
  EXPECT_EQ(refuse_fit(R"({"init": "none.json", "method": "nuts"})").status, KB_NO_INPUT);
  EXPECT_EQ(refuse_fit(R"({"init": {"tau": -1}, "method": "nuts"})").status, KB_BAD_INPUT);
  EXPECT_EQ(refuse_fit(R"({"out": "/proc/none/x", "method": "nuts"})").status, KB_CANNOT_WRITE);
}

TEST(CBadInput, AModelWithoutAStart) {
  const Model model = make_model("parameters { real x; } model { target += log(-1 - x^2); }");
  kb_fit* fit = nullptr;
  kb_error* error = nullptr;
  EXPECT_EQ(kb_fit_run(model.get(), R"({"method": "nuts"})", nullptr, nullptr, &fit, &error), KB_BAD_INPUT);
  EXPECT_NE(take(error).message.find("not finite"), std::string::npos);
  EXPECT_EQ(fit, nullptr);
}

TEST(CBadInput, NullArguments) {
  const Model model = eight_schools();
  kb_model* none = nullptr;
  kb_fit* fit = nullptr;
  kb_error* error = nullptr;
  double x = 0;
  const auto expect_null = [&](kb_status status, const std::string& sentence) {
    EXPECT_EQ(status, KB_USAGE);
    EXPECT_EQ(take(error).message, sentence);
    error = nullptr;
  };
  expect_null(kb_model_new(nullptr, "x", nullptr, nullptr, &none, &error), "kb_model_new: program is NULL.");
  expect_null(kb_model_new("", "x", nullptr, nullptr, nullptr, &error), "kb_model_new: model is NULL.");
  expect_null(kb_model_log_density(nullptr, 1, &x, 1, 0, &x, nullptr, nullptr, &error),
              "kb_model_log_density: model is NULL.");
  expect_null(kb_model_log_density(model.get(), 1, nullptr, 1, 0, &x, nullptr, nullptr, &error),
              "kb_model_log_density: theta is NULL.");
  expect_null(kb_model_log_density(model.get(), 1, &x, 1, 0, nullptr, nullptr, nullptr, &error),
              "kb_model_log_density: log_density is NULL.");
  expect_null(kb_model_constrain(model.get(), 1, nullptr, KB_ALL, 0, &x, &error),
              "kb_model_constrain: theta is NULL.");
  expect_null(kb_model_unconstrain(model.get(), 1, nullptr, &x, &error),
              "kb_model_unconstrain: columns is NULL.");
  expect_null(kb_model_unconstrain_json(model.get(), nullptr, &x, &error),
              "kb_model_unconstrain_json: values is NULL.");
  expect_null(kb_model_hessian_times(model.get(), nullptr, 1, &x, &x, &error),
              "kb_model_hessian_times: theta is NULL.");
  expect_null(kb_model_explain(nullptr, &x, 1, 0, &error), "kb_model_explain: model is NULL.");
  expect_null(kb_fit_run(nullptr, nullptr, nullptr, nullptr, &fit, &error), "kb_fit_run: model is NULL.");
  expect_null(kb_fit_run(model.get(), nullptr, nullptr, nullptr, nullptr, &error),
              "kb_fit_run: fit is NULL.");
  expect_null(kb_fit_read(nullptr, &fit, &error), "kb_fit_read: folder is NULL.");
  expect_null(kb_fit_write(nullptr, "x", 0, &error), "kb_fit_write: fit is NULL.");
  expect_null(kb_fit_column(nullptr, 0, &x, &error), "kb_fit_columns_copy: fit is NULL.");
  expect_null(kb_fit_stat(nullptr, "lp__", &x, &error), "kb_fit_stat: fit is NULL.");
  expect_null(kb_fit_equal_weights(nullptr, nullptr, &error), "kb_fit_equal_weights: fit is NULL.");
  EXPECT_EQ(kb_model_log_density(nullptr, 1, &x, 1, 0, &x, nullptr, nullptr, nullptr),
            KB_USAGE);  // nobody asks why
  EXPECT_EQ(kb_model_constrain(model.get(), 1, &x, 0, 0, &x, nullptr), KB_USAGE);
  EXPECT_EQ(kb_model_dim(nullptr), 0U);
  EXPECT_EQ(kb_model_size(nullptr, KB_ALL), 0U);
  EXPECT_STREQ(kb_model_names(nullptr, KB_ALL), "");
  EXPECT_STREQ(kb_model_warnings(nullptr), "");
  EXPECT_EQ(kb_fit_chains(nullptr), 0U);
  EXPECT_STREQ(kb_fit_text(nullptr), "");
  EXPECT_STREQ(kb_error_text(nullptr), "");
  kb_model_free(nullptr);
  kb_fit_free(nullptr);
  kb_error_free(nullptr);
}

TEST(CBadInput, Folders) {
  const Scratch scratch;
  kb_fit* fit = nullptr;
  kb_error* error = nullptr;
  EXPECT_EQ(kb_fit_read((scratch.path() / "none").c_str(), &fit, &error), KB_NO_INPUT);
  EXPECT_NE(take(error).message.find("there is no such folder"), std::string::npos);
  EXPECT_EQ(kb_fit_read(scratch.path().c_str(), &fit, &error), KB_NO_INPUT);
  EXPECT_NE(take(error).message.find("run.json"), std::string::npos);
  write_file(scratch.path() / "run.json", "{\"kind\": 3");
  EXPECT_EQ(kb_fit_read(scratch.path().c_str(), &fit, &error), KB_BAD_INPUT);
  kb_error_free(error);
  EXPECT_EQ(fit, nullptr);
}

TEST(CBadInput, WarningsAreTold) {
  const Model old = make_model("# a comment of old\nparameters { real x; } model { x ~ normal(0, 1); }");
  EXPECT_NE(std::string(kb_model_warnings(old.get())).find("model.stan:1:1"), std::string::npos)
      << kb_model_warnings(old.get());
  const Model extra =
      make_model("data { int N; } parameters { real x; } model { x ~ normal(0, 1); }", R"({"N": 1, "M": 2})");
  EXPECT_NE(std::string(kb_model_warnings(extra.get())).find("'M'"), std::string::npos)
      << kb_model_warnings(extra.get());
  EXPECT_STREQ(kb_model_warnings(eight_schools().get()), "");
}

}  // namespace
}  // namespace kullback::capi_test
