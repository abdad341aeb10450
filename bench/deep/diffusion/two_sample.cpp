// Models of moons, checkerboard and swiss roll: do their samples pass for fresh data? A kernel test of two
// samples (Gretton et al. 2012): the squared distance of their means in the space of a sum of two normal
// kernels, against its distribution when rows change sides at random.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <numbers>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "bench/deep/diffusion/tables.hpp"
#include "deep/diffusion/fit/fit.hpp"
#include "deep/diffusion/fit/sample.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr std::int64_t kTrainingRows = 50'000, kBatches = 40, kBatchRows = 2000;
constexpr std::int64_t kPermutations = 199;
constexpr double kLevel = 0.05, kNarrow = 0.3, kWide = 1;  // of the kernels: sds
constexpr int kMostRejections = 5;

// Each has two halves: the half-circles, the lower and upper half of each column of the board, the inner and
// outer half of the roll. `moved`: the part of the second half's rows that is in the first instead.
struct Halves {
  torch::Tensor is_first;
  torch::Tensor place;  // uniform, within a half
  torch::Tensor noise;  // [rows, 2]
};

Halves draw_halves(std::int64_t rows, double moved) {
  const torch::Tensor chance = torch::rand({rows}, torch::kFloat64);
  return {.is_first = chance < 0.5 + moved / 2,
          .place = torch::rand({rows}, torch::kFloat64),
          .noise = torch::randn({rows, 2}, torch::kFloat64)};
}

torch::Tensor moons(std::int64_t rows, double moved) {
  const Halves h = draw_halves(rows, moved);
  const torch::Tensor angle = std::numbers::pi * h.place, c = at::cos(angle), s = at::sin(angle);
  return at::stack({at::where(h.is_first, c, 1 - c), at::where(h.is_first, s, 0.5 - s)}, 1) + 0.08 * h.noise;
}

torch::Tensor checkerboard(std::int64_t rows, double moved) {
  const Halves h = draw_halves(rows, moved);
  const torch::Tensor x = 4 * h.place, y = torch::rand({rows}, torch::kFloat64);
  const torch::Tensor lower = x.floor().remainder(2) + y;
  return at::stack({x, at::where(h.is_first, lower, lower + 2)}, 1);
}

torch::Tensor swiss_roll(std::int64_t rows, double moved) {
  const Halves h = draw_halves(rows, moved);
  const torch::Tensor along = at::where(h.is_first, h.place, h.place + 1) / 2;
  const torch::Tensor angle = 1.5 * std::numbers::pi * (1 + 2 * along);
  return at::stack({angle * at::cos(angle), angle * at::sin(angle)}, 1) + 0.2 * h.noise;
}

double two_sample_p(const torch::Tensor& x, const torch::Tensor& y) {
  const std::int64_t rows = x.size(0), size = 2 * rows;
  const torch::Tensor all = at::cat({x, y}), square = all.square().sum(1);
  const torch::Tensor distance = (square.unsqueeze(0) + square.unsqueeze(1) - 2 * all.mm(all.t()));
  const torch::Tensor kernel =
      at::exp(distance / (-2 * kNarrow * kNarrow)) + at::exp(distance / (-2 * kWide * kWide));
  const torch::Tensor side = at::cat({torch::ones({rows}), -torch::ones({rows})});
  torch::Tensor sides = torch::empty({size, 1 + kPermutations});  // the first as they are
  sides.select(1, 0).copy_(side);
  for (std::int64_t i = 1; i <= kPermutations; ++i)
    sides.select(1, i).copy_(side.index_select(0, torch::randperm(size, torch::kInt64)));
  const torch::Tensor statistic = (sides * kernel.mm(sides)).sum(0);
  return (statistic >= statistic[0]).sum().item<double>() / static_cast<double>(1 + kPermutations);
}

// Of 40 batches. In units of the data's sd, in single precision.
int rejections(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& sd,
               const std::string& name) {
  int count = 0;
  for (std::int64_t i = 0; i < kBatches; ++i) {
    stop_if_interrupted();
    show_progress(fmt::format("{}: test {} of {}", name, i + 1, kBatches));
    const auto batch = [&](const torch::Tensor& rows) {
      return (rows.narrow(0, i * kBatchRows, kBatchRows) / sd).to(torch::kFloat32);
    };
    count += two_sample_p(batch(x), batch(y)) <= kLevel ? 1 : 0;
  }
  show_progress("");
  return count;
}

// Samples of a model that was trained as by 'kullback diffusion DATA --seed 1' and drawn as by 'kullback
// sample DIR --steps 40', in the data's units.
torch::Tensor samples_of_model(const torch::Tensor& data, std::int64_t count, const std::string& name) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("tables-{}", getpid());
  std::filesystem::create_directory(folder);
  std::string table = "x,y\n";
  const auto number = data.accessor<double, 2>();
  for (std::int64_t i = 0; i < data.size(0); ++i) table += fmt::format("{},{}\n", number[i][0], number[i][1]);
  replace_file(folder / "data.csv", table);
  FitRequest request;
  request.rows.paths = {folder / "data.csv"};
  request.model.seed = request.train.seed = 1;
  request.train.epochs = 0;
  request.train.batch = 256;
  request.train.save_every = 1e9;
  request.out = folder / "model";
  run::Watch watch;
  watch.on_epoch = [&](const EpochFigures& figures, std::int64_t epochs) {
    show_progress(fmt::format("{}: epoch {} of {}, held-out bound {:.3g} nats", name, figures.epoch, epochs,
                              figures.held_out));
  };
  watch.should_stop = is_interrupted;
  fit_diffusion(request, Ranks(), watch);
  stop_if_interrupted();
  const auto built = open_model(request.out, torch::kCPU);
  std::filesystem::remove_all(folder);
  DrawRequest draw{.count = count, .steps = 40};
  draw.on_step = [&](std::int64_t rows, std::int64_t, std::int64_t) {
    show_progress(fmt::format("{}: {} of {} samples", name, rows, count));
  };
  draw.should_stop = is_interrupted;
  const torch::Tensor drawn = draw_rows(*built, draw).x;
  stop_if_interrupted();
  return built->in_own_units(drawn);
}

}  // namespace

bool two_sample_table() {
  constexpr std::int64_t kRows = kBatches * kBatchRows;
  std::printf(
      "Kernel tests of two samples, 40 batches of 2,000 and 2,000 rows: rejections at the 5 %% level of "
      "samples\n"
      "of a model (at most 5), and of data with a tenth of one half moved to the other (more than 20)\n"
      "  data           model   moved\n");
  struct Case {
    const char* name;
    torch::Tensor (*draw)(std::int64_t rows, double moved);
  };
  bool is_kept = true;
  for (const Case& c : {Case{"moons", moons}, {"checkerboard", checkerboard}, {"swiss roll", swiss_roll}}) {
    at::manual_seed(5);
    const torch::Tensor data = c.draw(kTrainingRows, 0), sd = data.std(0);
    const torch::Tensor x = samples_of_model(data, kRows, c.name);
    at::manual_seed(6);
    const torch::Tensor fresh = c.draw(kRows, 0);
    const int of_model = rejections(x, fresh, sd, c.name),
              of_moved = rejections(c.draw(kRows, 0.1), fresh, sd, c.name);
    const bool is_good = of_model <= kMostRejections && of_moved > kBatches / 2;
    is_kept = is_kept && is_good;
    std::printf("  %-12s   %5d   %5d   %s\n", c.name, of_model, of_moved, verdict(is_good));
    std::fflush(stdout);
  }
  std::printf("\n");
  return is_kept;
}

}  // namespace kullback::deep::diffusion
