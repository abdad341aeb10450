#include "conjugate/batch.hpp"

namespace kullback::conjugate {

std::size_t Batch::rows() const {
  if (kind == DataKind::table) return units;
  return units == 0 ? 0 : offsets[units] - offsets[0];
}

Batch Batch::part(std::size_t begin, std::size_t end) const {
  Batch result = *this;
  result.units = end - begin;
  result.first = first + begin;
  if (!weights.empty()) result.weights = weights.subspan(begin, end - begin);
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

Batch Buffer::batch() const {
  Batch result{.kind = kind_, .units = units(), .columns = columns_, .first = first_, .values = values_};
  if (kind_ != DataKind::table) result.offsets = offsets_;
  result.indices = indices_;
  if (has_weights_) result.weights = weights_;
  return result;
}

}  // namespace kullback::conjugate
