// Two covariates, one of them missing for some: the missing values are parameters.
data {
  int<lower=0> N, M;
  vector[N] age, outcome;
  array[N - M] int<lower=1, upper=N> known;
  array[M] int<lower=1, upper=N> unknown;
  vector[N - M] income_known;
}
parameters {
  real intercept, age_slope, income_slope;
  real<lower=0> sigma;
  real income_base, income_by_age;
  real<lower=0> income_sd;
  vector[M] income_unknown;
}
model {
  intercept ~ normal(0, 2);
  age_slope ~ normal(0, 1);
  income_slope ~ normal(0, 1);
  sigma ~ exponential(1);
  income_base ~ normal(0, 2);
  income_by_age ~ normal(0, 1);
  income_sd ~ exponential(1);
  vector[N] income;
  income[known] = income_known;
  income[unknown] = income_unknown;
  income ~ normal(income_base + income_by_age * age, income_sd);
  outcome ~ normal(intercept + age_slope * age + income_slope * income, sigma);
}
