#include "conjugate/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/stop.hpp"
#include "conjugate/fit_files.hpp"
#include "conjugate/minibatch.hpp"
#include "conjugate/passes.hpp"
#include "conjugate/write.hpp"
#include "kullback_version.hpp"
#include "run/folder.hpp"
#include "run/progress_log.hpp"

namespace kullback::conjugate {

namespace fs = std::filesystem;

namespace {

constexpr double kSameBound = 0.01;  // nats per unit: starts that are nearer found the same solution
constexpr std::size_t kSampleRows = 500;
constexpr std::size_t kMostSampleColumns = 64;
constexpr double kFall = 1e-9;  // of the bound's size: more than rounding explains

// A fit on its way.
struct Job {
  const Request& request;
  SourceRequest data;
  TrainOptions train;
  fs::path out = {};                            // once it has begun, where it writes
  std::shared_ptr<run::RunFolder> folder = {};  // on the first rank, once it has begun
};

Job job_of(const Request& request, const Ranks& ranks) {
  const OptionValues& values = request.values;
  Job job{.request = request, .data = source_request(request), .train = train_options(values)};
  job.data.shard = static_cast<std::size_t>(ranks.rank());
  job.data.shards = static_cast<std::size_t>(ranks.size());
  job.train.seed = values[option::kSeed];
  job.train.threads = std::max<std::size_t>(1, values[option::kThreads]);
  job.train.resume = values[option::kResume];
  return job;
}

// "3" or "none".
std::string said(const OptionRecord& option, const OptionValues& values) {
  return option.is_optional && !values.is_given(option) ? "none" : values.text_of(option);
}

// The state is copied back and forth only where the prior matches in all that gives it meaning.
std::vector<double> prior_state(const Request& request, const Shape& shape) {
  const fs::path folder = request.values[option::kUpdate];
  if (folder.empty()) return {};
  const LoadedFit earlier = load_fit(folder);
  const std::string name = folder.string();
  if (earlier.record != request.model) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: holds a fit of {} {}, but this is {} {}.", name, earlier.record->verb,
                            earlier.record->kind, request.model->verb, request.model->kind),
                "A prior must come from the same model.");
  }
  for (const OptionRecord* option : request.model->options) {
    const std::string before = said(*option, earlier.values), now = said(*option, request.values);
    if (before == now) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: was fitted with {} {}, but this fit has {}.", name, flag_of(option->name),
                            before, now),
                "Give the same options as there.");
  }
  if (earlier.shape.columns != shape.columns || earlier.shape.names != shape.names) {
    throw Error(ErrorKind::bad_input, name + ": was fitted to other columns.",
                "The columns must be the same, in the same order.");
  }
  return earlier.state;
}

std::string joined(const std::vector<fs::path>& paths) {
  std::string text;
  for (const fs::path& path : paths) text += (text.empty() ? "" : " ") + path.string();
  return text;
}

run::RunRecord begin_record(const Job& job) {
  const Request& request = job.request;
  run::RunRecord record;
  record.kind = run::find_kind(request.model->verb)->kind;
  record.method = request.model->kind + " by " + request.values.text_of(option::kMethod);
  record.version = kVersion;
  record.data = joined(request.data);
  record.seed = job.train.seed;
  record.options = recorded_options(request);
  record.status = "running";
  record.started = run::utc_now();
  return record;
}

// Versions before the tables of options named them otherwise.
bool has_old_names(const run::RunRecord& record) { return record.options.contains("tolerance"); }

// A resumed fit must be the same fit: otherwise its steps would be of two kinds.
void check_resumed(const fs::path& out, const run::RunRecord& now) {
  const fs::path folder = run::current_folder(out);
  if (!fs::exists(folder / "run.json")) {
    throw Error(ErrorKind::missing_file, out.string() + ": holds no fit to go on with.",
                "Leave out --resume.");
  }
  const run::RunRecord before = run::read_run_record((folder / "run.json").string());
  const auto refuse = [&](const std::string& what, const std::string& then, const std::string& here) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: was begun with {} {}, but this run has {}.", out.string(), what, then, here),
                "Resume with the options of the first run, or begin anew with --force.");
  };
  if (before.kind != now.kind)
    refuse("the command", std::string(run::record_of(before.kind).verb),
           std::string(run::record_of(now.kind).verb));
  if (has_old_names(before)) {
    throw Error(ErrorKind::bad_input, out.string() + ": was begun by an earlier version of Kullback.",
                "Begin anew with --force.");
  }
  if (before.data != now.data) refuse("data", before.data, now.data);
  if (before.seed != now.seed) refuse("seed", std::to_string(before.seed), std::to_string(now.seed));
  const auto text = [](const run::RunRecord& record, const std::string& name) {
    return record.options.contains(name) ? record.options.text(name) : std::string("unset");
  };
  for (const run::RunRecord* record : {&before, &now}) {
    for (const auto& [name, value] : record->options) {
      if (text(before, name) != text(now, name)) refuse(flag_of(name), text(before, name), text(now, name));
    }
  }
}

