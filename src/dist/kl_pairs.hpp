// The functions behind the table of kl.cpp.
#pragma once

#include "dist/dist.hpp"

namespace kullback::dist {

#define KULLBACK_KL(P, Q) Tensor kl(const P& p, const Q& q);
#define KULLBACK_KL_INFINITE(P, Q)
#include "dist/kl_pairs.def"
#undef KULLBACK_KL
#undef KULLBACK_KL_INFINITE

}  // namespace kullback::dist
