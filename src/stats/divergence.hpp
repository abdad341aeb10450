// Divergences between two distributions p and q, in nats. docs/divergences.md says which to prefer.
//
// stats/divergence/families.hpp: closed forms, of Gaussians, gamma, beta, Dirichlet, Poisson distributions
// and probability vectors.
//
// stats/divergence/densities.hpp: distributions on the line given by their log densities, by quadrature.
//
// stats/divergence/draws.hpp: log p and log q at draws of p, Monte Carlo estimates with standard errors.
//
// stats/divergence/samples.hpp: two samples and no density; Wasserstein, sliced Wasserstein, MMD.
//
// stats/divergence/marginal.hpp, joint.hpp: two samples of draws, chains too, against what two samples of one
// distribution would show: noise, intervals and p-values, by quantity and in all coordinates together.
//
// Conventions, the same everywhere:
//
// KL(p, q) = E_p[log(p / q)]; the reverse one is KL(q, p).
//
// Renyi = log(int p^a q^(1-a)) / (a - 1), as van Erven and Harremoes (2014): a = 1 is KL(p, q), a = 0 is
// -log Q(p > 0), a = inf is log sup p / q; at a < 0 it is a / (1 - a) times the order 1 - a of (q, p), and
// not positive, as in Li and Turner (2016).
//
// alpha = (1 - int p^a q^(1-a)) / (a (1 - a)), as Minka (2005) and Cichocki and Amari (2010): a = 1 is
// KL(p, q), a = 0 KL(q, p), a = 1/2 4 H^2, a = 2 half of chi^2. Amari's own is 1 - 2 a, that of Bishop's
// (10.19) 2 a - 1: see amari_order.
//
// beta = int p (p^b - q^b) / b - (p^(b+1) - q^(b+1)) / (b + 1), as Mihoko and Eguchi (2002): b = 0 is
// KL(p, q), b = 1 half of int (p - q)^2, b = -1 Itakura-Saito's. The density power divergence of Basu et al.
// (1998) is (1 + b) times it; the beta of Fevotte and Idier (2011) is b + 1.
//
// chi, order n = E_q[(p / q)^n] - 1, as Dieng et al. (2017), n > 1: n = 2 is Pearson's chi^2. (Vajda's of
// higher order, int |p - q|^n / q^(n-1), is another one.)
//
// Hellinger = H, H^2 = 1 - int sqrt(p q), so that 0 <= H <= 1. Bhattacharyya = -log(1 - H^2).
//
// Jensen-Shannon = KL(p, m) / 2 + KL(q, m) / 2, m = (p + q) / 2: at most log 2. (SciPy's is its square root.)
//
// total variation = int |p - q| / 2: at most 1.
//
// Cauchy-Schwarz = -log(int p q / sqrt(int p^2 int q^2)), as Principe (2010), without his square.
//
// Wasserstein, order k = inf over couplings of E[|x - y|^k]^(1/k).
//
// MMD^2 = E k(x, x') + E k(y, y') - 2 E k(x, y).
//
// An infinite divergence is infinity, never NaN. Parameters that no distribution has throw an Error of kind
// bad_input; a function called with an order or option outside its range throws one of kind usage.
#pragma once

#include "stats/divergence/densities.hpp"
#include "stats/divergence/draws.hpp"
#include "stats/divergence/families.hpp"
#include "stats/divergence/joint.hpp"
#include "stats/divergence/marginal.hpp"
#include "stats/divergence/samples.hpp"
