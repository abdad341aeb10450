#include "data/batch.hpp"

#include <cstring>
#include <string_view>

namespace kullback::data {

std::size_t Batch::rows() const {
  if (kind == DataKind::table) return units;
  return units == 0 ? 0 : offsets[units] - offsets[0];
}

Batch Batch::part(std::size_t begin, std::size_t end) const {
  Batch result = *this;
  result.units = end - begin;
  result.first = first + begin;
  if (!weights.empty()) result.weights = weights.subspan(begin, end - begin);
  if (!margins.empty()) result.margins = margins.subspan(begin, end - begin);
  if (kind == DataKind::table) {
    result.values = values.subspan(begin * columns, (end - begin) * columns);
  } else {
    result.offsets = offsets.subspan(begin, end - begin + 1);
  }
  return result;
}

void Buffer::clear() {
  values_.clear();
  offsets_.clear();
  indices_.clear();
  weights_.clear();
  margins_.clear();
  has_weights_ = false;
}

void Buffer::reset(DataKind kind, std::size_t columns) {
  clear();
  kind_ = kind;
  columns_ = columns;
  first_ = 0;
}

void Buffer::take_documents(std::vector<std::size_t> offsets, std::vector<std::uint32_t> indices,
                            std::vector<double> counts) {
  clear();
  offsets_ = std::move(offsets);
  indices_ = std::move(indices);
  values_ = std::move(counts);
  weights_.assign(offsets_.size() - 1, 1.0);
}

void Buffer::reserve(std::size_t units, std::size_t values) {
  weights_.reserve(units);
  values_.reserve(values);
  if (kind_ != DataKind::table) offsets_.reserve(units + 1);
  if (kind_ == DataKind::documents) indices_.reserve(values);
}

std::size_t Buffer::units() const { return weights_.size(); }

void Buffer::begin_unit() {
  if (offsets_.empty()) offsets_.push_back(0);
  offsets_.push_back(offsets_.back());
  weights_.push_back(1.0);
  if (!margins_.empty()) margins_.emplace_back();
}

void Buffer::add_row(std::span<const double> cells) {
  values_.insert(values_.end(), cells.begin(), cells.end());
  if (kind_ == DataKind::table) {
    weights_.push_back(1.0);
  } else {
    ++offsets_.back();
  }
}

void Buffer::add_word(std::uint32_t index, double count) {
  indices_.push_back(index);
  values_.push_back(count);
  ++offsets_.back();
}

void Buffer::add(const Batch& from, std::size_t unit, double weight) {
  if (kind_ == DataKind::table) {
    add_row(from.row(unit));
  } else {
    begin_unit();
    for (std::size_t at = from.offsets[unit]; at < from.offsets[unit + 1]; ++at) {
      if (kind_ == DataKind::documents) {
        add_word(from.indices[at], from.values[at]);
      } else {
        add_row(from.row(at));
      }
    }
  }
  weights_.back() = from.weight(unit) * weight;
  if (weights_.back() != 1.0) has_weights_ = true;
}

void Buffer::add_rows(const Batch& from, std::size_t unit, std::size_t begin, std::size_t end, Margin margin,
                      double weight) {
  margins_.resize(units());
  begin_unit();
  if (margins_.size() < units()) margins_.emplace_back();
  margins_.back() = margin;
  const std::size_t first = from.offsets[unit] + begin;
  const std::span<const double> cells = from.values.subspan(first * columns_, (end - begin) * columns_);
  values_.insert(values_.end(), cells.begin(), cells.end());
  offsets_.back() += end - begin;
  weights_.back() = from.weight(unit) * weight;
  if (weights_.back() != 1.0) has_weights_ = true;
}

Batch Buffer::batch() const {
  Batch result{.kind = kind_, .units = units(), .columns = columns_, .first = first_, .values = values_};
  if (kind_ != DataKind::table) result.offsets = offsets_;
  result.indices = indices_;
  if (has_weights_) result.weights = weights_;
  result.margins = margins_;
  return result;
}

namespace {

template <class T>
void put(std::span<const T> numbers, std::string& bytes) {
  const std::size_t size = numbers.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

template <class T>
std::vector<T> take(std::string_view& bytes) {
  std::size_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  std::vector<T> numbers(size);
  if (size > 0) std::memcpy(numbers.data(), bytes.data() + sizeof size, size * sizeof(T));
  bytes.remove_prefix(sizeof size + size * sizeof(T));
  return numbers;
}

}  // namespace

std::string Buffer::to_bytes() const {
  std::string bytes;
  put<double>(values_, bytes);
  put<std::size_t>(offsets_, bytes);
  put<std::uint32_t>(indices_, bytes);
  put<double>(weights_, bytes);
  return bytes;
}

void Buffer::add_bytes(const std::string& bytes) {
  std::string_view rest = bytes;
  const auto values = take<double>(rest);
  const auto offsets = take<std::size_t>(rest);
  const auto indices = take<std::uint32_t>(rest);
  const auto weights = take<double>(rest);
  const Batch other{.kind = kind_,
                    .units = weights.size(),
                    .columns = columns_,
                    .values = values,
                    .offsets = offsets,
                    .indices = indices,
                    .weights = weights};
  for (std::size_t unit = 0; unit < other.units; ++unit) add(other, unit);
}

}  // namespace kullback::data
