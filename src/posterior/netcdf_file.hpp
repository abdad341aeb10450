// A netCDF-4 file that is made in memory, by a library that is opened at the first use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kullback::posterior {

enum class NumberType { real, whole, truth };

// Numbers in row-major order; the dims are named as xarray wants them.
struct NetcdfVariable {
  std::string name;
  std::vector<std::string> dims;
  NumberType type = NumberType::real;
};

// Opens the library, at the first call, in a thread of its own: with all it brings that takes 10 ms, as long
// as a small fit. Until then no other thread can be made.
void begin_loading_netcdf();

// All functions throw Error cannot_write.
class NetcdfFile final {
 public:
  NetcdfFile();
  ~NetcdfFile();
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  int add_group(const std::string& name);
  // With its coordinates 0, 1, ...
  void add_dimension(int group, const std::string& name, std::size_t size);
  void add_variable(int group, const NetcdfVariable& variable, std::vector<double> numbers);
  // Of very many numbers: they are read and written some kPiece at a time.
  struct Numbers {
    std::vector<std::size_t> dims;
    std::function<void(std::size_t first, std::span<double> to)> read;
  };
  static constexpr std::size_t kPiece = std::size_t{1} << 17;  // 1 MB
  void add_variable(int group, const NetcdfVariable& variable, const Numbers& numbers);
  void add_attribute(int group, const std::string& name, const std::string& text);
  void add_attribute(int group, const std::string& name, double number);
  std::string finish();  // the bytes of the file

 private:
  void check(int status) const;
  [[noreturn]] void refuse(const std::string& why) const;
  int define(int group, const NetcdfVariable& variable) const;
  void write_waiting();
  void write_pieces(int group, int id, NumberType type, const Numbers& numbers);

  // Each turn from definitions to numbers flushes the file: numbers wait until there are many.
  struct Waiting {
    int group;
    int id;
    NumberType type;
    std::vector<double> numbers;
  };

  int file_ = 0;
  bool is_open_ = false;
  std::vector<Waiting> waiting_;
  std::size_t waiting_numbers_ = 0;
};

}  // namespace kullback::posterior
