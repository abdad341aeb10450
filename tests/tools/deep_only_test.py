"""What the build with LibTorch alone takes from other modules includes the standard library and itself only."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SRC = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
POSIX = {"dlfcn.h", "fcntl.h", "signal.h", "unistd.h"}
OPTIONAL = {"src/data/read/bytes.cpp": {"zlib.h"}}  # left out with KULLBACK_NO_ZLIB


def listed(module):
    text = (ROOT / "cmake" / "deep_only.cmake").read_text()
    names = re.search(rf"set\(kullback_deep_only_{module}\s+([^)]*)\)", text).group(1).split()
    return [SRC / module / name for name in names]


def sources():
    return [*(SRC / "base").rglob("*.cpp"), *(SRC / "data").rglob("*.cpp"), *listed("posterior"), *listed("stats")]


class DeepOnly(unittest.TestCase):
    def test_listed_files_exist_once(self):
        for module in ("posterior", "stats"):
            files = listed(module)
            self.assertEqual(len(files), len(set(files)))
            for file in files:
                self.assertTrue(file.is_file(), file)

    def test_only_the_standard_library_is_included(self):
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
                self.assertTrue(known or path in OPTIONAL.get(name, ()), f"{name} includes <{path}>")

    def test_headers_stay_within_the_modules(self):
        for file in sources():
            for mark, path in INCLUDE.findall(file.read_text(encoding="utf-8")):
                if mark == '"':
                    self.assertIn(path.split("/")[0], {"base", "data", "posterior", "stats"}, file)


if __name__ == "__main__":
    unittest.main()
