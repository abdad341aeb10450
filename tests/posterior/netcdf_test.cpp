// The file is read back by the netCDF library itself; tests/interop/check_readers.py opens it with ArviZ.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include "base/error.hpp"
#include "posterior/files.hpp"
#include "tests/posterior/made_posterior.hpp"

namespace kullback::posterior {
namespace {

namespace fs = std::filesystem;

class Netcdf : public testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen("libnetcdf.so", RTLD_NOW);
    ASSERT_NE(library_, nullptr) << dlerror();
    folder_ = fs::path(testing::TempDir()) / ("kullback-netcdf-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  template <class Function>
  Function function(const char* name) {
    return reinterpret_cast<Function>(dlsym(library_, name));
  }

  // Empty where the group or variable is missing.
  std::vector<double> read(const std::string& group, const std::string& name) {
    int file = 0, parent = 0, id = 0, dim_count = 0;
    EXPECT_EQ(function<decltype(&nc_open)>("nc_open")(path().c_str(), NC_NOWRITE, &file), NC_NOERR);
    std::vector<double> numbers;
    if (function<decltype(&nc_inq_ncid)>("nc_inq_ncid")(file, group.c_str(), &parent) == NC_NOERR &&
        function<decltype(&nc_inq_varid)>("nc_inq_varid")(parent, name.c_str(), &id) == NC_NOERR) {
      function<decltype(&nc_inq_varndims)>("nc_inq_varndims")(parent, id, &dim_count);
      std::vector<int> dims(static_cast<std::size_t>(dim_count));
      function<decltype(&nc_inq_vardimid)>("nc_inq_vardimid")(parent, id, dims.data());
      std::size_t count = 1;
      shape_.clear();
      for (const int dim : dims) {
        std::size_t size = 0;
        function<decltype(&nc_inq_dimlen)>("nc_inq_dimlen")(parent, dim, &size);
        shape_.push_back(size);
        count *= size;
      }
      numbers.resize(count);
      function<decltype(&nc_get_var_double)>("nc_get_var_double")(parent, id, numbers.data());
      function<decltype(&nc_inq_vartype)>("nc_inq_vartype")(parent, id, &type_);
    }
    function<decltype(&nc_close)>("nc_close")(file);
    return numbers;
  }

  fs::path path() const { return folder_ / "posterior.nc"; }

  void* library_ = nullptr;
  fs::path folder_;
  std::vector<std::size_t> shape_;  // of the variable read last
  nc_type type_ = 0;
};

Maker number(std::string name, double value) {
  return {std::move(name), [value](Random&, std::size_t c, std::size_t d) {
            return value + 0.1 * static_cast<double>(c) + 0.01 * static_cast<double>(d);
          }};
}

Posterior small_posterior() {
  Posterior posterior =
      make_posterior({number("mu", 1), number("L.1.1", 11), number("L.2.1", 21), number("L.3.1", 31),
                      number("L.1.2", 12), number("L.2.2", 22), number("L.3.2", 32), number("pair:1", 7),
                      number("chain", 8), number("log_lik.1", 3), number("log_lik.2", 4), number("y_rep", 5),
                      number("x_pred.1", 6), number("z.real", 9)},
                     2, 3);
  posterior.parameters = 8;
  posterior.generated = 9;
  add_stat(posterior, "divergent__", [](const Chain&, std::size_t, std::size_t d) { return d == 1 ? 1 : 0; });
  add_stat(posterior, "treedepth__",
           [](const Chain&, std::size_t, std::size_t d) { return static_cast<double>(d); });
  add_stat(posterior, "int_time__", [](const Chain&, std::size_t, std::size_t) { return 2.5; });
  return posterior;
}

DataVariable data_of(std::string name, std::vector<std::size_t> dims, std::vector<double> numbers,
                     bool is_int, bool is_observed = false) {
  return {std::move(name), std::move(dims), is_int, is_observed,
          [numbers](std::size_t first, std::span<double> to) {
            std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(first), to.size(), to.begin());
          }};
}

// More numbers than are written at once, in rows that do not divide a piece.
TEST_F(Netcdf, LargeDataAreWrittenInPieces) {
  std::vector<double> numbers(3 * 400'001);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) / 8;
  std::vector<double> whole(1'000'003);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<double>(i % 1000);
  write_netcdf(path(), small_posterior(), {},
               {data_of("X", {400'001, 3}, numbers, false), data_of("n", {1'000'003}, whole, true)});
  EXPECT_EQ(read("constant_data", "X"), numbers);
  EXPECT_EQ(shape_, (std::vector<std::size_t>{400'001, 3}));
  EXPECT_EQ(read("constant_data", "n"), whole);
  EXPECT_EQ(type_, NC_INT64);
}

TEST_F(Netcdf, HasTheGroupsOfArviz) {
  const Posterior posterior = small_posterior();
  write_netcdf(path(), posterior, {},
               {data_of("N", {}, {3}, true), data_of("X", {2, 3}, {1, 2, 3, 4, 5, 6}, false),
                data_of("none", {0}, {}, false)});
  EXPECT_EQ(read("posterior", "mu"), posterior.column(0));
  EXPECT_EQ(shape_, (std::vector<std::size_t>{2, 3}));
  const std::vector<double> l = read("posterior", "L");
  EXPECT_EQ(shape_, (std::vector<std::size_t>{2, 3, 3, 2}));
  EXPECT_EQ(std::vector<double>(l.begin(), l.begin() + 6), (std::vector<double>{11, 12, 21, 22, 31, 32}));
  EXPECT_EQ(l[5 * 6 + 3], posterior.column(5)[5]);
  EXPECT_EQ(read("posterior", "L_dim_0"), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(read("posterior", "chain"), (std::vector<double>{0, 1}));
  EXPECT_EQ(read("posterior", "chain_"), posterior.column(8));
  EXPECT_EQ(read("posterior", "pair:1"), posterior.column(7));
  EXPECT_EQ(read("posterior", "z.real"), posterior.column(13));
  EXPECT_TRUE(read("posterior", "log_lik").empty());
  EXPECT_EQ(read("log_likelihood", "log_lik").size(), 12u);
  EXPECT_EQ(read("posterior_predictive", "y_rep"), posterior.column(11));
  EXPECT_EQ(read("posterior_predictive", "x_pred").size(), 6u);
  EXPECT_EQ(read("sample_stats", "lp"), posterior.log_density());
  EXPECT_EQ(read("sample_stats", "diverging"), (std::vector<double>{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(type_, NC_BYTE);
  EXPECT_EQ(read("sample_stats", "tree_depth"), (std::vector<double>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(type_, NC_INT64);
  EXPECT_EQ(read("sample_stats", "int_time").size(), 6u);
  EXPECT_EQ(read("constant_data", "X"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(shape_, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(read("constant_data", "N"), std::vector<double>{3});
  EXPECT_EQ(type_, NC_INT64);
  EXPECT_TRUE(read("observed_data", "X").empty());
  EXPECT_TRUE(read("approximation", "mu").empty());
}

TEST_F(Netcdf, ObservedDataHaveAGroupOfTheirOwn) {
  write_netcdf(path(), small_posterior(), {},
               {data_of("N", {}, {2}, true), data_of("y", {2}, {0.5, 1.5}, false, true)});
  EXPECT_EQ(read("observed_data", "y"), (std::vector<double>{0.5, 1.5}));
  EXPECT_TRUE(read("observed_data", "N").empty());
  EXPECT_TRUE(read("constant_data", "y").empty());
  EXPECT_EQ(read("constant_data", "N"), std::vector<double>{2});
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// ArviZ takes all draws of a group to weigh the same: what it finds in `posterior` must be right so.
TEST_F(Netcdf, DrawsWithWeightsAreDrawnAgain) {
  Posterior posterior = make_posterior({normal("mu"), normal("y_rep")}, 1, 4000);
  posterior.generated = 1;
  for (std::size_t i = 0; i < 4000; ++i)
    posterior.chains[0].log_weight.push_back(posterior.chains[0].columns[i]);
  posterior.chains[0].log_q.assign(4000, -1);
  write_netcdf(path(), posterior, {}, {});
  // A standard normal with weights exp(x) is normal(1, 1).
  EXPECT_NEAR(mean_of(read("posterior", "mu")), 1, 0.1);
  EXPECT_EQ(read("posterior_predictive", "y_rep").size(), 4000u);
  EXPECT_EQ(read("sample_stats", "lp").size(), 4000u);
  EXPECT_TRUE(read("sample_stats", "log_weight").empty());
  EXPECT_TRUE(read("sample_stats", "lp_approx").empty());
  EXPECT_EQ(read("approximation", "mu"), posterior.column(0));
  EXPECT_EQ(read("approximation", "log_weight"), posterior.log_weight());
  EXPECT_EQ(read("approximation", "log_q"), posterior.log_q());
  EXPECT_EQ(read("approximation", "log_p"), posterior.log_density());
}

TEST_F(Netcdf, ReplacesAFileAndLeavesNothingBeside) {
  write_netcdf(path(), small_posterior(), {}, {});
  write_netcdf(path(), make_posterior({number("mu", 2)}, 1, 4), {}, {});
  EXPECT_EQ(read("posterior", "mu").size(), 4u);
  EXPECT_TRUE(read("posterior", "L").empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

// HDF5 writes to memory: a full disk meets only what we write ourselves.
TEST_F(Netcdf, AFullDiskIsAnError) {
  EXPECT_GT(netcdf_bytes(small_posterior(), {}, {}).size(), 1000u);
  fs::create_symlink("/dev/full", path());
  EXPECT_THROW(write_netcdf(path(), small_posterior(), {}, {}), Error);
}

TEST_F(Netcdf, ErrorsNameTheFile) {
  const auto message = [](const fs::path& path, const Posterior& posterior) {
    try {
      write_netcdf(path, posterior, {}, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cannot_write);
      return error.message();
    }
    return std::string("no error");
  };
  EXPECT_TRUE(
      message(folder_ / "no" / "folder.nc", small_posterior()).find("folder.nc: cannot be written: ") !=
      std::string::npos);
  EXPECT_TRUE(
      message(path(), make_posterior({number("mu", 2)}, 1, 0)).ends_with("a chain has no draws yet."));
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace kullback::posterior
