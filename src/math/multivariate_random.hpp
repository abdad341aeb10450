// Random vectors, matrices and categories: the `_rng` functions of multivariate distributions. Matrices are
// column-major and square ones are given without their size; categories count from 1 and ints are doubles.
// Arguments that Stan refuses throw std::domain_error (values) or std::invalid_argument (sizes).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback {
class Random;
}

namespace kullback::math {

using Numbers = std::span<const double>;

std::vector<double> draw_multi_normal(Random& random, Numbers location, Numbers covariance);
std::vector<double> draw_multi_normal_cholesky(Random& random, Numbers location, Numbers factor);
std::vector<double> draw_multi_normal_prec(Random& random, Numbers location, Numbers precision);
std::vector<double> draw_multi_student_t(Random& random, double nu, Numbers location, Numbers scale);
std::vector<double> draw_multi_student_t_cholesky(Random& random, double nu, Numbers location,
                                                  Numbers factor);

std::vector<double> draw_wishart(Random& random, double nu, Numbers scale);
std::vector<double> draw_wishart_cholesky(Random& random, double nu, Numbers scale_factor);
std::vector<double> draw_inv_wishart(Random& random, double nu, Numbers scale);
std::vector<double> draw_inv_wishart_cholesky(Random& random, double nu, Numbers scale_factor);
std::vector<double> draw_lkj_corr(Random& random, std::size_t size, double eta);
std::vector<double> draw_lkj_corr_cholesky(Random& random, std::size_t size, double eta);

std::vector<double> draw_dirichlet(Random& random, Numbers alpha);
double draw_categorical(Random& random, Numbers probabilities);
double draw_categorical_logit(Random& random, Numbers log_odds);
std::vector<double> draw_multinomial(Random& random, Numbers probabilities, double trials);
std::vector<double> draw_multinomial_logit(Random& random, Numbers log_odds, double trials);
std::vector<double> draw_dirichlet_multinomial(Random& random, Numbers alpha, double trials);
double draw_ordered_logistic(Random& random, double location, Numbers cuts);
double draw_ordered_probit(Random& random, double location, Numbers cuts);

// One outcome for each intercept; x has as many rows, or one for all.
std::vector<double> draw_bernoulli_logit_glm(Random& random, Numbers x, Numbers alpha, Numbers beta);
// A path of hidden states given log_omegas (states x times), transition probabilities by rows, and the first
// state's probabilities.
std::vector<double> draw_hmm_latent(Random& random, Numbers log_omegas, Numbers transitions, Numbers first);

}  // namespace kullback::math
