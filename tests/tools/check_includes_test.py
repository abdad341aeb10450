import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_includes


class CheckIncludes(unittest.TestCase):
    def violations(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                path = root / "src" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_includes.check_tree(root)

    def assert_clean(self, files):
        self.assertEqual(self.violations(files), [])

    def assert_one(self, files, expected):
        self.assertEqual(self.violations(files), [expected])

    def test_the_header_itself(self):
        self.assert_clean({"base/a.cpp": "#include <vector>\nstd::vector<int> a;\n"})

    def test_through_our_headers(self):
        self.assert_clean({
            "base/a.cpp": '#include "base/b.hpp"\nstd::vector<int> a;\n',
            "base/b.hpp": '#include "base/c.hpp"\n',
            "base/c.hpp": "#include <vector>\n"})

    def test_through_a_header_that_is_not_ours_proves_nothing(self):
        self.assert_one({"base/a.cpp": "#include <map>\n\nstd::vector<int> a;\nstd::vector<int> b;\n"},
                        "src/base/a.cpp:3: uses std::vector; include <vector>")

    def test_a_header_needs_its_own_include(self):
        self.assert_one({"base/a.cpp": '#include <string>\n#include "base/a.hpp"\n', "base/a.hpp": "std::string a();\n"},
                        "src/base/a.hpp:1: uses std::string; include <string>")

    def test_names_in_comments_are_not_used(self):
        self.assert_clean({"base/a.cpp": "// std::vector\n/* std::string\nstd::map */ int a;\n"})

    def test_integers_of_c(self):
        self.assert_one({"base/a.cpp": "int64_t a;\n"}, "src/base/a.cpp:1: uses std::int64_t; include <cstdint>")

    def test_any_header_that_declares_the_name(self):
        for header in ("utility", "algorithm", "vector", "memory"):
            self.assert_clean({"base/a.cpp": f"#include <{header}>\nint a = std::move(1);\n"})

    def test_other_libraries(self):
        self.assert_one({"base/a.cpp": "int a = fmt::format(1);\n"}, "src/base/a.cpp:1: uses fmt::format; include <fmt/...>")
        self.assert_one({"deep/a.cpp": "torch::Tensor a;\n"}, "src/deep/a.cpp:1: uses torch::Tensor; include <torch/...>")

    def test_a_name_that_the_table_lacks(self):
        found = self.violations({"base/a.cpp": "std::not_a_name a;\n"})
        self.assertEqual(len(found), 1)
        self.assertIn("std::not_a_name is not in the table", found[0])

    def test_the_repository(self):
        self.assertEqual(check_includes.check_tree(ROOT), [])


if __name__ == "__main__":
    unittest.main()
