#include "tape/trace/value_text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace kullback::tape {

namespace {

class Writer final {
 public:
  Writer(const Value& value, const Builder& builder, std::string& text)
      : value_(value), builder_(builder), text_(text), strides_(value.dims.size(), 1) {
    std::size_t step = 1;
    const std::size_t arrays = value.array_rank();
    for (std::size_t d = arrays; d < strides_.size(); ++d) {  // matrices are stored by columns
      strides_[d] = step;
      step *= value.dims[d];
    }
    for (std::size_t d = arrays; d-- > 0;) {  // arrays with the last index fastest
      strides_[d] = step;
      step *= value.dims[d];
    }
  }

  void write(std::size_t depth = 0, std::size_t position = 0) {
    if (depth == strides_.size()) {
      write_element(position);
      return;
    }
    text_ += "[";
    for (std::size_t i = 0; i < value_.dims[depth]; ++i) {
      if (i > 0) text_ += ", ";
      write(depth + 1, position + i * strides_[depth]);
    }
    text_ += "]";
  }

 private:
  void write_element(std::size_t position) {
    const auto number = [&](std::size_t i) {
      fmt::format_to(std::back_inserter(text_), "{}", builder_.value((*value_.ids)[i]));
    };
    if (value_.parts) {
      append_text((*value_.parts)[position], builder_, text_);
    } else if (value_.ints) {
      text_ += std::to_string((*value_.ints)[position]);
    } else if (value_.type.is_complex()) {
      text_ += "(";
      number(2 * position);
      text_ += ", ";
      number(2 * position + 1);
      text_ += ")";
    } else {
      number(position);
    }
  }

  const Value& value_;
  const Builder& builder_;
  std::string& text_;
  Dims strides_;
};

}  // namespace

void append_text(const Value& value, const Builder& builder, std::string& text) {
  if (value.type.kind == math::Kind::tuple && value.type.array_rank == 0) {
    text += "(";
    for (std::size_t s = 0; s < value.parts->size(); ++s) {
      if (s > 0) text += ", ";
      append_text((*value.parts)[s], builder, text);
    }
    text += ")";
    return;
  }
  if (value.is_set()) Writer(value, builder, text).write();
}

}  // namespace kullback::tape
