// Verbs that work on folders of several kinds: what run.json says the folder holds decides who does the work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kullback::deep::cli {

// Gets the words after the verb, the folder among them.
using RunOnFolder = int (*)(const std::vector<std::string>& words);

struct KindRecord {
  std::string_view name;         // as in run.json: "vae"
  std::string_view what;         // "an autoencoder"
  std::string_view verb;         // that makes it: "kullback vae"
  RunOnFolder sample = nullptr;  // null: the verb is not for this kind
  RunOnFolder loglik = nullptr;
  RunOnFolder restore = nullptr;
  std::string_view instead_of_loglik = {};  // a hint where there is none
};

}  // namespace kullback::deep::cli
