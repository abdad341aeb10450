import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_arrows

CMAKE = """
kullback_module(base)
kullback_module(math)
kullback_module(lang DEPENDS math)
kullback_module(tape DEPENDS math lang)
kullback_module(density)
kullback_module(infer DEPENDS density)
kullback_module(deep DEPENDS infer)
kullback_module(fit DEPENDS infer)
kullback_module(cli DEPENDS fit)
"""


class CheckArrows(unittest.TestCase):
    def violations(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "CMakeLists.txt").write_text(CMAKE)
            for name, text in files.items():
                path = root / "src" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_arrows.check_tree(root)

    def assert_clean(self, files):
        self.assertEqual(self.violations(files), [])

    def assert_one(self, files, pattern):
        found = self.violations(files)
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], pattern)

    def test_own_module_base_and_transitive_arrows_are_allowed(self):
        self.assert_clean({"tape/a.cpp": '#include "tape/a.hpp"\n#include "base/e.hpp"\n#include "lang/p.hpp"\n'})
        self.assert_clean({"deep/a.cpp": '#include "density/d.hpp"\n'})

    def test_against_the_arrow_is_refused_with_its_line(self):
        self.assert_one({"math/a.cpp": '\n#include "lang/p.hpp"\n'}, r"^src/math/a\.cpp:2: math may not include lang")
        self.assert_one({"infer/vi/a.hpp": '#  include "tape/t.hpp"\n'}, r"infer may not include tape")

    def test_base_includes_no_other_module(self):
        self.assert_one({"base/a.cpp": '#include "math/m.hpp"\n'}, r"base may include no other module")

    def test_comments_and_outside_libraries_are_left_alone(self):
        self.assert_clean({"math/a.cpp": '// #include "lang/p.hpp"\n#include "zlib/zlib.h"\n#include <vector>\n'})

    def test_relative_includes_are_refused(self):
        self.assert_one({"lang/a.hpp": "", "lang/b.cpp": '#include "a.hpp"\n'}, "relative path")
        self.assert_one({"lang/a.hpp": "", "math/b.cpp": '#include "../lang/a.hpp"\n'}, "relative path")

    def test_generated_headers_are_allowed(self):
        self.assert_clean({"base/a.cpp": '#include "kullback_version.hpp"\n'})

    def test_only_deep_includes_torch(self):
        self.assert_one({"infer/a.cpp": "#include <torch/torch.h>\n"}, "only dist and deep may include LibTorch")
        self.assert_clean({"deep/a.cpp": "#include <torch/torch.h>\n"})

    def test_headers_stay_light(self):
        for heavy in ("Eigen/Core", "iostream", "random"):
            self.assert_one({"math/a.hpp": f"#include <{heavy}>\n"}, "a header may not include")
            self.assert_clean({"math/a.cpp": f"#include <{heavy}>\n"})
        self.assert_one({"deep/a.hpp": "#include <torch/torch.h>\n"}, "a header may not include LibTorch")
        self.assert_clean({"deep/a.hpp": "#include <torch/types.h>\n"})

    def test_verbs_leave_cli11_to_the_command_line(self):
        self.assert_one({"fit/a.cpp": "#include <CLI/CLI.hpp>\n"}, "use cli/command.hpp")
        self.assert_clean({"cli/command.cpp": "#include <CLI/CLI.hpp>\n"})

    def test_decompositions_are_in_one_folder(self):
        for heavy in ("Eigen/Cholesky", "Eigen/Dense", "unsupported/Eigen/MatrixFunctions"):
            self.assert_one({"infer/a.cpp": f"#include <{heavy}>\n"}, "only math/linear_algebra may include")
            self.assert_clean({"math/linear_algebra/a.cpp": f"#include <{heavy}>\n"})
        self.assert_clean({"math/linear_algebra/stored.hpp": "#include <Eigen/Core>\n"})
        self.assert_one({"math/a.cpp": '#include "math/linear_algebra/stored.hpp"\n'}, "only math/linear_algebra")
        self.assert_one({"infer/a.cpp": "\nx = l.triangularView<Eigen::Lower>()\n  .solve(x);\n"}, r":2: triangular")

    def test_factors_and_substitutions_by_hand_are_in_one_folder(self):
        for text in ("\nbool cholesky(const std::vector<double>& a, std::size_t n) {\n}\n",
                     "\nvoid solve_lower(const double* l,\n                 double* x) {\n}\n",
                     "\nstatic bool factorise(std::size_t n, std::vector<double>& a) {\n}\n"):
            self.assert_one({"infer/a.cpp": text}, r":2: \w+ is dense linear algebra")
            self.assert_clean({"math/linear_algebra/a.cpp": text, "deep/a.cpp": text})
        self.assert_clean({"infer/a.cpp": "bool factorise(Metric& m) {\n}\nvoid solve_lower(double* x);\n"
                                          "Value cholesky(Tracer& t) {\n}\ndouble x = cholesky(y) + f(double{});\n"})

    def test_files_outside_the_modules_are_refused(self):
        self.assert_one({"stray/a.cpp": ""}, r"^src/stray/a\.cpp:1: is in no module")
        self.assert_one({"a.cpp": ""}, "is in no module")


class Architecture(unittest.TestCase):
    """docs/architecture.md shows the same arrows as CMakeLists.txt."""

    def test_page_and_build_agree(self):
        arrows = check_arrows.read_arrows((ROOT / "CMakeLists.txt").read_text())
        page = (ROOT / "docs" / "architecture.md").read_text()
        rows = re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|", page, re.MULTILINE)
        shown = {module: set(re.findall(r"`(\w+)`", cell)) - {"base"} for module, cell in rows}
        self.assertEqual(shown, {module: set(right) for module, right in arrows.items()})


if __name__ == "__main__":
    unittest.main()
