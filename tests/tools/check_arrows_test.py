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
kullback_module(shell)
kullback_module(cli DEPENDS fit shell)
"""


class Checked(unittest.TestCase):
    def violations(self, files, folder_arrows="", readmes=True):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "CMakeLists.txt").write_text(CMAKE)
            (root / "tools").mkdir()
            (root / check_arrows.FOLDER_ARROWS).write_text(folder_arrows)
            for name, text in files.items():
                path = root / "src" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            for module in (root / "src").iterdir() if readmes else ():
                if module.is_dir():
                    (module / "README.md").write_text("# A module\n")
            return check_arrows.check_tree(root)

    def assert_clean(self, files, **others):
        self.assertEqual(self.violations(files, **others), [])

    def assert_one(self, files, pattern, **others):
        found = self.violations(files, **others)
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], pattern)


class Modules(Checked):
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
        self.assert_one({"fit/a.cpp": "#include <CLI/CLI.hpp>\n"}, "use shell/command.hpp")
        self.assert_clean({"shell/description.cpp": "#include <CLI/CLI.hpp>\n"})

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


FOLDERS = """
# a comment
infer/optimize:
infer/rows: optimize
infer/vi: rows
infer/mcmc:
except infer/options.hpp infer/vi/choices.hpp: a reason
"""
THERE = {f"infer/{folder}/x.hpp": "" for folder in ("optimize", "rows", "vi", "mcmc")} | {
    "infer/options.hpp": '#include "infer/vi/choices.hpp"\n'}


class Folders(Checked):
    def assert_clean(self, files, folder_arrows=FOLDERS):
        super().assert_clean(THERE | files, folder_arrows=folder_arrows)

    def assert_one(self, files, pattern, folder_arrows=FOLDERS):
        super().assert_one(THERE | files, pattern, folder_arrows=folder_arrows)

    def test_own_folder_the_modules_files_and_transitive_arrows_are_allowed(self):
        self.assert_clean({"infer/vi/a.cpp": '#include "infer/vi/b.hpp"\n#include "infer/options.hpp"\n'
                                             '#include "infer/optimize/mode.hpp"\n#include "density/d.hpp"\n'})
        self.assert_clean({"infer/vi/flows/a.cpp": '#include "infer/rows/b.hpp"\n'})
        self.assert_clean({"fit/a.cpp": '#include "infer/vi/b.hpp"\n'})

    def test_against_the_arrow_is_refused_with_its_line_and_what_is_allowed(self):
        self.assert_one({"infer/rows/a.cpp": '\n#include "infer/vi/b.hpp"\n'},
                        r"^src/infer/rows/a\.cpp:2: infer/rows may not include infer/vi .*it may include optimize")
        self.assert_one({"infer/mcmc/deep/a.cpp": '#include "infer/vi/b.hpp"\n'}, "it may include no other folder")

    def test_files_of_the_module_itself_include_no_folder(self):
        self.assert_one({"infer/draws.hpp": '#include "infer/vi/b.hpp"\n'}, r"draws\.hpp:1: the files of infer itself")

    def test_an_exception_that_is_not_needed_is_refused(self):
        self.assert_one({"infer/options.hpp": ""}, "src/infer/options.hpp does not include .*not needed")

    def test_every_folder_has_a_line_and_every_line_a_folder(self):
        self.assert_one({"infer/ep/a.hpp": ""}, "src/infer/ep: has no line in")
        self.assert_one({}, "src/infer/ep does not exist", FOLDERS + "infer/ep:\n")

    def test_arrows_lead_to_folders_that_are_there_and_not_back(self):
        self.assert_one({}, "infer/mcmc may include infer/nothing, which has no line",
                        FOLDERS.replace("infer/mcmc:", "infer/mcmc: nothing"))
        self.assertEqual(len(self.violations(THERE, FOLDERS.replace("infer/optimize:", "infer/optimize: vi"))), 3)

    def test_lines_that_say_nothing_are_refused(self):
        self.assert_one({}, r"folder_arrows\.txt:9: is neither", FOLDERS + "\ninfer/vi optimize\n")
        self.assert_one({}, r"folder_arrows\.txt:9: is neither", FOLDERS + "\nexcept a b\n")


class Readmes(Checked):
    FEW = {f"math/few/{i}.hpp": "" for i in range(check_arrows.FEW_FILES)}

    def assert_one(self, files, pattern):
        super().assert_one(files, pattern, readmes=False)

    def test_modules_and_folders_with_more_than_a_few_files_have_one(self):
        self.assert_one({"math/a.hpp": ""}, "^src/math: has no README.md")
        self.assert_one(self.FEW, "^src/math: has no README.md")
        self.assert_one(self.FEW | {"math/README.md": "", "math/few/more.hpp": ""}, "^src/math/few: has no README.md")
        self.assert_one(self.FEW | {"math/README.md": "", "math/few/below/more.hpp": ""}, "^src/math/few: has no README.md")

    def test_they_are_short(self):
        text = "line\n" * check_arrows.README_LINES
        self.assertEqual(self.violations({"math/a.hpp": "", "math/README.md": text}, readmes=False), [])
        self.assert_one({"math/a.hpp": "", "math/README.md": text + "line\n"}, r"^src/math/README\.md:11: is beyond the 10 lines")

    def test_files_that_they_name_are_there(self):
        files = {"math/a.hpp": "", "math/README.md": "# math\n`a.hpp`, `math/a.hpp`, `CMakeLists.txt`, `find_mode`\n"}
        self.assertEqual(self.violations(files, readmes=False), [])
        self.assert_one(files | {"math/README.md": "# math\n\n`b.hpp` is the one to copy.\n"},
                        r"^src/math/README\.md:3: there is no b\.hpp")


class Architecture(unittest.TestCase):
    """docs/architecture.md shows the same arrows as CMakeLists.txt and tools/folder_arrows.txt."""

    def test_page_and_build_agree(self):
        arrows = check_arrows.read_arrows((ROOT / "CMakeLists.txt").read_text())
        page = (ROOT / "docs" / "architecture.md").read_text()
        rows = re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|", page, re.MULTILINE)
        shown = {module: set(re.findall(r"`(\w+)`", cell)) - {"base"} for module, cell in rows}
        self.assertEqual(shown, {module: set(right) for module, right in arrows.items()})

    def test_page_and_folder_arrows_agree(self):
        arrows = check_arrows.FolderArrows((ROOT / check_arrows.FOLDER_ARROWS).read_text()).of_module
        page = (ROOT / "docs" / "architecture.md").read_text()
        rows = re.findall(r"^\| `(\w+)/(\w+)` \| ([^|]*) \|", page, re.MULTILINE)
        shown = {(module, folder): set(re.findall(r"`(\w+)`", cell)) for module, folder, cell in rows}
        self.assertEqual(shown, {(module, folder): set(right) for module, of in arrows.items() for folder, right in of.items()})


if __name__ == "__main__":
    unittest.main()
