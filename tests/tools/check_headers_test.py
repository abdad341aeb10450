import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_headers


class CheckHeaders(unittest.TestCase):
    def check(self, files, unity_modules=()):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            build, entries = root / "build", []
            build.mkdir()
            for name, text in files.items():
                path = root / "src" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                if path.suffix == ".cpp":
                    entries.append(str(path))
            entries += [f"{build}/CMakeFiles/kullback_{module}.dir/Unity/unity_0_cxx.cxx" for module in unity_modules]
            (build / "compile_commands.json").write_text(json.dumps([
                {"directory": str(build), "file": file, "command": f"g++ -std=c++20 -I{root}/src -o x.o -c {file}"}
                for file in entries]))
            return check_headers.check_tree(root, build)

    def test_a_header_that_a_file_includes_first_is_left_to_the_build(self):
        self.assertEqual(self.check({"base/a.hpp": "Unknown a;\n", "base/a.cpp": '#include "base/a.hpp"\n'}), (0, 0, []))

    def test_a_header_that_is_included_second_is_compiled(self):
        compiled, left_out, violations = self.check({
            "base/a.hpp": "using Known = int;\n", "base/b.hpp": "Known b();\n",
            "base/a.cpp": '#include "base/a.hpp"\n#include "base/b.hpp"\n'})
        self.assertEqual((compiled, left_out), (1, 0))
        self.assertEqual(len(violations), 1)
        self.assertIn("src/base/b.hpp does not compile alone", violations[0])
        self.assertRegex(violations[0], "Known. does not name a type")

    def test_files_of_a_unity_build_show_nothing(self):
        compiled, _, violations = self.check({"dist/a.hpp": "int a();\n"}, unity_modules=["dist"])
        self.assertEqual((compiled, violations), (1, []))

    def test_modules_that_are_not_built_are_counted(self):
        self.assertEqual(self.check({"deep/a.hpp": "Unknown a;\n"}), (0, 1, []))


if __name__ == "__main__":
    unittest.main()
