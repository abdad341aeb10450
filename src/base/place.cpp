#include "base/place.hpp"

namespace kullback {

std::string place_text(const SourceMap& sources, Span span) {
  const Position at = sources.position(span.file, span.begin);
  return std::string(sources.name(span.file)) + ":" + std::to_string(at.line) + ":" +
         std::to_string(at.column);
}

}  // namespace kullback
