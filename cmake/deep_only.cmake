# The files of these modules that kullback-deep needs, for the build with LibTorch and what tools/collect_stack.sh collects
# (-DKULLBACK_DEEP_ONLY=ON); the others need Eigen, Boost or netCDF. Of base, data and shell it takes every file.
# tests/tools/deep_only_test.py holds them to it.
set(kullback_deep_only_posterior
  finding_text.cpp
  folder_lock.cpp
  json_read.cpp
  json_write.cpp
  number_text.cpp
  own_files.cpp
  posterior.cpp
  progress_log.cpp
  run_folder.cpp
  run_options.cpp
  run_record.cpp
  separation.cpp
  summary.cpp
  summary_text.cpp
)
set(kullback_deep_only_stats
  autocovariance.cpp
  e_bfmi.cpp
  ess.cpp
  halves.cpp
  ksd.cpp
  loo.cpp
  mcse.cpp
  moments.cpp
  normal_scores.cpp
  pareto.cpp
  psis.cpp
  radial_kernel.cpp
  ranks.cpp
  rhat.cpp
  summary.cpp
  sums.cpp
  t_quantile.cpp
  uniformity.cpp
)
list(TRANSFORM kullback_deep_only_posterior PREPEND "${PROJECT_SOURCE_DIR}/src/posterior/")
list(TRANSFORM kullback_deep_only_stats PREPEND "${PROJECT_SOURCE_DIR}/src/stats/")
