#include <algorithm>
#include <numeric>

#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using math::Kind;
using math::Type;

namespace {

bool is_matrix(Kind kind) { return kind == Kind::matrix || kind == Kind::complex_matrix; }

Kind scalar_of(const Type& type) {
  if (type.kind == Kind::int_ || type.kind == Kind::tuple) return type.kind;
  return type.is_complex() ? Kind::complex : Kind::real;
}

// How far apart neighbours along each dimension are: arrays by rows, matrices by columns.
Dims strides_of(const Value& value) {
  const std::size_t rank = value.dims.size();
  const std::size_t arrays = value.array_rank();
  Dims strides(rank, 1);
  if (rank - arrays == 2) strides[rank - 1] = value.dims[rank - 2];
  std::size_t step = 1;
  for (std::size_t d = arrays; d < rank; ++d) step *= value.dims[d];
  for (std::size_t d = arrays; d-- > 0;) {
    strides[d] = step;
    step *= value.dims[d];
  }
  return strides;
}

Type selected_type(const Value& value, const std::vector<bool>& kept) {
  Type type = value.type;
  const std::size_t arrays = value.array_rank();
  std::size_t rank = 0;
  for (std::size_t d = 0; d < arrays; ++d) rank += kept[d];
  type.array_rank = static_cast<std::uint8_t>(rank);
  const bool complex = value.type.is_complex();
  if (kept.size() - arrays == 1 && !kept[arrays]) type.kind = scalar_of(value.type);
  if (is_matrix(value.type.kind)) {
    const bool rows = kept[arrays];
    const bool cols = kept[arrays + 1];
    if (!rows && !cols) type.kind = scalar_of(value.type);
    if (!rows && cols) type.kind = complex ? Kind::complex_row_vector : Kind::row_vector;
    if (rows && !cols) type.kind = complex ? Kind::complex_vector : Kind::vector;
  }
  return type;
}

}  // namespace

Selected select(const Value& value, std::span<const Selection> selections) {
  const std::size_t rank = value.dims.size();
  const std::size_t arrays = value.array_rank();
  std::vector<Selection> all(selections.begin(), selections.end());
  while (all.size() < rank) {
    Selection whole;
    whole.at.resize(value.dims[all.size()]);
    std::iota(whole.at.begin(), whole.at.end(), std::size_t{0});
    all.push_back(std::move(whole));
  }
  const Dims strides = strides_of(value);
  std::vector<bool> kept(rank);
  Selected selected;
  std::size_t base = 0;
  std::vector<std::size_t> order;  // kept dimensions, outermost first in the order of the result's numbers
  for (std::size_t d = 0; d < rank; ++d) {
    kept[d] = !all[d].single;
    if (kept[d]) {
      selected.dims.push_back(all[d].at.size());
      order.push_back(d);
    } else {
      base += all[d].at.front() * strides[d];
    }
  }
  if (rank - arrays == 2 && kept[rank - 1] && kept[rank - 2])
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  selected.type = selected_type(value, kept);
  const std::size_t count = product(selected.dims);
  selected.positions.reserve(count);
  const bool tagged = std::any_of(all.begin(), all.end(), [](const Selection& s) { return !s.tags.empty(); });
  if (tagged) selected.tags.resize(count);
  RowTag fixed;  // of the dimensions that are gone
  for (std::size_t d = 0; d < rank; ++d) {
    if (!kept[d] && !all[d].tags.empty()) fixed = join(fixed, all[d].tags.front());
  }
  std::vector<std::size_t> at(order.size(), 0);
  for (std::size_t n = 0; n < count; ++n) {
    std::size_t position = base;
    for (std::size_t o = 0; o < order.size(); ++o) position += all[order[o]].at[at[o]] * strides[order[o]];
    selected.positions.push_back(position);
    if (tagged) {
      selected.tags[n] = fixed;
      for (std::size_t o = 0; o < order.size(); ++o) {
        const std::vector<RowTag>& tags = all[order[o]].tags;
        if (!tags.empty()) selected.tags[n] = join(selected.tags[n], tags[at[o]]);
      }
    }
    for (std::size_t o = order.size(); o-- > 0;) {
      if (++at[o] < all[order[o]].at.size()) break;
      at[o] = 0;
    }
  }
  return selected;
}

Value take(const Value& value, const Selected& selected) {
  Value out;
  out.type = selected.type;
  out.dims = selected.dims;
  if (value.ints) {
    std::vector<int>& to = change_ints(out);
    to.reserve(selected.positions.size());
    for (const std::size_t p : selected.positions) to.push_back((*value.ints)[p]);
    for (std::size_t i = 0; value.gaps && i < selected.positions.size(); ++i) {
      if (is_gap(value, selected.positions[i])) set_gap(out, i);
    }
    if (value.tags || !selected.tags.empty()) {
      std::vector<RowTag>& tags = change_tags(out);
      for (std::size_t i = 0; i < tags.size(); ++i) {
        tags[i] = int_tag(value, selected.positions[i]);
        if (!selected.tags.empty()) tags[i] = join(tags[i], selected.tags[i]);
      }
    }
  } else if (value.parts) {
    if (selected.type.array_rank == 0) return (*value.parts)[selected.positions.front()];
    std::vector<Value>& to = change_parts(out);
    for (const std::size_t p : selected.positions) to.push_back((*value.parts)[p]);
  } else {
    const std::size_t width = value.type.is_complex() ? 2 : 1;
    Ids& to = change_ids(out);
    to.reserve(selected.positions.size() * width);
    for (const std::size_t p : selected.positions) {
      for (std::size_t w = 0; w < width; ++w) to.push_back((*value.ids)[p * width + w]);
    }
  }
  return out;
}

}  // namespace kullback::tape
