// Folders of results, written by hand, for the tests.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/file.hpp"
#include "posterior/files.hpp"
#include "posterior/summary.hpp"
#include "run/record.hpp"
#include "tests/posterior/made_posterior.hpp"

namespace kullback::report {

// Removed with the object.
class MadeFolder final {
 public:
  MadeFolder() {
    static int serial = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("kullback-report-" + std::to_string(::getpid()) + "-" + std::to_string(++serial));
    std::filesystem::create_directories(path_);
  }
  ~MadeFolder() { std::filesystem::remove_all(path_); }
  MadeFolder(const MadeFolder&) = delete;
  MadeFolder& operator=(const MadeFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const { write_file(path_ / name, text); }
  void write(const run::RunRecord& record) const { write("run.json", run::to_json(record)); }

 private:
  std::filesystem::path path_;
};

inline run::RunRecord nuts_record(const posterior::Posterior& posterior) {
  run::RunRecord record;
  record.method = "nuts";
  record.version = "0.1.0";
  record.program = "/home/a/schools.stan";
  record.seed = 7;
  record.chains = posterior.chains.size();
  record.parameters = posterior.parameters;
  record.generated = posterior.generated;
  record.status = "complete";
  return record;
}

inline void write_chains(const MadeFolder& folder, const posterior::Posterior& posterior,
                         const run::RunRecord& record) {
  for (std::size_t c = 0; c < posterior.chains.size(); ++c)
    folder.write("chain-" + std::to_string(c + 1) + ".csv", posterior::csv_text(posterior, c, record));
}

// As 'kullback fit' leaves it, of Markov chains.
inline void write_fit(const MadeFolder& folder, const posterior::Posterior& posterior,
                      run::RunRecord record) {
  write_chains(folder, posterior, record);
  folder.write("summary.json",
               posterior::to_json(posterior::Summary{posterior::summarize(posterior, true), {}}));
  folder.write("model.stan", "parameters { real mu; }\nmodel { mu ~ normal(0, 1); }\n");
  folder.write(record);
}

}  // namespace kullback::report
