#include "cli/rewrite.hpp"
#include "cli/verb.hpp"

namespace kullback::cli {

Run add_modernize(CLI::App& verb) { return add_rewrite(verb, Rewrite::modernize); }

}  // namespace kullback::cli
