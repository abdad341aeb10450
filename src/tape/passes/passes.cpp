#include "tape/passes/passes.hpp"

namespace kullback::tape {

std::span<const Pass> all_passes() {
  static constexpr Pass kPasses[] = {
      {"drop_unused", drop_unused, true},
      {"scalarize", scalarize},
      {"simplify", simplify, true},
      {"share_eigendecompositions", share_eigendecompositions},
      {"rewrite_densities", rewrite_densities},
      {"fuse_glm", fuse_glm},
      {"collapse_normals", collapse_normals},
      {"reassociate", reassociate},
      {"fuse_multiply_add", fuse_multiply_add, true},
  };
  return kPasses;
}

}  // namespace kullback::tape
