# What compiles with the standard library alone, for machines where only LibTorch, g++ and CMake exist
# (-DKULLBACK_DEEP_ONLY=ON): of base and of data (with KULLBACK_NO_ZLIB) every file, of these modules the files named.
# tests/tools/deep_only_test.py holds the lists to it.
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
