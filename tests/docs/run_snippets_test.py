import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run_snippets


def run_text(markdown):
    """Tally of a page that stands alone in an empty repository."""
    tally = run_snippets.Tally()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "README.md").write_text(markdown)
        run_snippets.run_page(pathlib.Path("README.md"), root, dict(os.environ), tally)
    return tally


class Matching(unittest.TestCase):
    def test_dots_stand_for_any_lines(self):
        self.assertTrue(run_snippets.matches(["a", "...", "c"], ["a", "b", "b", "c"]))
        self.assertTrue(run_snippets.matches(["a", "..."], ["a"]))
        self.assertFalse(run_snippets.matches(["a", "..."], ["b"]))
        self.assertFalse(run_snippets.matches(["a"], ["a", "b"]))


class Pages(unittest.TestCase):
    def test_output_is_compared(self):
        self.assertEqual(run_text("```sh\necho hi\n```\n\n```text\nhi\n```\n").failures, [])
        failures = run_text("```sh\necho hi\n```\n\n```text\nho\n```\n").failures
        self.assertEqual(len(failures), 1)
        self.assertIn("README.md:1: expected:\nho\n", failures[0])

    def test_text_after_other_prose_is_not_output(self):
        self.assertEqual(run_text("```sh\necho hi\n```\nprose\n```text\nho\n```\n").failures, [])

    def test_a_failing_command_is_a_failure_unless_announced(self):
        self.assertEqual(len(run_text("```sh\nfalse\n```\n").failures), 1)
        self.assertEqual(run_text("<!-- exit: 65 -->\n```sh\nexit 65\n```\n").failures, [])
        self.assertEqual(len(run_text("<!-- exit: 65 -->\n```sh\ntrue\n```\n").failures), 1)

    def test_files_are_written_for_later_commands(self):
        tally = run_text("<!-- file: m.stan -->\n```stan\nmodel {}\n```\n```sh\ncat m.stan\n```\n```text\nmodel {}\n```\n")
        self.assertEqual((tally.run, tally.failures), (1, []))

    def test_skipped_blocks_are_counted(self):
        tally = run_text("<!-- not run: needs root -->\n```sh\nfalse\n```\n```sh\ntrue\n```\n")
        self.assertEqual((tally.run, tally.skipped, tally.failures), (1, 1, []))

    def test_python_blocks_share_their_names(self):
        page = "```python\nx = 2\n```\n\n```sh\ntrue\n```\n\n```python\nprint(x)\nx + 1\n```\n\n```text\n2\n3\n```\n"
        tally = run_text(page)
        self.assertEqual((tally.run, tally.failures), (3, []))
        failures = run_text("```python\nx = 1 / 0\n```\n").failures
        self.assertIn("ZeroDivisionError", failures[0])

    def test_make_is_a_dry_run_and_needs_its_target(self):
        self.assertEqual(len(run_text("```sh\nmake test\n```\n").failures), 1)
        self.assertEqual(run_snippets.with_dry_make("make run\necho\n"), "make -n run >/dev/null\necho\n")

    def test_dead_links_are_failures(self):
        self.assertEqual(run_text("[here](README.md) [out](https://example.org/x)\n").failures, [])
        self.assertEqual(len(run_text("[gone](docs/none.md#part)\n").failures), 1)


if __name__ == "__main__":
    unittest.main()
