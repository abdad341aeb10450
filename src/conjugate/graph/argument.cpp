#include "base/error.hpp"
#include "conjugate/graph/graph.hpp"

namespace kullback::conjugate {
namespace {

constexpr std::size_t kNone = Argument::kNone;

bool is_number(const Argument::Product& product) { return product.a.node == kNone; }

const Argument::Product& single(const Argument& argument, const char* what) {
  const auto& products = argument.products();
  if (products.size() != 1 || products[0].b.node != kNone) {
    throw Error(ErrorKind::bad_input,
                std::string(what) + " of sums or products is not in the family of linear combinations",
                "multiply out, or name the part as a node of its own");
  }
  return products[0];
}

Argument scaled(const Argument& argument, double scale) {
  std::vector<Argument::Product> products = argument.products();
  for (Argument::Product& product : products) product.scale *= scale;
  return Argument(std::move(products));
}

}  // namespace

Selected Node::operator[](Node by) const { return {*this, by}; }

Argument operator+(const Argument& a, const Argument& b) {
  std::vector<Argument::Product> products = a.products();
  products.insert(products.end(), b.products().begin(), b.products().end());
  return Argument(std::move(products));
}

Argument operator-(const Argument& a, const Argument& b) { return a + scaled(b, -1); }

Argument operator*(const Argument& a, const Argument& b) {
  if (a.products().size() == 1 && is_number(a.products()[0])) return scaled(b, a.products()[0].scale);
  if (b.products().size() == 1 && is_number(b.products()[0])) return scaled(a, b.products()[0].scale);
  const Argument::Product& first = single(a, "a product");
  const Argument::Product& second = single(b, "a product");
  return Argument(std::vector<Argument::Product>{{first.scale * second.scale, first.a, second.a}});
}

Argument dot(const Argument& a, const Argument& b) {
  const Argument::Product& first = single(a, "an inner product");
  const Argument::Product& second = single(b, "an inner product");
  if (is_number(first) || is_number(second))
    throw Error(ErrorKind::bad_input, "an inner product of a number",
                "dot() takes two nodes that are vectors");
  return Argument(std::vector<Argument::Product>{{first.scale * second.scale, first.a, second.a, true}});
}

}  // namespace kullback::conjugate
