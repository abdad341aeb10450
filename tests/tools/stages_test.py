#!/usr/bin/env python3
"""Every stage of tools/test.sh has a function and a budget, and CONTRIBUTING.md tells what each default stage checks."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = (ROOT / "tools" / "test.sh").read_text()


def words_of(name):
    return re.search(rf'{name}="([^"]*)"', SCRIPT)[1].split()


class Stages(unittest.TestCase):
    def test_each_has_a_function_and_a_budget(self):
        budgets = re.findall(r"\[(\w+)\]=\d+", SCRIPT)
        stages = words_of("kStages") + words_of("kLongStages")
        self.assertEqual(sorted(budgets), sorted(stages))
        for stage in stages:
            self.assertRegex(SCRIPT, rf"(?m)^{stage}\(\) {{")

    def test_default_budgets_leave_ci_a_third_of_its_time(self):
        budgets = dict(re.findall(r"\[(\w+)\]=(\d+)", SCRIPT))
        self.assertLessEqual(sum(int(budgets[stage]) for stage in words_of("kStages")), 60 * 60)

    def test_each_default_stage_is_documented(self):
        told = (ROOT / "CONTRIBUTING.md").read_text()
        for stage in words_of("kStages"):
            self.assertIn(f"| `{stage}` |", told)


if __name__ == "__main__":
    unittest.main()
