// The verbs that read a program and print it anew.
#pragma once

#include "cli/verb.hpp"

namespace kullback::cli {

enum class Rewrite { format, modernize };

Run add_rewrite(const Command& verb, Rewrite what);

}  // namespace kullback::cli
