#include "fit/gather.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace kullback::fit {

namespace {

void archive_findings(infer::Archive& archive, Findings& findings) {
  std::uint64_t count = findings.size();
  archive.value(count);
  findings.resize(count);
  for (Finding& finding : findings) {
    archive.value(finding.code);
    archive.value(finding.message);
    archive.value(finding.evidence);
    archive.value(finding.advice);
  }
}

void archive_facts(infer::Archive& archive, infer::Facts& facts) {
  std::uint64_t count = facts.size();
  archive.value(count);
  facts.resize(count);
  for (auto& [name, value] : facts) {
    archive.value(name);
    archive.value(value);
  }
}

void archive_trace(infer::Archive& archive, infer::Trace& trace) {
  std::uint64_t count = trace.columns.size();
  archive.value(count);
  trace.columns.resize(count);
  for (std::string& column : trace.columns) archive.value(column);
  archive.value(trace.values);
}

void archive_adaptation(infer::Archive& archive, std::optional<posterior::AdaptationNote>& note) {
  bool is_there = note.has_value();
  archive.value(is_there);
  if (!is_there) return;
  if (!note) note.emplace();
  archive.value(note->step_size);
  archive.value(note->metric);
  archive.value(note->inv_metric);
}

std::string bytes_of(std::vector<FinishedChain>& chains) {
  infer::Archive archive_out;
  for (FinishedChain& chain : chains) archive(archive_out, chain);
  return infer::to_bytes(archive_out.numbers());
}

void append_chains(const std::string& bytes, std::vector<FinishedChain>& chains) {
  infer::Archive in(infer::to_numbers(bytes));
  while (!in.is_complete()) {
    archive(in, chains.emplace_back());
    if (in.is_overrun()) throw Error(ErrorKind::internal, "a rank sent chains that cannot be read.");
  }
}

}  // namespace

void archive(infer::Archive& archive, FinishedChain& chain) {
  std::uint64_t number = chain.number;
  std::uint64_t draws = chain.chain.draws;
  archive.value(number);
  archive.value(draws);
  chain.number = static_cast<std::uint32_t>(number);
  chain.chain.draws = draws;
  archive.value(chain.chain.columns);
  archive.value(chain.chain.stats);
  archive.value(chain.chain.log_density);
  archive.value(chain.chain.log_q);
  archive.value(chain.chain.log_weight);
  archive_adaptation(archive, chain.chain.adaptation);
  archive.value(chain.chain.warmup_seconds);
  archive.value(chain.chain.sampling_seconds);
  std::uint64_t dim = chain.result.draws.dim;
  archive.value(dim);
  chain.result.draws.dim = dim;
  archive.value(chain.result.draws.theta);
  archive.value(chain.result.draws.log_density);
  archive.value(chain.result.gradients);
  archive.value(chain.result.is_finished);
  archive_findings(archive, chain.result.findings);
  archive_facts(archive, chain.result.facts);
  archive_trace(archive, chain.result.trace);
  archive.value(chain.problem);
  archive.value(chain.log_prior);
  archive.value(chain.log_likelihood);
}

std::vector<FinishedChain> gather(std::vector<FinishedChain> mine, const Ranks& ranks) {
  if (ranks.size() == 1) return mine;
  if (!ranks.is_first()) {
    ranks.send(bytes_of(mine), 0);
    return {};
  }
  for (int rank = 1; rank < ranks.size(); ++rank) append_chains(ranks.receive(rank), mine);
  std::sort(mine.begin(), mine.end(),
            [](const FinishedChain& a, const FinishedChain& b) { return a.number < b.number; });
  return mine;
}

}  // namespace kullback::fit
