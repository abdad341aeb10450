#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/bnn/fit/fit.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/verb.hpp"
#include "deep/counts.hpp"
#include "deep/part.hpp"

namespace kullback::deep::cli {

namespace {

constexpr auto kTarget = TextOption("target", "Column to explain").shown_as("COLUMN");
constexpr auto kLabels =
    TextOption("labels", "Of a file of images: the IDX or .npy file with their classes").shown_as("FILE");
constexpr auto kImage = TextOption(
    "image", "HEIGHTxWIDTH, or HEIGHTxWIDTHx3: the other columns of a table are the pixels of images");
constexpr auto kFilters =
    TextOption("filters",
               "Of conv: filters of each convolution, after which the image is halved (default: 16,32)")
        .shown_as("COUNTS");
constexpr auto kKernel =
    CountOption("kernel", "Of conv: side of a convolution's window, odd (default: 3)").from(1).to(99);
constexpr auto kHidden =
    TextOption("hidden", "50", "Units of each hidden layer: 50,50; none: a linear model").shown_as("COUNTS");
constexpr auto kResidual = FlagOption("residual", false, "Hidden layers of equal size become x + f(x)");
constexpr auto kLikelihood = TextOption(
    "likelihood", "",
    "gaussian: a number with the same noise everywhere; heteroscedastic: noise that depends on the inputs; "
    "categorical: classes; auto: categorical where the target is text or has two values, else gaussian");
constexpr auto kNoise =
    NumberOption("noise", "Of gaussian: sd of the noise where it is known (default: it is learned)").above(0);
constexpr auto kPrior = TextOption("prior", "gaussian", "Of the weights");
constexpr auto kPosterior = TextOption("posterior", "ensemble",
                                       "Of the parameters; 'kullback-deep posteriors' says what each is for");
constexpr auto kMembers = CountOption("members",
                                      "Independent networks or chains, which predict together (default: 5 of "
                                      "ensemble, 4 of most chains, else 1)")
                              .from(1)
                              .to(10'000);
constexpr auto kDraws =
    CountOption("draws", 100, "Of the parameters of each member, for predictions").from(1).to(100'000);
constexpr auto kBatch = option::batch_option(0, "Rows of a minibatch; auto: 32, of hmc all").automatic();

constexpr const OptionRecord* kData[] = {&kTarget, &kLabels, &kImage, &option::kIgnore, &option::kValidation};
constexpr const OptionRecord* kNetwork[] = {&kNetworkShape, &kFilters,        &kKernel,
                                            &kHidden,       &kReluActivation, &kResidual,
                                            &kLikelihood,   &kNoise,          &kPrior};
constexpr const OptionRecord* kPosteriors[] = {&kPosterior, &kMembers, &kDraws};
constexpr const OptionRecord* kTraining[] = {&option::kEpochs, &kBatch, &option::kPatience, &kPrecision};

Usage usage() {
  return {
      .positionals = {{"TRAIN",
                       "CSV or .npy file (or several, or a folder), or an IDX or .npy file of images", true}},
      .groups = {{"Data", kData},
                 {"Network", kNetwork},
                 {"Posterior", kPosteriors},
                 {"Training", kTraining},
                 {"Run", option::kRunWithMemory}},
      .parts = {{"Network", tables_of(priors())}, {"Posterior", tables_of(posteriors())}},
      .choices = {{&kPrior, names_of(priors())}, {&kPosterior, names_of(posteriors())}}};
}

struct Chosen {
  OptionValues values;
  const PriorRecord& prior;
  OptionValues prior_options;
  const PosteriorRecord& posterior;
  OptionValues posterior_options;
};

Chosen choose(const Arguments& arguments) {
  Given given(arguments);
  const PriorRecord& prior = prior_named(std::string(given.own()[kPrior]));
  const PosteriorRecord& posterior = posterior_named(std::string(given.own()[kPosterior]));
  Chosen chosen{.values = given.own(),
                .prior = prior,
                .prior_options = given.of(kPrior, prior, priors()),
                .posterior = posterior,
                .posterior_options = given.of(kPosterior, posterior, posteriors())};
  given.check();
  return chosen;
}

std::int64_t kernel_of(const OptionValues& values) {
  const std::int64_t kernel = count_of(values, kKernel);
  if (kernel % 2 == 0)
    throw Error(ErrorKind::usage, fmt::format("--kernel is {}; it must be odd.", kernel),
                "A window has a pixel in its middle: give 3 or 5.");
  if (values[kNetworkShape] == NetworkShape::mlp)
    throw Error(ErrorKind::usage, "--kernel is not an option of --architecture mlp.",
                "Leave it out, or give --architecture conv.");
  return kernel;
}

Network network_of(const Chosen& chosen, const Ranks& ranks) {
  const OptionValues& values = chosen.values;
  Network network;
  network.architecture = values[kNetworkShape];
  if (values.is_given(kFilters)) network.filters = counts_of(values, kFilters);
  if (values.is_given(kKernel)) network.kernel = kernel_of(values);
  network.hidden = counts_of(values, kHidden);
  network.activation = values[kReluActivation];
  network.is_residual = values[kResidual];
  network.noise = values.given(kNoise).value_or(0);
  network.prior = chosen.prior.name;
  network.prior_options = chosen.prior_options;
  network.posterior = chosen.posterior.name;
  network.posterior_options = chosen.posterior_options;
  network.members = values.is_given(kMembers) ? count_of(values, kMembers) : chosen.posterior.members;
  network.draws = count_of(values, kDraws);
  network.precision = values[kPrecision];
  network.seed = seed_of(values, ranks);
  return network;
}

FitRequest request_of(const Arguments& arguments, const Chosen& chosen, const Ranks& ranks) {
  const OptionValues& values = chosen.values;
  FitRequest request;
  request.data.assign(arguments.positionals.begin(), arguments.positionals.end());
  request.target = values[kTarget];
  request.labels = values[kLabels];
  request.image = values[kImage];
  request.ignored = ignored_of(values);
  request.likelihood = values.text_of(kLikelihood);
  if (request.likelihood != "auto") likelihood_named(request.likelihood);
  request.network = network_of(chosen, ranks);
  request.validation = values[option::kValidation];
  request.train = train_options(values, kBatch, request.network.seed);
  request.has_patience = values.is_given(option::kPatience);
  request.device = device_of(values[option::kDevice], ranks);
  request.device_memory = device_memory_of(values);
  request.threads = static_cast<int>(count_of(values, option::kThreads));
  request.out = values[option::kOut];
  request.force = values[option::kForce];
  request.options = recorded_options(arguments, values,
                                     {recorded(chosen.prior.options, chosen.prior_options),
                                      recorded(chosen.posterior.options, chosen.posterior_options)});
  return request;
}

int run_on(const Ranks& ranks, const Arguments& given) {
  Arguments arguments = given;
  const std::string out = out_of(arguments, "bnn");
  const run::RunRecord before = resumed_record(arguments, "bnn", "a network");
  const Chosen chosen = choose(arguments);
  const bool prints = ranks.is_first() && !chosen.values[option::kQuiet];
  if (before.status == "complete") return end_complete(before, out, prints);
  const FitRequest request = request_of(arguments, chosen, ranks);
  const FitOutcome outcome =
      watched_fit(prints, [&](const run::Watch& watch) { return fit(request, ranks, watch); });
  return end_training(outcome.trained, outcome.record, outcome.folder.string(), "network", prints, ranks);
}

}  // namespace

Run add_bnn(const Command& verb, const std::vector<std::string>&) {
  return add_training(verb, usage(), run_on);
}

}  // namespace kullback::deep::cli
