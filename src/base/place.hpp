// How messages name a place in a source text.
#pragma once

#include <string>

#include "base/source.hpp"

namespace kullback {

// "model.stan:12:3": where the span begins.
std::string place_text(const SourceMap& sources, Span span);

}  // namespace kullback
