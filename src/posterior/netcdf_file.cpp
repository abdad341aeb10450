// The library is no dependency of the program: it is opened when a file is written, and brings HDF5 and more
// only then. netcdf.h gives the types and constants.
#include "posterior/netcdf_file.hpp"

#include <dlfcn.h>
#include <netcdf.h>
#include <netcdf_mem.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/try_thread.hpp"

namespace kullback::posterior {

namespace {

constexpr std::size_t kFirstBytes = 1 << 16;

struct Library {
  decltype(&nc_create_mem) create_mem;
  decltype(&nc_abort) abort;
  decltype(&nc_close_memio) close_memio;
  decltype(&nc_def_grp) def_grp;
  decltype(&nc_def_dim) def_dim;
  decltype(&nc_inq_dimid) inq_dimid;
  decltype(&nc_def_var) def_var;
  decltype(&nc_put_att_text) put_att_text;
  decltype(&nc_put_att_double) put_att_double;
  decltype(&nc_put_var_double) put_var_double;
  decltype(&nc_put_var_longlong) put_var_longlong;
  decltype(&nc_put_var_schar) put_var_schar;
  decltype(&nc_put_vara_double) put_vara_double;
  decltype(&nc_put_vara_longlong) put_vara_longlong;
  decltype(&nc_set_fill) set_fill;
  decltype(&nc_strerror) strerror;
  std::string problem;  // empty where all functions were found
};

template <class Function>
void find(void* handle, const char* name, Function& function, std::string& problem) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) problem = std::string("the netCDF library has no function ") + name;
}

void* open_library() {
  for (const char* name : {"libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so.18", "libnetcdf.so.15",
                           "libnetcdf.so.13", "libnetcdf.so"}) {
    if (void* const handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return handle;
  }
  return nullptr;
}

Library load() {
  Library library{};
  void* const handle = open_library();
  if (handle == nullptr) {
    library.problem = "there is no netCDF library (libnetcdf.so) on this machine";
    return library;
  }
  find(handle, "nc_create_mem", library.create_mem, library.problem);
  find(handle, "nc_abort", library.abort, library.problem);
  find(handle, "nc_close_memio", library.close_memio, library.problem);
  find(handle, "nc_def_grp", library.def_grp, library.problem);
  find(handle, "nc_def_dim", library.def_dim, library.problem);
  find(handle, "nc_inq_dimid", library.inq_dimid, library.problem);
  find(handle, "nc_def_var", library.def_var, library.problem);
  find(handle, "nc_put_att_text", library.put_att_text, library.problem);
  find(handle, "nc_put_att_double", library.put_att_double, library.problem);
  find(handle, "nc_put_var_double", library.put_var_double, library.problem);
  find(handle, "nc_put_var_longlong", library.put_var_longlong, library.problem);
  find(handle, "nc_put_var_schar", library.put_var_schar, library.problem);
  find(handle, "nc_put_vara_double", library.put_vara_double, library.problem);
  find(handle, "nc_put_vara_longlong", library.put_vara_longlong, library.problem);
  find(handle, "nc_set_fill", library.set_fill, library.problem);
  find(handle, "nc_strerror", library.strerror, library.problem);
  return library;
}

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

nc_type type_code(NumberType type) {
  switch (type) {
    case NumberType::real: return NC_DOUBLE;
    case NumberType::whole: return NC_INT64;
    case NumberType::truth: return NC_BYTE;
  }
  return NC_DOUBLE;
}

template <class Number>
std::vector<Number> converted(const std::vector<double>& numbers) {
  std::vector<Number> result;
  result.reserve(numbers.size());
  for (const double number : numbers) result.push_back(static_cast<Number>(number));
  return result;
}

}  // namespace

void begin_loading_netcdf() {
  // Made once, whichever of several fits is first.
  static const std::vector<std::jthread> loader = [] {
    std::vector<std::jthread> threads;
    try_start(threads, [] { library(); });
    return threads;
  }();
}

NetcdfFile::NetcdfFile() {
  if (!library().problem.empty())
    throw Error(
        ErrorKind::cannot_write, "the netCDF file cannot be made: " + library().problem + ".",
        "Install Debian's libnetcdf19, or what your system calls it; the CSV files hold the same draws.");
  check(library().create_mem("posterior.nc", NC_CLOBBER | NC_NETCDF4, kFirstBytes, &file_));
  is_open_ = true;
  int before = 0;
  check(library().set_fill(file_, NC_NOFILL, &before));
}

