// kullback::dist: probability distributions on LibTorch tensors. This is the header to include.
//
//   dist::Normal prior(0.0, 1.0);
//   dist::Normal posterior(mean, scale);          // tensors
//   auto z = posterior.rsample({16});             // differentiable
//   auto loss = dist::kl_divergence(posterior, prior).sum() -
//   dist::Bernoulli(dist::Logits{net(z)}).log_prob(x).sum();
//
// docs/torch_distributions.md is its page.
#pragma once

#include "dist/bernoulli.hpp"
#include "dist/beta.hpp"
#include "dist/categorical.hpp"
#include "dist/cauchy.hpp"
#include "dist/constraint.hpp"
#include "dist/dirichlet.hpp"
#include "dist/distribution.hpp"
#include "dist/exponential.hpp"
#include "dist/gamma.hpp"
#include "dist/gumbel.hpp"
#include "dist/half_cauchy.hpp"
#include "dist/half_normal.hpp"
#include "dist/independent.hpp"
#include "dist/kl.hpp"
#include "dist/laplace.hpp"
#include "dist/log_normal.hpp"
#include "dist/low_rank_multivariate_normal.hpp"
#include "dist/matrix_normal.hpp"
#include "dist/mixture.hpp"
#include "dist/multivariate_normal.hpp"
#include "dist/negative_binomial.hpp"
#include "dist/normal.hpp"
#include "dist/one_hot_categorical.hpp"
#include "dist/poisson.hpp"
#include "dist/relaxed_bernoulli.hpp"
#include "dist/relaxed_categorical.hpp"
#include "dist/student_t.hpp"
#include "dist/transform.hpp"
#include "dist/transformed.hpp"
#include "dist/uniform.hpp"
#include "dist/von_mises.hpp"
