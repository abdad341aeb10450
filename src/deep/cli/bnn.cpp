#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/bnn/fit/fit.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/union.hpp"
#include "deep/cli/verb.hpp"

namespace kullback::deep::cli {

namespace {

std::vector<OptionGroup> program_groups() {
  return {
      {"Data",
       {{"target", "", "column to explain"},
        {"labels", "", "of a file of images: the IDX or .npy file with their classes"},
        {"image", "",
         "HEIGHTxWIDTH, or HEIGHTxWIDTHx3: the other columns of a table are the pixels of images"},
        kIgnore,
        validation_option(": to judge, and to stop by")}},
      {"Network",
       {{"architecture", "auto", "mlp, or conv: convolutions, of images; auto: conv where there are images"},
        {"filters", "",
         "conv: filters of each convolution, after which the image is halved (default: 16,32)"},
        {"kernel", "", "conv: side of a convolution's window, odd (default: 3)"},
        {"hidden", "50", "units of each hidden layer: 50,50; none: a linear model"},
        activation_option("relu"),
        {"residual", "false", "hidden layers of equal size become x + f(x)"},
        {"likelihood", "auto",
         "gaussian: a number with the same noise everywhere; heteroscedastic: noise that "
         "depends on the inputs; categorical: classes; auto: categorical where the target "
         "is text or has two values, else gaussian"},
        {"noise", "", "gaussian: sd of the noise where it is known (default: it is learned)"},
        {"prior", "gaussian", "gaussian, scale-mixture, laplace, horseshoe"}}},
      {"Posterior",
       {{"posterior", "ensemble", "'kullback-deep posteriors' lists them"},
        {"members", "",
         "independent networks or chains, which predict together (default: 5 of ensemble, else 1)"},
        {"draws", "100", "of the parameters of each member, for predictions"}}},
      {"Training",
       {kEpochs,
        batch_option("", " (default: 32; hmc: all)"),
        {"patience", "",
         "epochs without a better held-out likelihood after which training ends; the best epoch is "
         "kept; 0: never (default: a fifth of the epochs)"},
        precision_option(Precisions::all)}},
      run_group("bnn", {kDeviceMemory})};
}

Usage usage() {
  Usage result{
      .positionals = {{"TRAIN",
                       "CSV or .npy file (or several, or a folder), or an IDX or .npy file of images", true}},
      .groups = program_groups(),
      .lists = {"ignore"}};
  const std::vector<Option> program = all_options(result);
  append(result.groups[1], united(priors(), program));
  append(result.groups[2], united(posteriors(), program));
  return result;
}

struct Chosen {
  Settings program;
  Words prior, posterior;
};

Chosen choose(const Arguments& arguments) {
  Given given(program_groups(), arguments);
  const PriorRecord& prior = prior_named(given.program().text("prior"));
  const PosteriorRecord& posterior = posterior_named(given.program().text("posterior"));
  Chosen chosen{given.program(), given.of("prior", prior.name, priors()),
                given.of("posterior", posterior.name, posteriors())};
  given.check();
  return chosen;
}

std::int64_t kernel_of(const Settings& settings, const std::string& architecture) {
  const auto kernel = static_cast<std::int64_t>(settings.count("kernel", 1, 99));
  if (kernel % 2 == 0)
    throw Error(ErrorKind::usage, fmt::format("--kernel is {}; it must be odd.", kernel),
                "A window has a pixel in its middle: give 3 or 5.");
  if (architecture == "mlp")
    throw Error(ErrorKind::usage, "--kernel is not an option of --architecture mlp.",
                "Leave it out, or give --architecture conv.");
  return kernel;
}

Network network_of(const Chosen& chosen, const Ranks& ranks) {
  const Settings& settings = chosen.program;
  Network network;
  settings.choice("architecture", {"mlp", "conv", "auto"});
  network.architecture = settings.text("architecture");
  if (settings.has("filters"))
    network.filters =
        counts_of("filters", settings.text("filters"), "Write --filters 16,32 for two convolutions.");
  if (settings.has("kernel")) network.kernel = kernel_of(settings, network.architecture);
  network.hidden =
      counts_of("hidden", settings.text("hidden"),
                "Write --hidden 50,50 for two layers of 50 units, --hidden none for a linear model.");
  network.activation = settings.text("activation");
  activation_named(network.activation);
  network.is_residual = settings.flag("residual");
  network.noise = settings.has("noise") ? settings.positive("noise") : 0;
  network.prior = settings.text("prior");
  network.prior_options = Settings(prior_named(network.prior).options, chosen.prior).values();
  network.posterior = settings.text("posterior");
  const PosteriorRecord& posterior = posterior_named(network.posterior);
  network.posterior_options = Settings(posterior.options, chosen.posterior).values();
  network.members = settings.has("members") ? static_cast<std::int64_t>(settings.count("members", 1, 10'000))
                                            : posterior.members;
  network.draws = static_cast<std::int64_t>(settings.count("draws", 1, 100'000));
  network.precision = precision_of(settings, Precisions::all);
  network.seed = seed_of(settings, ranks);
  return network;
}

FitRequest request_of(const Arguments& arguments, const Chosen& chosen, const Ranks& ranks) {
  const Settings& settings = chosen.program;
  FitRequest request;
  request.data.assign(arguments.positionals.begin(), arguments.positionals.end());
  request.target = settings.text("target");
  request.labels = settings.text("labels");
  request.image = settings.text("image");
  request.ignored = ignored_of(arguments);
  request.likelihood = settings.text("likelihood");
  if (request.likelihood != "auto") likelihood_named(request.likelihood);
  request.network = network_of(chosen, ranks);
  request.validation = validation_of(settings);
  request.train = train_options(settings, request.network.seed);
  request.has_patience = settings.has("patience");
  request.device = device_of(settings, ranks);
  request.device_memory = device_memory_of(settings);
  if (settings.has("threads")) request.threads = static_cast<int>(settings.count("threads", 1, 4096));
  request.out = settings.text("out");
  request.force = settings.flag("force");
  request.options = recorded_options(
      settings, {&request.network.prior_options, &request.network.posterior_options}, request.ignored);
  return request;
}

int run_on(const Ranks& ranks, const Arguments& given) {
  Arguments arguments = given;
  const std::string out = out_of(arguments, "bnn");
  const run::RunRecord before = resumed_record(arguments, "bnn", "a network");
  const Chosen chosen = choose(arguments);
  const bool prints = ranks.is_first() && !chosen.program.flag("quiet");
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
