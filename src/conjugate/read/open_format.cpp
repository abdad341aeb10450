#include "conjugate/read/open_format.hpp"

namespace kullback::conjugate {

std::unique_ptr<Format> open_format(const SourceRequest& request,
                                    const std::vector<std::filesystem::path>& files) {
  return make_table_format(request, files);
}

}  // namespace kullback::conjugate
