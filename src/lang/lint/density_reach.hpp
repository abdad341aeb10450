// Which variables reach the log density, and which of them through a term that may be their prior.
#pragma once

namespace kullback::lang {

struct Facts;

// Fills reaches_density, has_prior, in_free_term and has_density_terms.
void mark_density_reach(Facts& facts);

}  // namespace kullback::lang
