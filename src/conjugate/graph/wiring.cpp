// Element c of a child is a point of the product of its plates; each plate of a parent is one of these,
// contains one of these (nested plates), or is what the selector chooses along.
#include <fmt/format.h>

#include "base/error.hpp"
#include "conjugate/graph/state.hpp"

namespace kullback::conjugate {
namespace {

constexpr std::size_t kNone = Argument::kNone;

std::vector<std::size_t> strides_of(const std::vector<PlateData>& plates,
                                    const std::vector<std::size_t>& ids) {
  std::vector<std::size_t> strides(ids.size());
  std::size_t stride = 1;
  for (std::size_t i = ids.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= plates[ids[i]].size;
  }
  return strides;
}

// Whether `inner` is `outer` or lies in it.
bool lies_in(const std::vector<PlateData>& plates, std::size_t inner, std::size_t outer) {
  for (std::size_t at = inner; at != kNone; at = plates[at].outer)
    if (at == outer) return true;
  return false;
}

std::size_t outer_element(const std::vector<PlateData>& plates, std::size_t inner, std::size_t outer,
                          std::size_t element) {
  for (std::size_t at = inner; at != outer; at = plates[at].outer) element = plates[at].of[element];
  return element;
}

// The place in `ids` of the plate that leads to `outer`: itself, or one inside it.
std::size_t place_of(const std::vector<PlateData>& plates, const std::vector<std::size_t>& ids,
                     std::size_t outer) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] == outer) return i;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (lies_in(plates, ids[i], outer)) return i;
  return kNone;
}

}  // namespace

std::string Graph::State::plate_names(const std::vector<std::size_t>& ids) const {
  std::string text;
  for (const std::size_t id : ids) text += (text.empty() ? "'" : ", '") + plates[id].name + "'";
  return text.empty() ? "no plate" : text;
}

Wire Graph::State::wire(const NodeData& child, std::size_t parent_id, const std::vector<std::size_t>& in,
                        std::size_t categories) const {
  const NodeData& parent = *nodes[parent_id];
  Wire wire{.node = &parent, .id = parent_id};
  const std::vector<std::size_t> strides = strides_of(plates, in);
  const std::vector<std::size_t> child_strides = strides_of(plates, child.plates);
  struct Step {
    std::size_t child_place, parent_plate, stride;
  };
  std::vector<Step> steps;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const PlateData& plate = plates[in[i]];
    const std::size_t place = place_of(plates, child.plates, in[i]);
    if (place != kNone) {
      steps.push_back({place, in[i], strides[i]});
    } else if (categories > 0 && wire.component_stride == 0 && plate.size == categories) {
      wire.component_stride = strides[i];
    } else {
      throw Error(ErrorKind::bad_input,
                  fmt::format("node '{}' is in {} and uses '{}', which is in {}: which of the {} elements of "
                              "'{}' is meant is not said",
                              child.name, plate_names(child.plates), parent.name, plate_names(in), plate.size,
                              plate.name),
                  categories > 0
                      ? fmt::format("a selector with {} categories chooses along one plate of {} elements "
                                    "that '{}' is not in",
                                    categories, categories, child.name)
                      : fmt::format("select by a categorical node, as in {}[z], or put '{}' in '{}'",
                                    parent.name, child.name, plate.name));
    }
  }
  if (categories > 0 && wire.component_stride == 0) {
    throw Error(ErrorKind::bad_input,
                fmt::format("node '{}' selects an element of '{}', which is in {} and has no plate of {} "
                            "elements to choose along",
                            child.name, parent.name, plate_names(in), categories),
                fmt::format("put '{}' in a plate of {} elements, or use it without a selector", parent.name,
                            categories));
  }
  wire.is_single = steps.empty();
  if (wire.is_single || (in == child.plates && wire.component_stride == 0)) return wire;
  wire.table.resize(child.elements);
  for (std::size_t c = 0; c < child.elements; ++c) {
    std::size_t at = 0;
    for (const Step& step : steps) {
      const std::size_t inner = child.plates[step.child_place];
      const std::size_t element = c / child_strides[step.child_place] % plates[inner].size;
      at += step.stride * outer_element(plates, inner, step.parent_plate, element);
    }
    wire.table[c] = static_cast<std::uint32_t>(at);
  }
  return wire;
}

}  // namespace kullback::conjugate
