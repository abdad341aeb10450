# Called by make_references.py: Rscript references.R FOLDER reads FOLDER/jobs.csv and arrays, writes FOLDER/results.txt.
suppressMessages({ library(posterior); library(loo) })
stopifnot(packageVersion("posterior") >= "1.7", packageVersion("loo") >= "2.10")
folder <- commandArgs(trailingOnly = TRUE)[1]
jobs <- read.csv(file.path(folder, "jobs.csv"))
out <- file(file.path(folder, "results.txt"), "w")

# max() of no tail that could be fitted is -Inf.
larger_tail <- function(khat) if (is.infinite(khat) && khat < 0) NaN else khat
say <- function(job, quantity, value) {
  cat(job$name, quantity, sprintf("%.17g", as.numeric(value)), "\n", file = out)
}
read_values <- function(name, count) readBin(file.path(folder, paste0(name, ".bin")), "double", count)
quiet <- function(x) suppressMessages(suppressWarnings(x))

of_chains <- function(job) {
  x <- matrix(read_values(job$name, job$chains * job$draws), job$draws, job$chains)
  q <- quantile(x, c(0.05, 0.5, 0.95), names = FALSE)
  v <- quiet(list(
    mean = mean(x), sd = sd(x), q5 = q[1], q50 = q[2], q95 = q[3],
    rhat = rhat(x), rhat_basic = rhat_basic(x), ess_bulk = ess_bulk(x), ess_tail = ess_tail(x),
    ess_mean = ess_mean(x), ess_sd = ess_sd(x), ess_q10 = ess_quantile(x, 0.1), ess_q100 = ess_quantile(x, 1),
    mcse_mean = mcse_mean(x), mcse_sd = mcse_sd(x),
    mcse_q5 = mcse_quantile(x, 0.05), mcse_q50 = mcse_quantile(x, 0.5),
    nested_1 = rhat_nested(x, seq_len(job$chains)),
    nested_2 = if (job$chains %% 2 == 0) rhat_nested(x, rep(seq_len(job$chains / 2), each = 2)) else NaN,
    khat = larger_tail(pareto_khat(x)), khat_one_chain = larger_tail(pareto_khat(as.vector(x)))
  ))
  for (name in names(v)) say(job, name, v[[name]])
}

of_weights <- function(job) {
  lw <- read_values(job$name, job$draws)
  p <- quiet(psis(lw, r_eff = job$efficiency))
  w <- as.vector(weights(p, log = TRUE, normalize = TRUE))
  say(job, "khat", p$diagnostics$pareto_k)
  say(job, "ess", p$diagnostics$n_eff)
  say(job, "first", w[1])
  say(job, "largest", w[which.max(lw)])
  say(job, "tilted", sum(exp(w) * seq_along(w)))
}

of_loo <- function(job) {
  size <- job$chains * job$draws
  ll <- array(read_values("log_lik", size * job$observations), c(job$draws, job$chains, job$observations))
  y <- read_values("y", job$observations)
  yrep <- matrix(read_values("predictive", size * job$observations), size, job$observations)
  efficiency <- relative_eff(exp(ll))
  a <- quiet(loo(ll, r_eff = efficiency, save_psis = TRUE))
  b <- quiet(loo(ll / 2, r_eff = relative_eff(exp(ll / 2))))
  e <- a$estimates
  say(job, "elpd", e["elpd_loo", "Estimate"])
  say(job, "elpd_se", e["elpd_loo", "SE"])
  say(job, "p_loo", e["p_loo", "Estimate"])
  say(job, "p_loo_se", e["p_loo", "SE"])
  d <- a$pointwise[, "elpd_loo"] - b$pointwise[, "elpd_loo"]
  say(job, "difference", sum(d))
  say(job, "difference_se", sqrt(length(d)) * sd(d))
  w <- weights(a$psis_object, log = FALSE)
  for (n in seq_len(job$observations)) {
    say(job, paste0("elpd_", n), a$pointwise[n, "elpd_loo"])
    say(job, paste0("khat_", n), a$diagnostics$pareto_k[n])
    say(job, paste0("pit_", n), sum(w[yrep[, n] < y[n], n]) + sum(w[yrep[, n] == y[n], n]) / 2)
  }
}

for (row in seq_len(nrow(jobs))) {
  job <- jobs[row, ]
  switch(job$kind, chains = of_chains(job), weights = of_weights(job), loo = of_loo(job))
}
close(out)
