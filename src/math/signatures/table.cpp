// The compiler parses the lines: a mistake in one is a compile error that names it. This is the only file
// to compile again when a line changes.
#include "math/signatures/table.hpp"

#include <array>

namespace kullback::math::pattern {
namespace {

namespace in_lines {

// The words that stand in DISTRIBUTION lines.
constexpr Cdfs all{true, true, true}, logs_only{false, true, true}, cdf_only{true, false, false};
constexpr struct {
  constexpr operator Cdfs() const { return {}; }
  constexpr operator std::string_view() const { return {}; }
} no;
constexpr std::string_view vectorised = "vectorised";

constexpr std::string_view rng_line(std::string_view arguments, std::string_view rng) {
  return rng == vectorised ? arguments : rng;
}

template <std::size_t n>
constexpr std::array<Pattern, n> parse_rng(std::string_view arguments, std::string_view rng, Density kind) {
  auto overloads = parse<n>(rng_line(arguments, rng));
  if (rng != vectorised) return overloads;
  // The line of the density, without the variate, with ints admitted for reals.
  for (Pattern& p : overloads) {
    for (std::size_t i = 1; i < p.count; ++i) {
      p.arguments[i - 1] = p.arguments[i];
      if (p.arguments[i - 1].types == kReals) p.arguments[i - 1].types = kNumbers;
    }
    --p.count;
    const Kind drawn = kind == Density::lpmf ? Kind::int_ : Kind::real;
    p.result = {};
    p.result.form = ResultSpec::Form::by_shape;
    p.result.count = 2;
    p.result.types[0] = {drawn, 0};
    p.result.types[1] = {drawn, 1};
  }
  return overloads;
}

#define LINE(symbol, line) constexpr auto symbol = parse<count_overloads(line)>(line);
#define FUNCTION(name, line) LINE(function_##name, line)
#define TRANSFORM(name, forward, inverse) LINE(forward_##name, forward) LINE(inverse_##name, inverse)
#define DISTRIBUTION(name, kind, cdfs, arguments, rng) \
  LINE(density_##name, arguments)                      \
  constexpr auto rng_##name =                          \
      parse_rng<count_overloads(rng_line(arguments, rng))>(arguments, rng, Density::kind);
#include "math/signatures/all.def"
#undef LINE

constexpr Record kFunctions[] = {
#define FUNCTION(name, line) {#name, function_##name},
#define TRANSFORM(name, forward, inverse)                                    \
  {#name "_constrain", forward_##name}, {#name "_jacobian", forward_##name}, \
      {#name "_unconstrain", inverse_##name},
#include "math/signatures/all.def"
};

constexpr Distribution kDistributions[] = {
#define DISTRIBUTION(name, kind, cdfs, arguments, rng) \
  {#name,                                              \
   Density::kind,                                      \
   cdfs,                                               \
   !std::string_view(rng).empty(),                     \
   density_##name,                                     \
   rng_##name,                                         \
   {#name "_" #kind, #name "_cdf", #name "_lcdf", #name "_lccdf", #name "_rng"}},
#include "math/signatures/all.def"
};

}  // namespace in_lines
using in_lines::kDistributions;
using in_lines::kFunctions;

// ---- the index: open addressing, built by the compiler ----

class Index final {
 public:
  constexpr Index() {
    for (const Record& record : kFunctions) insert(record);
    for (const Distribution& d : kDistributions) {
      if (d.kind != Density::none) insert({d.names.density, d.density});
      if (d.cdfs.cdf) insert({d.names.cdf, d.density});
      if (d.cdfs.lcdf) insert({d.names.lcdf, d.density});
      if (d.cdfs.lccdf) insert({d.names.lccdf, d.density});
      if (d.has_rng) insert({d.names.rng, d.rng});
    }
  }

  constexpr const Record* find(std::string_view name) const {
    for (std::size_t i = slot(name);; i = (i + 1) % kSlots) {
      if (slots_[i].name.empty()) return nullptr;
      if (slots_[i].name == name) return &slots_[i];
    }
  }

  std::vector<std::string_view> names() const {
    std::vector<std::string_view> all;
    for (const Record& record : slots_) {
      if (!record.name.empty()) all.push_back(record.name);
    }
    return all;
  }

 private:
  static constexpr std::size_t kSlots = 1024;  // for some 560 names

  static constexpr std::size_t slot(std::string_view name) {
    std::uint32_t hash = 2166136261u;  // FNV-1a
    for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return (hash ^ hash >> 15) % kSlots;
  }
  constexpr void insert(const Record& record) {
    std::size_t i = slot(record.name);
    while (!slots_[i].name.empty()) i = (i + 1) % kSlots;
    slots_[i] = record;
  }

  std::array<Record, kSlots> slots_;
};

constexpr Index kIndex;

}  // namespace

const Record* find_record(std::string_view name) { return kIndex.find(name); }
std::vector<std::string_view> record_names() { return kIndex.names(); }
std::span<const Distribution> distributions() { return kDistributions; }

}  // namespace kullback::math::pattern
