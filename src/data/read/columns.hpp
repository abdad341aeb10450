// Which columns of a table are wanted, and where they go.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "data/source.hpp"

namespace kullback::data {

inline constexpr std::size_t kSkipped = static_cast<std::size_t>(-1);
inline constexpr std::size_t kSequenceKey = static_cast<std::size_t>(-2);

class Columns final {
 public:
  // From the columns of the first file. Throws Error where the request names a column that is not there, or
  // `like` one.
  Columns(const SourceRequest& request, const std::filesystem::path& file,
          const std::vector<std::string>& fields);

  // Of the cells of a row, the target last.
  const std::vector<std::string>& names() const { return names_; }
  bool has_target() const { return has_target_; }
  // For each field of a file the cell it becomes, or kSkipped or kSequenceKey. Throws Error where the file
  // does not have the columns of the first.
  std::vector<std::size_t> cells_of(const std::filesystem::path& file,
                                    const std::vector<std::string>& fields) const;

 private:
  void choose_like(const SourceRequest& request, const std::filesystem::path& file);

  std::vector<std::string> fields_;  // of the first file
  std::filesystem::path first_file_;
  std::vector<std::string> names_;
  std::string sequence_;
  bool has_target_ = false;
  bool ignores_others_ = false;
  bool may_lack_target_ = false;
};

// Names as a header must have them: there, all different, and not numbers. Throws Error.
void check_names(const std::filesystem::path& file, const std::vector<std::string>& names);

}  // namespace kullback::data
