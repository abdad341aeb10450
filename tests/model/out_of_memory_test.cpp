// Memory that cannot be had is said so, with the statement that wants it; it is no rejection of a draw.
#include <new>

#include "base/error.hpp"
#include "tape/run/workspace.hpp"
#include "tape/tape.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

// Works while it is traced, and has no memory afterwards.
class Hungry final : public tape::DenseFunction {
 public:
  std::size_t result_size() const override { return 1; }
  std::size_t scratch_size() const override { return 0; }
  std::unique_ptr<State> make_state() const override { return std::make_unique<State>(); }
  void forward(const Call& call, State&) const override {
    if (is_traced_) throw std::bad_alloc();
    is_traced_ = true;
    *call.result = 1;
  }
  void backward(const Call&, State&) const override {}

 private:
  mutable bool is_traced_ = false;
};

TEST(OutOfMemory, IsNoRefusalOfADraw) {
  tape::Builder builder;
  const tape::Ids x{builder.add_parameter(0.5)};
  builder.add_target(builder.solve(std::make_shared<Hungry>(), x)[0]);
  tape::Workspace workspace(tape::compile(std::move(builder)), 1);
  const double theta = 0.5;
  EXPECT_THROW(workspace.forward(&theta), std::bad_alloc);
}

TEST(OutOfMemory, NamesTheStatementBeforeAnythingIsAllocated) {
  const struct {
    const char* program;
    const char* place;
  } rows[] = {
      {"parameters { matrix[2147483647, 2147483647] m; } model { }", "model.stan:1:14: "},
      {"parameters { array[2147483647] matrix[2147483647, 2147483647] m; } model { }", "model.stan:1:14: "},
      {"transformed data { array[2147483647, 2147483647, 2147483647] int m; }", "model.stan:1:20: "},
      {"parameters { real x; } model { matrix[2147483647, 2147483647] m; }", "model.stan:1:32: "},
      {"parameters { real x; } model { x ~ normal(sum(rep_matrix(0, 2147483647, 2147483647)), 1); }",
       "model.stan:1:32: "},
      {"parameters { real x; } model { x ~ normal(rep_array(x, 2147483647, 2147483647)[1, 1], 1); }",
       "model.stan:1:32: "},
      {"transformed data { vector[100000] v = ones_vector(100000); matrix[1, 1] m = v * v'; } model { }",
       "model.stan:1:60: "},
  };
  for (const auto& row : rows) {
    try {
      const auto loaded = load(row.program);
      evaluate(*loaded->model, std::vector<double>(loaded->model->dim(), 0.5));
      ADD_FAILURE() << row.program;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_EQ(error.message().substr(0, 17 + 14), std::string(row.place) + "out of memory:") << row.program;
    }
  }
}

}  // namespace
}  // namespace kullback::model
