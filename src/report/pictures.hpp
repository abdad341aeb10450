// PNG files of a result, to be shown by kb.pictures.
#pragma once

#include <span>
#include <string>

#include "report/result.hpp"

namespace kullback::report {

struct PictureFile {
  std::string file;
  std::string title;
  std::string alt;  // what is seen, in words
};

// A JSON array of those that are there, each with `png` (base64), or `bytes` where it is too large for a
// page. What is no PNG is left out. "[]" where none is.
std::string pictures_json(const Result& result, std::span<const PictureFile> files);

}  // namespace kullback::report