// The folder is locked and, of a new run, made; all ranks then write where the first one does.
void begin_run(Job& job, const run::RunRecord& record, const Ranks& ranks) {
  if (ranks.is_first()) {
    const fs::path out = job.request.values[option::kOut];
    if (job.train.resume) {
      check_resumed(out, record);
      job.folder = run::RunFolder::resume(out);
    } else {
      job.folder = run::RunFolder::begin(out, record, {}, job.request.values[option::kForce]);
    }
    try {
      job.folder->add_event(job.train.resume ? "resume" : "start",
                            fmt::format("\"ranks\": {}, {}", ranks.size(), run::process_fields()));
    } catch (const Error&) {
      job.folder->abandon();
      throw;
    }
  }
  job.out = ranks.broadcast(job.folder ? job.folder->path().string() : std::string());
  job.train.checkpoint = run::partial_folder(job.out);
}

// Of all starts, in events.jsonl. A pass tells its bound at its end only.
class StartsLog final {
 public:
  StartsLog(const Job& job, const Ranks& ranks) : log_(job.out), is_first_(ranks.is_first()) {
    progress_.stage = job.request.values.text_of(option::kMethod);
    progress_.unit = run::Unit::pass;
    progress_.is_at_most = true;
    progress_.parts.resize(job.train.starts);
    for (std::size_t i = 0; i < progress_.parts.size(); ++i) {
      progress_.parts[i].name = fmt::format("start {}", i + 1);
      progress_.parts[i].value_name = "bound per unit";
      progress_.parts[i].total = static_cast<double>(job.train.passes);
    }
  }

  void note(const TrainProgress& progress) {
    run::PartProgress& part = progress_.parts[progress.start];
    part.done = static_cast<double>(progress.pass) + progress.part;
    if (progress.elbo_per_unit != 0) part.value = progress.elbo_per_unit;
    if (is_first_ && log_.is_due()) log_.write(progress_);
  }
  const run::RunProgress& progress() const { return progress_; }

 private:
  run::ProgressLog log_;
  bool is_first_;
  run::RunProgress progress_;
};

Findings training_findings(const Outcome& outcome, const TrainOptions& options) {
  Findings findings;
  const TrainOutcome& trained = outcome.trained;
  const StartOutcome& best = trained.starts[trained.best];
  const double units = static_cast<double>(outcome.shape.units);
  if (!best.is_converged && best.is_complete) {
    findings.push_back({"not-converged", fmt::format("The bound still rose after {} passes.", best.passes),
                        best.trace.size() > 1
                            ? fmt::format("by {:.2g} nats per unit in the last",
                                          (best.elbo - best.trace[best.trace.size() - 2].elbo) / units)
                            : "",
                        "Allow more with --passes, or a larger --tolerance."});
  }
  double fall = 0;
  for (const StartOutcome& start : trained.starts) fall = std::max(fall, start.largest_fall);
  if (fall > kFall) {
    findings.push_back({"bound-fell", "The bound fell between two passes, which exact updates cannot do.",
                        fmt::format("by {:.1e} of its size", fall),
                        "Rounding is the cause where columns have very different scales: standardise them."});
  }
  std::size_t near = 0;
  double worst = 0;
  for (const StartOutcome& start : trained.starts) {
    const double gap = (best.elbo - start.elbo) / units;
    near += gap < kSameBound ? 1 : 0;
    worst = std::max(worst, gap);
  }
  if (options.starts > 1 && near < options.starts) {
    findings.push_back({"starts-differ",
                        fmt::format("{} of {} starts came within {} nats per unit of the best bound.", near,
                                    options.starts, kSameBound),
                        fmt::format("the worst stays {:.3g} nats per unit below", worst),
                        near == 1 ? "The best was found once only: try more --starts." : ""});
  }
  return findings;
}

