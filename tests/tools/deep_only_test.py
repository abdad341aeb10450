"""What kullback-deep takes from other modules includes the standard library, itself and what tools/collect_stack.sh collects only;
the build that knows no other folder finds them."""
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SRC = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
POSIX = {"dlfcn.h", "fcntl.h", "signal.h", "unistd.h"}
COLLECTED = ("fmt/", "CLI/", "zlib.h")


MODULES = ("base", "run", "data", "shell")


def of_stats():
    text = (ROOT / "cmake" / "deep_alone.cmake").read_text()
    return [SRC / "stats" / name for name in re.search(r"set\(kullback_rhat\s+([^)]*)\)", text).group(1).split()]


def sources():
    return [*of_stats(), *(file for module in MODULES for file in (SRC / module).rglob("*.cpp"))]


class DeepOnly(unittest.TestCase):
    def test_nothing_but_the_standard_library_and_what_is_collected_is_included(self):
        waiting, seen = sources(), set()
        while waiting:
            file = waiting.pop()
            if file in seen:
                continue
            seen.add(file)
            name = str(file.relative_to(ROOT))
            for mark, path in INCLUDE.findall(file.read_text(encoding="utf-8")):
                if mark == '"':
                    waiting.append(SRC / path)
                    continue
                known = "." not in path and "/" not in path or path.startswith("sys/") or path in POSIX
                self.assertTrue(known or path.startswith(COLLECTED), f"{name} includes <{path}>")

    def test_headers_stay_within_the_modules(self):
        for file in sources():
            for mark, path in INCLUDE.findall(file.read_text(encoding="utf-8")):
                if mark == '"':
                    self.assertIn(path.split("/")[0], {*MODULES, "stats"}, file)

    def test_what_is_collected_compiles_and_links_without_what_is_installed(self):
        with tempfile.TemporaryDirectory() as scratch:
            stack = f"{scratch}/stack"
            subprocess.run([ROOT / "tools" / "collect_stack.sh", stack], check=True, capture_output=True)
            self.build(scratch, USES, f"-DCMAKE_PREFIX_PATH={stack}")
            cache = pathlib.Path(scratch, "build", "CMakeCache.txt").read_text()
            for name in ("KULLBACK_FMT_INCLUDE", "KULLBACK_CLI11_INCLUDE", "KULLBACK_ZLIB_INCLUDE", "ZLIB_STATIC_LIBRARY"):
                self.assertRegex(cache, f"(?m)^{name}:\\w+={re.escape(stack)}/")
            said = subprocess.run([f"{scratch}/build/uses", "--count", "3"], check=True, capture_output=True, text=True).stdout
            self.assertEqual(said, "3 adler 300286872\n")  # of "Wikipedia", the example that everybody gives
            needed = subprocess.run(["ldd", f"{scratch}/build/uses"], check=True, capture_output=True, text=True).stdout
            self.assertNotRegex(needed, "libz|libfmt")

    def test_our_fmt_comes_before_the_one_that_libtorch_brings(self):
        with tempfile.TemporaryDirectory() as scratch:
            other = pathlib.Path(scratch, "torch", "fmt", "format.h")
            other.parent.mkdir(parents=True)
            other.write_text("#error another fmt\n")
            source = "#include <fmt/format.h>\nint main() { return fmt::format(\"{}\", 1).size() == 1 ? 0 : 1; }\n"
            self.build(scratch, source)
            subprocess.run([f"{scratch}/build/uses"], check=True)

    def build(self, scratch, source, *options):
        pathlib.Path(scratch, "CMakeLists.txt").write_text(PROJECT.format(root=ROOT, torch=f"{scratch}/torch"))
        pathlib.Path(scratch, "uses.cpp").write_text(source)
        for command in (["-S", scratch, "-B", f"{scratch}/build", "-DCMAKE_BUILD_TYPE=Debug", *options], ["--build", f"{scratch}/build"]):
            done = subprocess.run(["cmake", *command], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


PROJECT = """cmake_minimum_required(VERSION 3.25)
project(uses LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
set(PROJECT_SOURCE_DIR "{root}")
list(PREPEND CMAKE_MODULE_PATH "{root}/cmake")
set(TORCH_INCLUDE_DIRS "{torch}")
include(stack)
add_library(torch_like INTERFACE)
target_include_directories(torch_like SYSTEM INTERFACE "{torch}")
add_executable(uses uses.cpp)
target_link_libraries(uses PRIVATE kullback_fmt kullback_cli11 kullback_zlib torch_like)
"""
USES = """
#include <fmt/format.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  CLI::App app;
  int count = 0;
  app.add_option("--count", count);
  CLI11_PARSE(app, argc, argv);
  const unsigned char* text = reinterpret_cast<const unsigned char*>("Wikipedia");
  std::fputs(fmt::format("{} adler {}\\n", count, adler32(1, text, 9)).c_str(), stdout);
}
"""

if __name__ == "__main__":
    unittest.main()
