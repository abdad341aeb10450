#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/filled.hpp"
#include "base/interrupt.hpp"
#include "deep/bnn/fit/fit.hpp"
#include "deep/cli/display.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/union.hpp"
#include "deep/cli/verb.hpp"

namespace kullback::deep::cli {

namespace {

std::vector<OptionGroup> program_groups() {
  std::vector<OptionGroup> groups = {
      {"Data",
       {{"target", "", "column to explain"},
        {"labels", "", "of a file of images: the IDX or .npy file with their classes"},
        {"image", "",
         "HEIGHTxWIDTH, or HEIGHTxWIDTHx3: the other columns of a table are the pixels of images"},
        {"ignore", "", "column to leave out; may be given several times"},
        {"validation", "0.1", "part of the rows that is held out: to judge, and to stop by; 0: none"}}},
      {"Network",
       {{"net", "auto", "mlp, or conv: convolutions, of images; auto: conv where there are images"},
        {"channels", "",
         "conv: channels of each convolution, after which the image is halved (default: 16,32)"},
        {"kernel", "", "conv: side of a convolution's window, odd (default: 3)"},
        {"hidden", "50", "units of each hidden layer: 50,50; none: a linear model"},
        {"activation", "relu", "identity, relu, leaky-relu, elu, gelu, silu, softplus, tanh, sigmoid"},
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
       {{"epochs", "", "passes over the data (default: about 20,000 steps)"},
        {"batch", "", "rows of a minibatch (default: 32; hmc: all)"},
        {"patience", "",
         "epochs without a better held-out likelihood after which training ends; the best epoch is "
         "kept; 0: never (default: a fifth of the epochs)"},
        {"precision", "float32",
         "float32, float64, tf32 (a GPU's fast products of float32), or bf16 (products of training steps in "
         "bfloat16)"}}},
      {"Run",
       {{"out", "", "folder of the results (default: DATA-bnn)"},
        {"seed", "", "seed of all random numbers (default: a random one, which is recorded)"},
        {"save-every", "30", "seconds between checkpoints"},
        {"resume", "false", "go on with an interrupted training in the folder"},
        {"force", "false", "replace what is there already"},
        {"quiet", "false", "print nothing but errors"}}}};
  for (Option& option : device_options()) groups.back().options.push_back(std::move(option));
  groups.back().options.push_back(kDeviceMemory);
  return groups;
}

Grammar grammar() {
  Grammar result{
      .verb = "bnn",
      .summary = "Explains a column by others, or the classes of images, with a Bayesian neural network.",
      .positionals = {{"TRAIN",
                       "CSV or .npy file (or several, or a folder), or an IDX or .npy file of images", true,
                       true}},
      .groups = program_groups(),
      .lists = {"ignore"}};
  const std::vector<Option> program = all_options(result);
  for (const Option& option : united(priors(), program)) result.groups[1].options.push_back(option);
  for (const Option& option : united(posteriors(), program)) result.groups[2].options.push_back(option);
  return result;
}

struct Chosen {
  Settings program;
  Words prior, posterior;
};

// Splits what was given among the program, the prior and the posterior.
Chosen choose(const Arguments& arguments) {
  std::vector<Option> program;
  for (const OptionGroup& group : program_groups())
    program.insert(program.end(), group.options.begin(), group.options.end());
  Words own, rest;
  for (const auto& [name, value] : arguments.values) {
    const bool is_own =
        std::any_of(program.begin(), program.end(), [&](const Option& o) { return o.name == name; });
    (is_own ? own : rest)[name] = value;
  }
  Settings settings(program, own);
  const PriorRecord& prior = prior_named(settings.text("prior"));
  const PosteriorRecord& posterior = posterior_named(settings.text("posterior"));
  Chosen chosen{std::move(settings), given_of(prior.options, arguments.values),
                given_of(posterior.options, arguments.values)};
  for (const auto& [name, value] : rest) {
    if (chosen.prior.count(name) != 0 || chosen.posterior.count(name) != 0) continue;
    const bool is_of_prior = has_option(priors(), name);
    throw Error(ErrorKind::usage,
                filled("--{} is not an option of --{} {}.", name, is_of_prior ? "prior" : "posterior",
                       is_of_prior ? prior.name : posterior.name),
                "Leave it out, or choose another.");
  }
  return chosen;
}

std::int64_t kernel_of(const Settings& settings, const std::string& net) {
  const auto kernel = static_cast<std::int64_t>(settings.count("kernel", 1, 99));
  if (kernel % 2 == 0)
    throw Error(ErrorKind::usage, filled("--kernel is {}; it must be odd.", kernel),
                "A window has a pixel in its middle: give 3 or 5.");
  if (net == "mlp")
    throw Error(ErrorKind::usage, "--kernel is not an option of --net mlp.",
                "Leave it out, or give --net conv.");
  return kernel;
}

Network network_of(const Chosen& chosen, const Ranks& ranks) {
  const Settings& settings = chosen.program;
  Network network;
  settings.choice("net", {"mlp", "conv", "auto"});
  network.net = settings.text("net");
  if (settings.has("channels"))
    network.channels =
        counts_of("channels", settings.text("channels"), "Write --channels 16,32 for two convolutions.");
  if (settings.has("kernel")) network.kernel = kernel_of(settings, network.net);
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
  settings.choice("precision", {"float32", "float64", "tf32", "bf16"});
  network.precision = settings.text("precision");
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
  const auto ignored = arguments.lists.find("ignore");
  if (ignored != arguments.lists.end()) request.ignored = ignored->second;
  request.likelihood = settings.text("likelihood");
  if (request.likelihood != "auto") likelihood_named(request.likelihood);
  request.network = network_of(chosen, ranks);
  request.validation = validation_of(settings);
  request.train.epochs =
      settings.has("epochs") ? static_cast<std::int64_t>(settings.count("epochs", 1, 100'000'000)) : 0;
  request.train.batch =
      settings.has("batch") ? static_cast<std::int64_t>(settings.count("batch", 1, 1'000'000'000)) : 0;
  request.has_patience = settings.has("patience");
  if (request.has_patience)
    request.train.patience = static_cast<std::int64_t>(settings.count("patience", 0, 100'000'000));
  request.train.seed = request.network.seed;
  request.train.save_every = settings.number("save-every");
  request.train.resume = settings.flag("resume");
  settings.choice("device", {"cpu", "cuda", "auto"});
  request.device = device_named(settings.text("device"), ranks);
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
  const posterior::RunRecord before = resumed_record(arguments, "bnn", "a network");
  const Chosen chosen = choose(arguments);
  const bool prints = ranks.is_first() && !chosen.program.flag("quiet");
  if (before.status == "complete") return end_complete(before, out, prints);
  const FitRequest request = request_of(arguments, chosen, ranks);
  EpochDisplay display(!prints, "held-out log likelihood");
  const InterruptGuard guard;
  const FitOutcome outcome = fit(
      request, ranks,
      {.on_epoch = [&](const EpochFigures& figures, std::int64_t epochs) { display.show(figures, epochs); },
       .should_stop = is_interrupted});
  display.clear();
  return end_training(outcome.trained, outcome.record, out, "network", prints, ranks);
}

}  // namespace

int run_bnn(const std::vector<std::string>& words) {
  const Grammar known = grammar();
  const Arguments arguments = parse(known, words);
  if (arguments.wants_help) {
    std::fputs(help_text(known).c_str(), stdout);
    return 0;
  }
  return run_on_ranks(run_on, arguments);
}

}  // namespace kullback::deep::cli
