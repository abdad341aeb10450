// Random integers, as doubles.
#pragma once

namespace kullback {
class Random;
}

namespace kullback::math {

double draw_poisson(Random& random, double rate);  // rate >= 0; NaN where it is not below 2^53
double draw_binomial(Random& random, double trials, double probability);
// Marked among `draws` taken without replacement from `marked` + `unmarked`.
double draw_hypergeometric(Random& random, double draws, double marked, double unmarked);
double draw_beta(Random& random, double a, double b);

}  // namespace kullback::math
