// Verbs that work on folders of several kinds: what run.json says the folder holds decides who does the work.
#pragma once

#include <string_view>

#include "deep/cli/verb.hpp"
#include "run/kinds.hpp"

namespace kullback::deep::cli {

// Adds the verb's options for folders of the kind, and says what it is for.
using AddOnFolder = Run (*)(const Command& verb);

struct FolderVerbs {
  run::Kind kind;
  AddOnFolder sample = nullptr;  // null: the verb is not for this kind
  AddOnFolder loglik = nullptr;
  AddOnFolder restore = nullptr;
  std::string_view instead_of_loglik = {};  // a hint where there is none
};

}  // namespace kullback::deep::cli
