#include "cli/rewrite.hpp"
#include "cli/verb.hpp"

namespace kullback::cli {

Run add_modernize(const Command& verb) { return add_rewrite(verb, Rewrite::modernize); }

}  // namespace kullback::cli
