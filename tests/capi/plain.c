/* The header is plain C: compiled by install_test.sh as C99, with all warnings as errors. */
#include <kullback.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  const char* program = "parameters { real<lower=0> x; } model { x ~ exponential(2); }";
  const double theta[2] = {0.0, 1.0};
  double value[2], gradient[2];
  kb_status status[2];
  kb_model* model = NULL;
  kb_error* error = NULL;
  if (kb_abi() != KB_ABI) return 1;
  if (kb_model_new(program, "x.stan", NULL, NULL, &model, &error) != KB_OK) return 2;
  if (kb_model_log_density(model, 2, theta, 1, 1, value, gradient, status, &error) != KB_OK) return 3;
  /* log 2 - 2 exp(theta) + theta and its derivative */
  if (fabs(value[0] - (log(2.0) - 2)) > 1e-14 || fabs(gradient[1] - (1 - 2 * exp(1.0))) > 1e-14) return 4;
  if (status[0] != KB_OK || status[1] != KB_OK) return 5;
  kb_model_free(model);
  if (kb_model_new("parameters { real x }", "x.stan", NULL, NULL, &model, &error) != KB_BAD_INPUT) return 6;
  printf("%s", kb_error_text(error));
  kb_error_free(error);
  return model == NULL ? 0 : 7;
}
