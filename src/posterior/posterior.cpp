#include "posterior/posterior.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kullback::posterior {

namespace {

// "pair:2.3.1" is base "pair:2" with indices 3, 1; "z.real" has none: a base ends at the last part that is no
// index.
struct Element {
  std::string_view base;
  std::vector<std::size_t> indices;
};

std::optional<std::size_t> index_of(std::string_view part) {
  if (part.empty() || part.size() > 15 || part.front() == '0') return {};
  std::size_t index = 0;
  const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (status != std::errc() || end != part.data() + part.size()) return {};
  return index;
}

Element split(std::string_view name) {
  Element element{name, {}};
  const std::size_t slot = name.rfind(':');
  const std::size_t begin = slot == std::string_view::npos ? 0 : slot;
  for (;;) {
    const std::size_t dot = element.base.rfind('.');
    if (dot == std::string_view::npos || dot <= begin) break;
    const auto index = index_of(element.base.substr(dot + 1));
    if (!index) break;
    element.indices.push_back(*index);
    element.base = element.base.substr(0, dot);
  }
  std::reverse(element.indices.begin(), element.indices.end());
  return element;
}

// The first index runs fastest. False after the last element.
bool advance(std::vector<std::size_t>& indices, const std::vector<std::size_t>& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (++indices[i] <= dims[i]) return true;
    indices[i] = 1;
  }
  return false;
}

// Whether elements [first, last) are all elements of an array, in order; its dims are the last indices.
bool is_full_array(const std::vector<Element>& elements, std::size_t first, std::size_t last) {
  const std::vector<std::size_t>& dims = elements[last - 1].indices;
  std::vector<std::size_t> expected(dims.size(), 1);
  for (std::size_t i = first; i < last; ++i) {
    if (elements[i].indices != expected) return false;
    const bool is_last = !advance(expected, dims);
    if (is_last != (i + 1 == last)) return false;
  }
  return true;
}

bool are_of_one_array(const Element& a, const Element& b) {
  return !a.indices.empty() && a.base == b.base && a.indices.size() == b.indices.size();
}

}  // namespace

std::vector<Variable> find_variables(const std::vector<std::string>& names) {
  std::vector<Element> elements;
  elements.reserve(names.size());
  for (const std::string& name : names) elements.push_back(split(name));

  std::vector<Variable> variables;
  for (std::size_t first = 0; first < names.size();) {
    std::size_t last = first + 1;
    while (last < names.size() && are_of_one_array(elements[first], elements[last])) ++last;
    if (!elements[first].indices.empty() && is_full_array(elements, first, last)) {
      variables.push_back(
          {std::string(elements[first].base), elements[last - 1].indices, first, last - first});
    } else {
      for (std::size_t i = first; i < last; ++i) variables.push_back({names[i], {}, i, 1});
    }
    first = last;
  }
  return variables;
}

std::string display_name(std::string_view column) {
  std::string text;
  bool in_brackets = false;
  for (std::size_t begin = 0; begin <= column.size();) {
    const std::size_t end = std::min(column.find_first_of(".:", begin), column.size());
    const std::string_view part = column.substr(begin, end - begin);
    const bool is_index = begin > 0 && column[begin - 1] == '.' && index_of(part).has_value();
    if (is_index) {
      text += in_brackets ? "," : "[";
    } else {
      if (in_brackets) text += "]";
      if (begin > 0) text += ".";
    }
    text += part;
    in_brackets = is_index;
    begin = end + 1;
  }
  if (in_brackets) text += "]";
  return text;
}

std::size_t Posterior::draws() const {
  if (chains.empty()) return 0;
  return std::min_element(chains.begin(), chains.end(),
                          [](const Chain& a, const Chain& b) { return a.draws < b.draws; })
      ->draws;
}

namespace {

// The first `draws` numbers of column `index` of each chain.
std::vector<double> gather(const Posterior& posterior, std::vector<double> Chain::*columns,
                           std::size_t index) {
  const std::size_t draws = posterior.draws();
  std::vector<double> values;
  values.reserve(draws * posterior.chains.size());
  for (const Chain& chain : posterior.chains) {
    const double* first = (chain.*columns).data() + index * chain.draws;
    values.insert(values.end(), first, first + draws);
  }
  return values;
}

std::vector<double> gather_if_all(const Posterior& posterior, std::vector<double> Chain::*numbers) {
  for (const Chain& chain : posterior.chains)
    if ((chain.*numbers).size() != chain.draws) return {};
  return gather(posterior, numbers, 0);
}

}  // namespace

std::vector<double> Posterior::column(std::size_t index) const {
  return gather(*this, &Chain::columns, index);
}

std::vector<double> Posterior::stat(std::string_view name) const {
  const auto found = std::find(stat_names.begin(), stat_names.end(), name);
  if (found == stat_names.end()) return {};
  return gather(*this, &Chain::stats, static_cast<std::size_t>(found - stat_names.begin()));
}

std::vector<double> Posterior::log_density() const { return gather_if_all(*this, &Chain::log_density); }
std::vector<double> Posterior::log_q() const { return gather_if_all(*this, &Chain::log_q); }
std::vector<double> Posterior::log_weight() const { return gather_if_all(*this, &Chain::log_weight); }

std::vector<double> Posterior::weights() const {
  std::vector<double> weights = log_weight();
  if (weights.empty()) return weights;
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  for (double& weight : weights) weight /= sum;
  return weights;
}

stats::Chains Posterior::chains_of(const std::vector<double>& values) const {
  return {values, chains.size(), draws()};
}

}  // namespace kullback::posterior
