#include "deep/bnn/fit/fit.hpp"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/random.hpp"
#include "deep/bnn/fit/account.hpp"
#include "deep/bnn/fit/files.hpp"
#include "deep/bnn/training.hpp"
#include "deep/purpose.hpp"
#include "run/folder.hpp"
#include "run/json_text.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kBatch = 32;
constexpr double kSmallStep = 2e7;          // operations
constexpr std::int64_t kFinishRows = 1024;  // evaluated at once after the last epoch
constexpr std::size_t kShownRows = 2000;    // of held_out.csv

struct Split {
  std::vector<std::size_t> train, held_out;
};

// A random part of the rows, each in its old order.
Split split_rows(std::size_t rows, double part, std::uint64_t seed) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::split));
  for (std::size_t i = rows; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const auto count = static_cast<std::ptrdiff_t>(std::llround(part * static_cast<double>(rows)));
  Split split{.train = {order.begin() + count, order.end()},
              .held_out = {order.begin(), order.begin() + count}};
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.held_out.begin(), split.held_out.end());
  return split;
}

TableRequest::Target target_kind(const std::string& likelihood) {
  if (likelihood == "auto") return TableRequest::Target::either;
  return likelihood_named(likelihood).is_classification ? TableRequest::Target::category
                                                        : TableRequest::Target::number;
}

std::string hash_of(const Table& table) {
  std::string bytes(reinterpret_cast<const char*>(table.cells.data()), table.cells.size() * sizeof(double));
  for (const std::string& name : table.shape.names) bytes += name + "\n";
  if (table.pixels.defined())
    bytes.append(static_cast<const char*>(table.pixels.data_ptr()), table.pixels.nbytes());
  return content_hash(bytes);
}

class Fit final : public TrainingRun {
 public:
  Fit(const FitRequest& request, const Ranks& ranks, const run::Watch& watch)
      : TrainingRun({.train = request.train,
                     .has_patience = request.has_patience,
                     .held_out_name = "log likelihood",
                     .data = request.data,
                     .out = request.out,
                     .force = request.force},
                    ranks, watch),
        request_(request),
        spread_(ranks, request.network.members) {}

 private:
  void prepare() override {
    read();
    build();
    record().kind = run::Kind::bnn;
    record().method = built_->network().posterior;
    record().data_hash = hash_of(table_);
    record().seed = built_->network().seed;
    record().chains = static_cast<std::size_t>(built_->network().members);
    record().parameters = static_cast<std::size_t>(built_->net().layout().size());
    record().options = request_.options;
  }

