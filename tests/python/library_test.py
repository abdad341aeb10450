#!/usr/bin/env python3
"""A library that is missing, foreign or of another version is refused in a sentence; versions agree everywhere."""
import os
import re
import subprocess
import sys
import unittest

import support
from support import BUILD, ROOT

from kullback._version import ABI, VERSION

OTHER = """
extern "C" int kb_abi() { return %d; }
extern "C" const char* kb_version() { return "%s"; }
"""


def used_with(library):
    """What Python says that uses this library."""
    code = "import kullback as kb\ntry:\n  kb.Model('parameters { real x; } model { x ~ std_normal(); }')\n" \
           "except kb.LibraryError as e: print(e)"
    environment = {**os.environ, "KULLBACK_LIBRARY": str(library), "PYTHONPATH": str(ROOT / "python")}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout


class Library(support.Case):
    def compiled(self, text):
        source, library = self.scratch / "other.cpp", self.scratch / "other.so"
        source.write_text(text)
        subprocess.run(["g++", "-shared", "-fPIC", source, "-o", library], check=True)
        return library

    def test_the_right_one(self):
        self.assertEqual(used_with(BUILD / "libkullback.so"), "")

    def test_of_another_version(self):
        said = used_with(self.compiled(OTHER % (ABI, "9.9.9")))
        for word in ("9.9.9", VERSION, "make run"):
            self.assertIn(word, said)
        self.assertIn("interface 99", used_with(self.compiled(OTHER % (99, VERSION))))

    def test_that_lacks_a_function(self):
        self.assertIn("has no function kb_", used_with(self.compiled(OTHER % (ABI, VERSION))))

    def test_that_is_something_else(self):
        self.assertIn("is not a library of Kullback", used_with(self.compiled("int x;")))
        (self.scratch / "text.so").write_text("text")
        self.assertIn("cannot be loaded", used_with(self.scratch / "text.so"))
        self.assertIn("cannot be loaded", used_with(self.scratch / "nowhere.so"))


class Versions(support.Case):
    def test_they_agree(self):
        cmake = (ROOT / "CMakeLists.txt").read_text()
        self.assertEqual(re.search(r"project\(kullback VERSION ([\d.]+)", cmake)[1], VERSION)
        header = (ROOT / "src" / "capi" / "kullback.h").read_text()
        self.assertEqual(int(re.search(r"#define KB_ABI (\d+)", header)[1]), ABI)

    def test_every_function_that_is_called_is_declared(self):
        header = (ROOT / "src" / "capi" / "kullback.h").read_text()
        declared = set(re.findall(r"\b(kb_\w+)\(", header))
        from kullback._library import _FUNCTIONS

        self.assertEqual(set(_FUNCTIONS) - declared, set())
        used = set()
        for path in (ROOT / "python" / "kullback").glob("*.py"):
            used |= set(re.findall(r"\b(kb_(?:model|fit|error|number|report)_\w+)", path.read_text()))
        self.assertEqual(used - set(_FUNCTIONS), set())

    def test_a_fit_of_files_takes_no_numpy(self):
        folder = str(ROOT / "examples") + "/eight_schools."
        code = f"import sys, kullback; print(kullback.fit({folder + 'stan'!r}, {folder + 'json'!r}, method='nuts', seed=1)); " \
               "print('numpy' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                              capture_output=True, text=True, check=True)
        self.assertTrue(done.stdout.endswith("False\n"), done.stdout[-200:])

    def test_all_names_exist(self):
        import kullback

        for name in kullback.__all__:
            self.assertIsNotNone(getattr(kullback, name))
        with self.assertRaises(AttributeError):
            kullback.no_such_name


if __name__ == "__main__":
    unittest.main()
