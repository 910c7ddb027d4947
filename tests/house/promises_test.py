"""Every test that tests/README.md names exists."""

import os
import re
import unittest

TESTS = os.path.join(os.environ.get("IVP_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")), "tests")


def names_in(path):
    """The tests that a file defines."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if path.endswith(".py"):
        return set(re.findall(r"(?m)^\s+def (test_\w+)\(self", text))
    return set(re.findall(r"(?m)^TEST(?:_F|_P)?\(\w+,\s*(\w+)\)", text))


def rows():
    with open(os.path.join(TESTS, "README.md"), encoding="utf-8") as f:
        cells = [[c.strip() for c in line.strip().strip("|").split("|")] for line in f if line.startswith("|")]
    return [row for row in cells if "/" in row[1]]


class Promises(unittest.TestCase):
    def test_every_named_test_exists(self):
        self.assertGreater(len(rows()), 40)
        for promise, file, tests in rows():
            there = names_in(os.path.join(TESTS, file))
            for name in tests.split(", "):
                with self.subTest(promise=promise, file=file):
                    self.assertIn(name, there)


if __name__ == "__main__":
    unittest.main()
