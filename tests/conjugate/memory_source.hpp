#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "conjugate/model.hpp"
#include "data/source.hpp"

namespace kullback::conjugate {

// Data in memory that can also pretend to be a stream, whole or in shards.
class MemorySource final : public data::Source {
 public:
  MemorySource(const Buffer& data, bool streams) : all_(data.batch()), streams_(streams) {
    shape_ = {.kind = all_.kind, .columns = all_.columns, .units = all_.units};
    for (std::size_t c = 0; c < all_.columns; ++c) shape_.names.push_back("x" + std::to_string(c));
  }
  const Shape& shape() const override { return shape_; }
  std::uint64_t units() const override { return all_.units; }
  std::uint64_t first_unit() const override { return 0; }
  const Batch* in_memory() const override { return streams_ ? nullptr : &all_; }
  bool read(std::size_t units, Buffer& into) override {
    into.clear();
    into.set_first(at_);
    const std::size_t end = std::min(at_ + units, all_.units);
    for (; at_ < end; ++at_) into.add(all_, at_);
    return into.units() > 0;
  }
  void rewind() override { at_ = 0; }
  const std::vector<std::string>& unit_names() const override { return names_; }

 private:
  Batch all_;
  Shape shape_;
  std::vector<std::string> names_;
  bool streams_;
  std::size_t at_ = 0;
};

}  // namespace kullback::conjugate