NetcdfFile::~NetcdfFile() {
  if (is_open_) library().abort(file_);
}

void NetcdfFile::refuse(const std::string& why) const {
  throw Error(ErrorKind::cannot_write, "the netCDF file cannot be made: " + why + ".",
              "The CSV files hold the same draws.");
}

void NetcdfFile::check(int status) const {
  if (status != NC_NOERR) refuse(library().strerror(status));
}

int NetcdfFile::add_group(const std::string& name) {
  int group = 0;
  check(library().def_grp(file_, name.c_str(), &group));
  return group;
}

int NetcdfFile::define(int group, const NetcdfVariable& variable) const {
  std::vector<int> dims(variable.dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i)
    check(library().inq_dimid(group, variable.dims[i].c_str(), &dims[i]));
  int id = 0;
  check(library().def_var(group, variable.name.c_str(), type_code(variable.type),
                          static_cast<int>(dims.size()), dims.data(), &id));
  return id;
}

void NetcdfFile::add_dimension(int group, const std::string& name, std::size_t size) {
  int id = 0;
  check(library().def_dim(group, name.c_str(), size, &id));
  std::vector<double> coordinates(size);
  for (std::size_t i = 0; i < size; ++i) coordinates[i] = static_cast<double>(i);
  add_variable(group, {name, {name}, NumberType::whole}, std::move(coordinates));
}

void NetcdfFile::add_variable(int group, const NetcdfVariable& variable, std::vector<double> numbers) {
  const int id = define(group, variable);
  if (variable.type == NumberType::truth) check(library().put_att_text(group, id, "dtype", 4, "bool"));
  if (numbers.empty()) return;
  waiting_numbers_ += numbers.size();
  waiting_.push_back({group, id, variable.type, std::move(numbers)});
  constexpr std::size_t kManyNumbers = 8'000'000;  // 64 MB
  if (waiting_numbers_ > kManyNumbers) write_waiting();
}

void NetcdfFile::add_variable(int group, const NetcdfVariable& variable, const Numbers& numbers) {
  const int id = define(group, variable);
  write_waiting();
  write_pieces(group, id, variable.type, numbers);
}

// Whole items of the first dimension at a time.
void NetcdfFile::write_pieces(int group, int id, NumberType type, const Numbers& numbers) {
  std::vector<std::size_t> start(numbers.dims.size(), 0);
  std::vector<std::size_t> count = numbers.dims;
  const std::size_t items = numbers.dims.front();
  std::size_t per_item = 1;
  for (std::size_t d = 1; d < numbers.dims.size(); ++d) per_item *= numbers.dims[d];
  const std::size_t at_once = std::max<std::size_t>(1, kPiece / per_item);
  std::vector<double> piece;
  for (std::size_t first = 0; first < items; first += at_once) {
    start.front() = first;
    count.front() = std::min(at_once, items - first);
    piece.resize(count.front() * per_item);
    numbers.read(first * per_item, piece);
    if (type == NumberType::real) {
      check(library().put_vara_double(group, id, start.data(), count.data(), piece.data()));
    } else {
      check(library().put_vara_longlong(group, id, start.data(), count.data(),
                                        converted<long long>(piece).data()));
    }
  }
}

void NetcdfFile::write_waiting() {
  for (const auto& [group, id, type, numbers] : waiting_) {
    switch (type) {
      case NumberType::real: check(library().put_var_double(group, id, numbers.data())); break;
      case NumberType::whole:
        check(library().put_var_longlong(group, id, converted<long long>(numbers).data()));
        break;
      case NumberType::truth:
        check(library().put_var_schar(group, id, converted<signed char>(numbers).data()));
        break;
    }
  }
  waiting_.clear();
  waiting_numbers_ = 0;
}

void NetcdfFile::add_attribute(int group, const std::string& name, const std::string& text) {
  check(library().put_att_text(group, NC_GLOBAL, name.c_str(), text.size(), text.c_str()));
}

void NetcdfFile::add_attribute(int group, const std::string& name, double number) {
  check(library().put_att_double(group, NC_GLOBAL, name.c_str(), NC_DOUBLE, 1, &number));
}

std::string NetcdfFile::finish() {
  write_waiting();
  is_open_ = false;
  NC_memio image{};
  check(library().close_memio(file_, &image));
  const std::unique_ptr<void, decltype(&std::free)> memory(image.memory, &std::free);
  return {static_cast<const char*>(image.memory), image.size};
}

}  // namespace kullback::posterior
