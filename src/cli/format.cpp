#include "cli/rewrite.hpp"
#include "cli/verb.hpp"

namespace kullback::cli {

Run add_format(const Command& verb) { return add_rewrite(verb, Rewrite::format); }

}  // namespace kullback::cli
