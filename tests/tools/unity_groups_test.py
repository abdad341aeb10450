import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import unity_groups


class UnityGroups(unittest.TestCase):
    def groups(self, *texts, headers=None, limit=100_000):
        """How many groups the files make."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src" / "m").mkdir(parents=True)
            for name, text in (headers or {}).items():
                (root / "src" / "m" / name).write_text(text)
            paths = [root / "src" / "m" / f"{number}.cpp" for number in range(len(texts))]
            for path, text in zip(paths, texts):
                path.write_text(text)
            groups = unity_groups.group(paths, limit)
            self.assertEqual(sorted(source.path for one in groups for source in one), sorted(p.resolve() for p in paths))
            return len(groups)

    def test_files_that_share_nothing_go_together(self):
        self.assertEqual(self.groups("namespace a { namespace { int one() { return 1; } } }",
                                     "namespace a { namespace { int two() { return 2; } } }"), 1)

    def test_no_group_is_too_large(self):
        self.assertEqual(self.groups("int a;" * 20, "int b;" * 20, limit=150), 2)

    def test_the_same_anonymous_name_twice(self):
        for one, other in [("int f(int x) { return x; }", "double f() { return 1; }"), ("class f final {};", "struct f {};"),
                           ("constexpr int f = 1;", "const double f[] = {1};"), ("using f = int;", "using f = double;"),
                           ("template <class T>\nT f(T x) { return x; }", "enum class f { a };")]:
            self.assertEqual(self.groups(f"namespace {{ {one} }}", f"namespace {{ {other} }}"), 2, (one, other))

    def test_a_name_that_the_other_uses_for_something_else(self):
        alone = "namespace a { namespace { int size(int x) { return x; } } }"
        self.assertEqual(self.groups(alone, "namespace a { int g(int y) { return size(y); } }"), 2)
        self.assertEqual(self.groups(alone, "namespace a { int g(V y) { return y.size() + y->size() + std::size(y); } }"), 1)

    def test_words_in_comments_and_strings_are_no_names(self):
        self.assertEqual(self.groups("namespace { int size() { return 1; } }", 'auto a = "size {"; // size\n'), 1)

    def test_bodies_declare_nothing_for_others(self):
        self.assertEqual(self.groups("namespace { int f() { int x = 1; return x; } }", "namespace { int x = 2; }"), 2)
        self.assertEqual(self.groups("namespace { struct S { int y; }; }", "namespace { struct T { int y; }; }"), 1)

    def test_constants_and_static_functions_outside_anonymous_namespaces(self):
        self.assertEqual(self.groups("namespace a { constexpr int k = 1; }", "namespace a { constexpr int k = 2; }"), 2)
        self.assertEqual(self.groups("static int f() { return 1; }", "static int f() { return 2; }"), 2)

    def test_an_alias_may_be_repeated(self):
        self.assertEqual(self.groups("using I = long; I a;", "using I = long; I b;"), 1)

    def test_macros_that_stay_defined(self):
        self.assertEqual(self.groups("#define ROW(x) x\n", "int ROW;"), 2)
        self.assertEqual(self.groups("#define ROW(x) x\n#undef ROW\n", "int ROW;"), 1)

    def test_names_of_the_headers_of_another_file(self):
        headers = {"k.hpp": "namespace m { inline constexpr int kMost = 1; inline int f() { return kMost; } }"}
        self.assertEqual(self.groups("namespace m { namespace { constexpr int kMost = 2; } }",
                                     '#include "m/k.hpp"\nint g() { return m::f(); }', headers=headers), 2)

    def test_a_using_declaration_of_what_the_other_sees_as_well(self):
        headers = {"p.hpp": "namespace m::p { struct Row {}; }", "q.hpp": "namespace m { struct Row {}; }"}
        using = '#include "m/p.hpp"\nnamespace m { using p::Row; Row a; }'
        self.assertEqual(self.groups(using, '#include "m/p.hpp"\nnamespace m::p { Row b; }', headers=headers), 1)
        self.assertEqual(self.groups(using, '#include "m/q.hpp"\nnamespace m { Row b; }', headers=headers), 2)
        directive = '#include "m/p.hpp"\nnamespace m { using namespace p; Row a; }'
        self.assertEqual(self.groups(directive, '#include "m/q.hpp"\nnamespace m { Row b; }', headers=headers), 2)

    def test_a_nested_namespace_that_hides_an_outer_one(self):
        headers = {"t.hpp": "namespace m::n::testing { struct Target {}; }"}
        first = '#include "m/t.hpp"\nnamespace m::n { testing::Target a; }'
        self.assertEqual(self.groups(first, "namespace m::n { class C : public testing::Test {}; }", headers=headers), 2)
        self.assertEqual(self.groups(first, '#include "m/t.hpp"\nnamespace m::n { testing::Target b; }', headers=headers), 1)


if __name__ == "__main__":
    unittest.main()
