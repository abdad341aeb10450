// encode, decode and sample: what a trained autoencoder is for.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/file.hpp"
#include "data/source.hpp"
#include "deep/cli/folder_verb.hpp"
#include "deep/cli/kinds.hpp"
#include "deep/cli/options.hpp"
#include "deep/cli/verb.hpp"
#include "deep/counts.hpp"
#include "deep/data/number_files.hpp"
#include "deep/data/png.hpp"
#include "deep/vae/fit/model.hpp"
#include "deep/vae/fit/pictures.hpp"
#include "deep/vae/fit/prepare.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;

constexpr auto kEncodeLabels = TextOption("labels", "Of a conditional model: IDX file, or column");
constexpr auto kEncodeFile =
    TextOption("out", "CSV or .npy file (default: DIR/latents.csv)").shown_as("FILE");
constexpr const OptionRecord* kEncodeOptions[] = {&kEncodeLabels, &kEncodeFile};

constexpr auto kDecodeFile =
    TextOption("out", "CSV, .npy or (images) .png file (default: DIR/decoded.csv)").shown_as("FILE");
constexpr const OptionRecord* kDecodeOptions[] = {&option::kLabel, &kDecodeFile};

constexpr const OptionRecord* kSampleOptions[] = {&option::kCount, &option::kDrawSeed, &option::kLabelOfDraws,
                                                  &option::kSamplesFile};

using Work = void (*)(const BuiltVae& built, const FolderCall& call);

// Its steps are over at once or cannot be divided: Ctrl-C ends the program.
Run add(const Command& verb, const Usage& usage, Work work) {
  return add_folder_verb(verb, usage, Interruption::ends_program,
                         [work](const FolderCall& call) { work(open_vae(call.folder, call.device), call); });
}

std::vector<std::string> numbered(const std::string& name, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 1; i <= count; ++i) names.push_back(fmt::format("{}_{}", name, i));
  return names;
}

void encode(const BuiltVae& built, const FolderCall& call) {
  const std::vector<std::string>& words = call.arguments.positionals;
  const VaeModel& model = built.model();
  RowsRequest request;
  request.paths.assign(words.begin() + 1, words.end());
  request.names = model.names;
  request.label_names = model.label_names;
  request.labels = call.values[kEncodeLabels];
  if (model.spec.labels > 0 && request.labels.empty()) request.labels = model.label_column;
  if (model.spec.is_image() && !model.names.empty())
    request.image = fmt::format("{}x{}x{}", model.spec.height, model.spec.width, model.spec.channels);
  const fs::path out = call.out(kEncodeFile, "latents.csv");
  const RawRows rows = read_rows(request);
  check_rows(model, rows, words[1]);
  const Moments moments = built.encode(built.prepared(rows));
  std::vector<std::string> names = numbered("mean", model.spec.latent);
  for (const std::string& name : numbered("sd", model.spec.latent)) names.push_back(name);
  write_matrix(out, names, at::cat({moments.mean, moments.sd}, 1));
  if (call.values[option::kQuiet]) return;
  std::printf("Means and standard deviations of %ld latent variables of %ld rows: %s\n",
              static_cast<long>(model.spec.latent), static_cast<long>(rows.x.size(0)), out.c_str());
}

// Numbers for people's programs, or pictures where the name ends so.
void write_decoded(const BuiltVae& built, const torch::Tensor& means, const fs::path& out) {
  if (out.extension() != ".png") return write_matrix(out, built.column_names(), built.in_own_units(means));
  if (!built.model().spec.is_image())
    throw Error(ErrorKind::usage, fmt::format("{}: these rows are no images.", out.string()),
                "Give --out a .csv or .npy file.");
  replace_file(out, png_bytes(image_grid(means, built.model().spec, 8)));
}

std::optional<std::int64_t> given_label(const BuiltVae& built, std::optional<std::string_view> label) {
  const VaeModel& model = built.model();
  return label_of(label, model.spec.labels > 0 ? model.label_names : std::vector<std::string>());
}

