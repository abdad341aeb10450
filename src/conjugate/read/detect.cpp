#include "conjugate/read/detect.hpp"

#include "conjugate/read/bytes.hpp"
#include "conjugate/read/npy_header.hpp"

namespace kullback::conjugate {

bool is_numpy(const std::filesystem::path& file) { return first_bytes(file, kNpyMagic.size()) == kNpyMagic; }

void refuse_empty(const Where& where) {
  refuse_at(where, "the document has no words",
            "Delete it, or keep documents without words with --allow-empty.");
}

}  // namespace kullback::conjugate
