#include "conjugate/passes.hpp"

#include <algorithm>

#include "base/stop.hpp"

namespace kullback::conjugate {

namespace {

constexpr std::size_t kMostSlices = 64;
constexpr std::size_t kLeastSlices = 4;
constexpr std::size_t kSliceNumbers = std::size_t{1} << 23;  // statistics of all slices: 64 MB
constexpr std::size_t kPieceNumbers = std::size_t{1} << 19;  // cells of a piece of a stream: 4 MB
constexpr std::size_t kDocumentWords = 64;                   // a guess, for the same

std::size_t slices_of(const Model& model, std::size_t units) {
  const std::size_t size = model.statistics_size() + 1;
  const std::size_t affordable = std::clamp(kSliceNumbers / size, kLeastSlices, kMostSlices);
  const std::size_t chunks = (units + model.chunk() - 1) / model.chunk();
  return std::clamp<std::size_t>(chunks, 1, affordable);
}

void add(const Statistics& part, Statistics& sum) {
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += part.values[i];
  sum.local += part.local;
  sum.units += part.units;
}

Statistics zero(const Model& model) { return {.values = std::vector<double>(model.statistics_size())}; }

}  // namespace

Statistics local_pass(const Model& model, const Batch& units, std::span<double> local, Workers& workers) {
  const std::size_t slices = slices_of(model, units.units);
  const std::size_t chunk = model.chunk();
  const std::size_t kept = local.empty() ? 0 : model.local_size();
  std::vector<Statistics> sums(slices);
  workers.run(slices, [&](std::size_t slice) {
    sums[slice] = zero(model);
    const std::size_t end = units.units * (slice + 1) / slices;
    for (std::size_t at = units.units * slice / slices; at < end; at += chunk) {
      stop_if_asked();
      const std::size_t stop = std::min(at + chunk, end);
      model.local_step(units.part(at, stop), local.subspan(at * kept, (stop - at) * kept), sums[slice]);
    }
  });
  for (std::size_t slice = 1; slice < slices; ++slice) {
    add(sums[slice], sums[0]);
    sums[slice] = {};
  }
  return std::move(sums[0]);
}

std::size_t piece_units(const Shape& shape) {
  const std::size_t cells =
      shape.kind == DataKind::documents ? kDocumentWords : std::max<std::size_t>(shape.columns, 1);
  return std::clamp<std::size_t>(kPieceNumbers / cells, 64, 1 << 16);
}

Statistics source_pass(const Model& model, Source& source, std::span<double> local, Workers& workers,
                       const std::function<bool(double)>& go_on) {
  if (const Batch* all = source.in_memory()) return local_pass(model, *all, local, workers);
  Statistics sum = zero(model);
  Buffer piece(source.shape().kind, source.shape().columns);
  std::uint64_t done = 0;
  source.rewind();
  while (source.read(piece_units(source.shape()), piece)) {
    add(local_pass(model, piece.batch(), {}, workers), sum);
    done += piece.units();
    if (go_on && !go_on(static_cast<double>(done) / static_cast<double>(source.units()))) break;
  }
  return sum;
}

void sum_over(const Ranks& ranks, Statistics& statistics, std::span<double> flags) {
  if (ranks.size() == 1) return;
  std::vector<double> all = std::move(statistics.values);
  const std::size_t size = all.size();
  all.push_back(statistics.local);
  all.push_back(statistics.units);
  all.insert(all.end(), flags.begin(), flags.end());
  ranks.sum(all);
  statistics.local = all[size];
  statistics.units = all[size + 1];
  std::copy(all.begin() + static_cast<std::ptrdiff_t>(size) + 2, all.end(), flags.begin());
  all.resize(size);
  statistics.values = std::move(all);
}

}  // namespace kullback::conjugate