// The different values of the target in this shard, in the order of the rows; no more than three.
std::vector<double> target_values(Source& source) {
  std::vector<double> values;
  Buffer piece(source.shape().kind, source.shape().columns);
  source.rewind();
  while (values.size() < 3 && source.read(piece_units(source.shape()), piece)) {
    const Batch batch = piece.batch();
    for (std::size_t n = 0; n < batch.units && values.size() < 3; ++n) {
      const double value = batch.row(n).back();
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
  }
  return values;
}

// A number with normal noise is no model of a target with two values. All ranks must call it.
void add_target_finding(const ModelRecord& model, Source& source, const Ranks& ranks, Findings& findings) {
  if (!model.has_target || model.target_is_category) return;
  const std::vector<double> own = target_values(source);
  std::vector<double> known = own;
  known.resize(3, own.empty() ? 0 : own.front());
  const std::string bytes = ranks.broadcast(
      std::string(reinterpret_cast<const char*>(known.data()), known.size() * sizeof(double)));
  std::memcpy(known.data(), bytes.data(), bytes.size());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  double others[] = {known.size() == 2 ? 0.0 : 1.0};
  for (const double value : own)
    if (std::find(known.begin(), known.end(), value) == known.end()) ++others[0];
  ranks.sum(others);
  if (others[0] > 0 || !ranks.is_first()) return;
  findings.push_back({"binary-target",
                      fmt::format("The target '{}' has only two values, but was fitted as a number with "
                                  "normal noise.",
                                  source.shape().names.empty() ? "target" : source.shape().names.back()),
                      fmt::format("{:g} and {:g}", known[0], known[1]),
                      "Use --kind logistic: its predictions are probabilities."});
}

// Lines and, where units have them, names.
struct UnitLines {
  std::vector<double> cells;
  std::vector<std::string> names;
};

std::string bytes_of(const UnitLines& lines) {
  std::string bytes = std::to_string(lines.cells.size()) + "\n";
  bytes.append(reinterpret_cast<const char*>(lines.cells.data()), lines.cells.size() * sizeof(double));
  for (const std::string& name : lines.names) bytes += name + "\n";
  return bytes;
}

UnitLines lines_of(const std::string& bytes) {
  const std::size_t head = bytes.find('\n') + 1;
  UnitLines lines;
  lines.cells.resize(std::stoull(bytes));
  const std::size_t size = lines.cells.size() * sizeof(double);
  if (size > 0) std::memcpy(lines.cells.data(), bytes.data() + head, size);
  for (std::size_t at = head + size; at < bytes.size();) {
    const std::size_t end = bytes.find('\n', at);
    lines.names.push_back(bytes.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Each rank's lines in the order of the units; the first one writes.
void write_unit_table(const Job& job, Source& source, const Model& model, const Ranks& ranks) {
  const Shape& shape = source.shape();
  const std::vector<std::string>& names = source.unit_names();
  std::unique_ptr<TableWriter> writer;
  if (ranks.is_first()) {
    job.folder->file(model.unit_table() + ".csv");
    writer = unit_writer(job.out, model, source);
  }
  Buffer piece(shape.kind, shape.columns);
  std::size_t done = 0;
  source.rewind();
  while (source.read(piece_units(shape), piece)) {
    UnitLines lines;
    model.unit_lines(piece.batch(), lines.cells);
    if (!names.empty()) {
      const auto from = names.begin() + static_cast<std::ptrdiff_t>(done);
      lines.names.assign(from, from + static_cast<std::ptrdiff_t>(piece.units()));
    }
    done += piece.units();
    if (ranks.is_first()) {
      writer->add(lines.cells, lines.names);
    } else {
      ranks.send(bytes_of(lines), 0);
    }
  }
  if (!ranks.is_first()) return ranks.send({}, 0);
  for (int rank = 1; rank < ranks.size(); ++rank) {
    for (std::string bytes = ranks.receive(rank); !bytes.empty(); bytes = ranks.receive(rank)) {
      const UnitLines lines = lines_of(bytes);
      writer->add(lines.cells, lines.names);
    }
  }
  writer->finish();
}

void write_run_table(run::RunFolder& folder, const ResultTable& table) {
  folder.file(table.name + ".csv");
  write_table(folder.path(), table);
}

// Some rows with what is said of them: pictures need them, and the data may be gone or large.
void write_sample(const Job& job, Source& source, const Model& model, const Ranks& ranks) {
  const Shape& shape = source.shape();
  if (shape.kind != DataKind::table || shape.columns > kMostSampleColumns) return;
  const Buffer sample = sample_units(source, kSampleRows, job.train.seed, ranks);
  if (!ranks.is_first()) return;
  const Batch rows = sample.batch();
  ResultTable table{.name = "sample", .columns = shape.names, .cells = {}};
  for (std::size_t c = shape.names.size(); c < shape.columns; ++c)
    table.columns.push_back(fmt::format("column{}", c + 1));
  const std::vector<std::string> said = model.unit_columns(shape);
  table.columns.insert(table.columns.end(), said.begin(), said.end());
  std::vector<double> lines;
  model.unit_lines(rows, lines);
  for (std::size_t unit = 0; unit < rows.units; ++unit) {
    const auto cells = rows.row(unit);
    const auto line = lines.begin() + static_cast<std::ptrdiff_t>(unit * said.size());
    table.cells.insert(table.cells.end(), cells.begin(), cells.end());
    table.cells.insert(table.cells.end(), line, line + static_cast<std::ptrdiff_t>(said.size()));
  }
  write_run_table(*job.folder, table);
}

void write_results(const Job& job, Outcome& outcome) {
  run::RunFolder& folder = *job.folder;
  write_npy(folder.file("state.npy"), outcome.trained.model->state());
  replace_file(folder.file("model.json"), model_json(job.request, outcome.shape));
  for (const ResultTable& table : outcome.tables) write_run_table(folder, table);
  write_run_table(folder, trace_table(outcome.trained));
  replace_file(folder.file("summary.json"), summary_json(outcome));
  folder.finish(outcome.record, outcome.trained.is_interrupted ? "interrupted" : "finish",
                fmt::format("\"passes\": {}", outcome.trained.starts[outcome.trained.best].passes));
  outcome.folder = folder.path();
}

// What there is is the last checkpoint, where the folder is still there.
void note_stop(const Job& job, const Ranks& ranks, run::RunRecord& record) {
  record.status = "interrupted";
  if (ranks.is_first() && fs::exists(job.folder->path() / "run.json"))
    job.folder->finish(record, "interrupted", "");
}

}  // namespace

Outcome fit(const Request& request, const Ranks& ranks, const run::Watch& watch) {
  const auto began = std::chrono::steady_clock::now();
  Job job = job_of(request, ranks);

  const std::unique_ptr<Source> source = open_source(job.data);
  Outcome outcome{.record = begin_record(job), .trained = {}, .shape = source->shape()};
  const auto make = [&] { return request.model->make(request.values, outcome.shape); };
  make();  // refuses what the data do not allow before anything is written
  const std::vector<double> prior = prior_state(request, outcome.shape);
  begin_run(job, outcome.record, ranks);
  try {
    StartsLog log(job, ranks);
    TrainWatch logged{.should_stop = watch.should_stop};
    logged.on_progress = [&](const TrainProgress& progress) {
      log.note(progress);
      if (watch.on_progress) watch.on_progress(log.progress());
    };
    outcome.trained = train(make, *source, job.train, ranks, logged, prior);
  } catch (const Error&) {
    if (ranks.size() == 1) job.folder->abandon();
    throw;
  } catch (const Interrupted&) {  // amid a pass
    if (ranks.size() == 1) job.folder->abandon();
    note_stop(job, ranks, outcome.record);
    throw;
  }
  const Unhurried finishing;
  Model& model = *outcome.trained.model;
  const bool has_results = !outcome.trained.is_interrupted;
  Findings of_target;
  try {
    if (has_results && !request.values[option::kNoUnits]) {
      write_unit_table(job, *source, model, ranks);
      write_sample(job, *source, model, ranks);
    }
    if (has_results) add_target_finding(*request.model, *source, ranks, of_target);
  } catch (const Interrupted&) {  // the starts are saved
    note_stop(job, ranks, outcome.record);
    throw;
  }
  if (!ranks.is_first()) return outcome;
  outcome.record.status = has_results ? "complete" : "interrupted";
  if (!outcome.trained.statistics.values.empty()) {
    outcome.terms = model.elbo(outcome.trained.statistics);
    outcome.record.findings = training_findings(outcome, job.train);
    for (Finding& finding : model.findings(outcome.trained.statistics)) {
      outcome.record.findings.push_back(std::move(finding));
    }
  }
  outcome.record.findings.insert(outcome.record.findings.end(), of_target.begin(), of_target.end());
  outcome.figures = model.figures();
  outcome.tables = model.tables(outcome.shape);
  outcome.record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  write_results(job, outcome);
  return outcome;
}

}  // namespace kullback::conjugate
