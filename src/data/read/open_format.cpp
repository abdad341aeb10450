#include "data/read/open_format.hpp"

#include "data/read/detect.hpp"
#include "data/read/fault.hpp"

namespace kullback::data {

std::unique_ptr<Format> open_format(const SourceRequest& request,
                                    const std::vector<std::filesystem::path>& files) {
  if (request.kind != DataKind::documents) return make_table_format(request, files);
  switch (document_format(files.front(), request.ignored)) {
    case DocumentFormat::lda_c: return make_lda_c_format(request);
    case DocumentFormat::numbered: return make_numbered_triplets(request);
    case DocumentFormat::named: return make_named_triplets(request);
    case DocumentFormat::dense: break;
  }
  if (!request.vocabulary.empty())
    throw Error(ErrorKind::usage,
                request.vocabulary.string() + ": " + files.front().string() +
                    " has a column for each word, and the first line names them.",
                "Leave the vocabulary out.");
  return make_table_format(request, files);
}

}  // namespace kullback::data
