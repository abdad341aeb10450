#include "math/solvers/sundials_support.hpp"

#include <new>

namespace kullback::math::sundials {

Context::Context() {
  if (SUNContext_Create(nullptr, &context_) != 0) throw std::bad_alloc();
}
Context::~Context() { SUNContext_Free(&context_); }

Vector::Vector(std::size_t size, double* numbers, SUNContext context)
    : Vector(BlockVector{numbers, size, size}, context) {}

Vector::Vector(const BlockVector& numbers, SUNContext context)
    : vector_(make_block_vector(numbers, context)) {
  if (vector_ == nullptr) throw std::bad_alloc();
}
Vector::~Vector() { N_VDestroy(vector_); }

Vectors::Vectors(std::size_t count, std::size_t size, double* numbers, SUNContext context) {
  for (std::size_t k = 0; k < count; ++k)
    vectors_.push_back(owned_.emplace_back(size, numbers + k * size, context));
}

void silent_error_handler(int, const char*, const char*, char*, void*) {}

}  // namespace kullback::math::sundials