torch::Tensor read_latents(const std::string& file, std::int64_t latent) {
  data::SourceRequest request;
  request.paths = {file};
  const auto source = data::open_source(request);
  const data::Batch& batch = *source->in_memory();
  const auto columns = static_cast<std::int64_t>(batch.columns);
  // What `encode` wrote has standard deviations behind the means.
  const bool has_sds = columns == 2 * latent && source->shape().names.back() == fmt::format("sd_{}", latent);
  if (columns != latent && !has_sds)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has {} columns; the model has {} latent variables.", file, columns, latent),
                "Give a column for each latent variable, or what 'kullback encode' wrote.");
  torch::Tensor z = torch::empty({static_cast<std::int64_t>(batch.units), columns}, torch::kFloat64);
  std::copy(batch.values.begin(), batch.values.end(), z.data_ptr<double>());
  return z.narrow(1, 0, latent).contiguous();
}

void decode(const BuiltVae& built, const FolderCall& call) {
  const fs::path out = call.out(kDecodeFile, "decoded.csv");
  const torch::Tensor z = read_latents(call.arguments.positionals[1], built.model().spec.latent);
  torch::Tensor label;
  if (const auto given = given_label(built, call.values.given(option::kLabel)))
    label = torch::full({z.size(0)}, *given, built.options().dtype(torch::kInt64));
  if (!label.defined() && built.model().spec.labels > 0)
    throw Error(ErrorKind::usage, "the model is conditional: it needs a label.", "Give one with --label.");
  write_decoded(built, built.decode(z, label), out);
  if (call.values[option::kQuiet]) return;
  std::printf("Means of %ld rows: %s\n", static_cast<long>(z.size(0)), out.c_str());
}

void sample(const BuiltVae& built, const FolderCall& call) {
  const OptionValues& values = call.values;
  const fs::path out =
      call.out(option::kSamplesFile, built.model().spec.is_image() ? "new_samples.png" : "new_samples.csv");
  const std::int64_t count = count_of(values, option::kCount);
  const std::optional<std::int64_t> label = given_label(built, values.given(option::kLabelOfDraws));
  write_decoded(built, sample_vae(built, count, label, values[option::kDrawSeed]), out);
  if (call.values[option::kQuiet]) return;
  std::printf("%ld samples (means of the decoder): %s\n", static_cast<long>(count), out.c_str());
}

}  // namespace

Run add_encode(const Command& verb, const std::vector<std::string>&) {
  return add(verb,
             {.positionals = {{"DIR", "Folder of a trained autoencoder"},
                              {"DATA", "Rows of the kind it was trained on"}},
              .groups = {{"Options", kEncodeOptions}, {"Run", option::kRunOnFolder}}},
             encode);
}

Run add_decode(const Command& verb, const std::vector<std::string>&) {
  return add(verb,
             {.positionals = {{"DIR", "Folder of a trained autoencoder"},
                              {"LATENTS", "CSV or .npy file with a column for each latent variable"}},
              .groups = {{"Options", kDecodeOptions}, {"Run", option::kRunOnFolder}}},
             decode);
}

namespace {

Run sample_autoencoder(const Command& verb) {
  verb.describe("Draw new rows from a fitted autoencoder");
  return add(verb,
             {.positionals = {{"DIR", "Folder of a trained autoencoder"}},
              .groups = {{"Options", kSampleOptions}, {"Run", option::kRunOnFolder}}},
             sample);
}

}  // namespace

extern const FolderVerbs kVaeKind;
const FolderVerbs kVaeKind{
    .kind = run::Kind::vae,
    .sample = sample_autoencoder,
    .loglik = nullptr,
    .instead_of_loglik = "'kullback evaluate' gives the log likelihood of rows under an autoencoder."};

}  // namespace kullback::deep::cli
