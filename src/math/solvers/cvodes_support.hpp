// What the forward and the adjoint solver with CVODES share.
#pragma once

#include <cvodes/cvodes.h>

#include <string_view>

#include "math/solvers/sundials_support.hpp"

namespace kullback::math::sundials {

class Cvodes final {
 public:
  Cvodes(int multistep, SUNContext context, std::string_view function);
  ~Cvodes();
  Cvodes(const Cvodes&) = delete;
  Cvodes& operator=(const Cvodes&) = delete;
  operator void*() const { return memory_; }

  // Stan's settings.
  void set_options(long max_num_steps, void* user_data);
  // Throws std::domain_error (or what a callback threw) where `flag` says that `call` failed.
  void require(int flag, std::string_view call, const Kept& kept) const;
  void require_step(int flag, double time, const Kept& kept) const;

 private:
  void* memory_;
  std::string_view function_;
};

}  // namespace kullback::math::sundials