  void read() {
    const bool has_images = holds_images({.paths = request_.data, .labels = request_.labels});
    check_options(has_images);
    table_ = read_table({.paths = request_.data,
                         .target = request_.target,
                         .ignored = request_.ignored,
                         .kind = target_kind(request_.likelihood),
                         .has_images = has_images,
                         .labels = request_.labels,
                         .image = request_.image});
    split_ = split_rows(table_.rows, request_.validation, request_.network.seed);
    if (split_.train.size() < 2)
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: {} rows with a target are too few to train on.",
                              request_.data.front().string(), table_.rows),
                  "Give more rows, or a smaller --validation.");
    const PosteriorRecord& posterior = posterior_named(request_.network.posterior);
    const auto rows = static_cast<std::int64_t>(split_.train.size());
    choose_lengths({.rows = rows,
                    .batch = posterior.needs_all_rows ? rows : kBatch,
                    .has_held_out = !split_.held_out.empty(),
                    .no_patience = posterior.suits_early_stopping
                                       ? ""
                                       : fmt::format("--posterior {}, which collects draws as it goes",
                                                     request_.network.posterior)});
  }

  void check_options(bool has_images) const {
    if (!has_images && request_.target.empty())
      throw Error(ErrorKind::usage, "kullback bnn must know which column to explain.",
                  "Name it with --target.");
    if (!has_images && !request_.labels.empty())
      throw Error(ErrorKind::usage, "--labels is for files of images: a table has its target in a column.",
                  "Name the column with --target.");
    if (!has_images) return;
    if (!request_.target.empty())
      throw Error(ErrorKind::usage,
                  "--target is for tables: images have their classes in a file of their own.",
                  "Name that file with --labels.");
    if (request_.labels.empty())
      throw Error(ErrorKind::usage, "kullback bnn must know the classes of the images.",
                  "Name the file with them with --labels.");
    if (request_.likelihood != "auto" && !likelihood_named(request_.likelihood).is_classification)
      throw Error(
          ErrorKind::usage,
          fmt::format("--likelihood {} is for numbers, and images have classes.", request_.likelihood),
          "Leave --likelihood away.");
  }

  void build() {
    Network network = request_.network;
    network.preparation = deep::prepare(table_, split_.train);
    choose_architecture(network);
    network.likelihood = request_.likelihood != "auto"             ? request_.likelihood
                         : network.preparation.is_classification() ? "categorical"
                                                                   : "gaussian";
    if (network.noise > 0 && network.likelihood != "gaussian")
      throw Error(ErrorKind::usage,
                  fmt::format("--noise is not an option of --likelihood {}.", network.likelihood),
                  "Leave it out, or give --likelihood gaussian.");
    network.train_rows = static_cast<std::int64_t>(split_.train.size());
    built_ = std::make_unique<BuiltNetwork>(std::move(network), request_.device, spread_.part());
    place_rows();
    data_.members = spread_.part().count;
    data_.epochs = train_options().epochs;
    if (spread_.is_spread()) data_.spread = &spread_;
    use_threads(true);
  }

  // Images get convolutions unless the user says otherwise.
  static void choose_architecture(Network& network) {
    const bool has_images = network.preparation.image.exists();
    if (network.architecture == NetworkShape::automatic)
      network.architecture = has_images ? NetworkShape::conv : NetworkShape::mlp;
    if (network.architecture == NetworkShape::conv && !has_images)
      throw Error(ErrorKind::usage, "--architecture conv needs images, and these rows are not.",
                  "Say how large the images in the rows of a table are with --image 28x28, or give "
                  "--architecture mlp.");
    if (network.architecture == NetworkShape::conv && network.is_residual)
      throw Error(ErrorKind::usage, "--residual is not an option of --architecture conv.",
                  "Leave it out, or give --architecture mlp.");
    if (network.architecture == NetworkShape::mlp && !network.filters.empty())
      throw Error(ErrorKind::usage, "--filters is not an option of --architecture mlp.",
                  "Leave it out, or give --architecture conv.");
    if (network.architecture == NetworkShape::conv && network.filters.empty()) network.filters = {16, 32};
    if (network.architecture == NetworkShape::mlp) network.filters.clear();
  }

  // Threads that wait for each other cost more than a small step does.
  void use_threads(bool is_training) const {
    const double work = 6.0 * static_cast<double>(data_.members * train_options().batch) *
                        static_cast<double>(built_->net().layout().size());
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const int all = request_.threads > 0 ? request_.threads : std::max(1, cores / ranks().size());
    const bool takes_one = request_.threads == 0 && is_training && work < kSmallStep;
    at::set_num_threads(takes_one ? 1 : all);
  }

  // On the device where they fit.
  void place_rows() {
    const auto numbers = static_cast<std::int64_t>(table_.rows) * built_->network().preparation.inputs();
    const std::int64_t bytes = numbers * static_cast<std::int64_t>(built_->options().dtype().itemsize());
    const torch::Device place = place_of_rows(bytes, request_.device, request_.device_memory);
    data_.device = request_.device;
    data_.streams = request_.device_memory && bytes > *request_.device_memory;
    data_.train = rows_of(split_.train, place);
    if (!split_.held_out.empty()) data_.held_out = rows_of(split_.held_out, place);
  }

  GroupRows rows_of(const std::vector<std::size_t>& rows, const torch::Device& place) const {
    const Preparation& preparation = built_->network().preparation;
    const torch::Tensor y = preparation.y(table_, rows).unsqueeze(0);
    const torch::TensorOptions numbers = built_->options().device(place);
    const torch::TensorOptions kind =
        preparation.is_classification() ? numbers.dtype(torch::kInt64) : numbers;
    return {preparation.x(table_, rows).unsqueeze(0).to(numbers), y.to(kind)};
  }

  Description describe() const override {
    return {.file = "network.json", .text = to_json(built_->network())};
  }

  std::unique_ptr<Trainee> make_trainee() override {
    return std::make_unique<PosteriorTrainee>(built_->net(), built_->posterior(), data_);
  }

  // In the units of the target: a density of the standardised one is larger by its sd.
  EpochFigures in_own_units(EpochFigures figures) const override {
    figures.held_out -= std::log(built_->network().preparation.target_sd);
    return figures;
  }

  // The first process goes on with all members.
  void gather() override {
    if (!spread_.is_spread()) return;
    std::vector<torch::Tensor> state;
    built_->posterior().visit([&](const std::string&, torch::Tensor& tensor) { state.push_back(tensor); });
    state = spread_.gather(state);
    data_.spread = nullptr;
    if (!ranks().is_first()) return;
    auto whole = std::make_unique<BuiltNetwork>(built_->network(), request_.device);
    std::size_t i = 0;
    const torch::NoGradGuard no_gradient;
    whole->posterior().visit([&](const std::string&, torch::Tensor& tensor) { tensor.copy_(state[i++]); });
    built_ = std::move(whole);
    data_.members = built_->network().members;
  }

  void tell(bool is_interrupted) override {
    const Account account{table_,      split_.train,    split_.held_out.size(),
                          *built_,     train_options(), trained(),
                          evaluation_, ranks().size(),  spread_.is_spread()};
    record().facts = facts_of(account);
    if (!is_interrupted) record().findings = findings_of(account);
  }

  void look() override {
    use_threads(false);
    const std::int64_t rows =
        std::min(kFinishRows, block_rows(*built_, built_->net().likelihood().outputs()));
    built_->posterior().finish(for_members(data_.train, data_.members), rows);
    if (split_.held_out.empty()) return;
    const bool has_all_lines = split_.held_out.size() <= kShownRows;
    evaluation_ = evaluate_rows(split_.held_out, has_all_lines);
    if (has_all_lines) {
      write_held_out(split_.held_out, evaluation_);
    } else {
      const std::vector<std::size_t> some(split_.held_out.begin(), split_.held_out.begin() + kShownRows);
      write_held_out(some, evaluate_rows(some, true));
    }
  }

  std::vector<double> targets_of(const std::vector<std::size_t>& rows) const {
    std::vector<double> target;
    for (const std::size_t row : rows) target.push_back(table_.target(row));
    return target;
  }

  Evaluation evaluate_rows(const std::vector<std::size_t>& rows, bool wants_lines) {
    return evaluate(
        *built_, built_->network().preparation.x(table_, rows), targets_of(rows),
        {.wants_lines = wants_lines, .draws = built_->network().draws, .seed = built_->network().seed});
  }

  void write_held_out(const std::vector<std::size_t>& rows, const Evaluation& evaluation) const {
    write_predictions(file("held_out.csv"), evaluation, built_->network().preparation, targets_of(rows));
  }

  void write_results() override {
    built_->save(file("weights.safetensors"));
    std::string text =
        fmt::format("{{\n  \"train_rows\": {},\n  \"held_out_rows\": {},\n  \"best_epoch\": {}",
                    split_.train.size(), split_.held_out.size(), trained().best_epoch);
    for (const auto& [name, value] : evaluation_.figures)
      text += fmt::format(",\n  \"held_out_{}\": {}", name, run::json_number(value));
    if (!evaluation_.bins.empty()) text += ",\n  \"reliability\": " + reliability_json(evaluation_.bins);
    text += ",\n  \"findings\": " + run::json_findings(record().findings) + "\n}\n";
    replace_file(file("summary.json"), text);
  }

  const FitRequest& request_;
  MembersOverRanks spread_;
  Table table_;
  Split split_;
  std::unique_ptr<BuiltNetwork> built_;
  PosteriorTrainee::Data data_;
  Evaluation evaluation_;
};

}  // namespace

FitOutcome fit(const FitRequest& request, const Ranks& ranks, const run::Watch& watch) {
  return Fit(request, ranks, watch).run();
}

}  // namespace kullback::deep
