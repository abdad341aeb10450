// The certificate of draws on disk: of an earlier fit, or of another program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "certify/certificate.hpp"
#include "fit/loaded_model.hpp"
#include "fit/request.hpp"

namespace kullback::fit {

struct CertifyRequest {
  std::filesystem::path
      draws;  // the folder of a fit, or a CSV file with columns of the parameters and log_q__
  double tolerance = kDefaultTolerance;
  std::uint64_t seed = 0;
  std::size_t threads = 0;
  bool wasserstein = false;   // bounds on distances by coupled chains
  std::filesystem::path out;  // the file of the certificate
  std::function<bool()> should_stop = [] { return false; };
};

struct CertifiedDraws {
  certify::Certificate certificate;
  std::filesystem::path weights;  // file with the log weights, where the reweighted draws are certified
  bool is_stopped = false;
};

// Draws with log q are judged as those of an approximation, chains by themselves. Writes the certificate.
// Throws Error where the draws are neither, or do not fit the model.
CertifiedDraws certify_draws(const CertifyRequest& request, const LoadedModel& model);

}  // namespace kullback::fit
