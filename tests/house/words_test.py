"""Plain English: words that we do not use, and words that are misspelt, in pages, chapters, help texts and messages.

words.txt has one line for each: a regular expression, `=>`, and what to write.
With hunspell or aspell installed, the test checks the spelling of all pages and messages too. Without one, it says so and is skipped.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import markdown  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
LEFT_OUT = ("LICENSE",)  # text that is not ours


def rules():
    with open(os.path.join(HERE, "words.txt"), encoding="utf-8") as f:
        lines = [line.rstrip("\n").split(" => ") for line in f if line.strip() and not line.startswith("#")]
    return [(re.compile(word, re.IGNORECASE), instead) for word, instead in lines]


RULES = rules()
ANY = re.compile("|".join(word.pattern for word, _ in RULES), re.IGNORECASE)


def plain(line):
    """Without code, formulas and targets of links."""
    return re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<!--.*?-->", " ", line)


def without_formulas(page):
    """The prose without formulas that have lines of their own."""
    return re.sub(r"(?s)\$\$.*?\$\$", "", "\n".join(markdown.prose_of(page))).split("\n")


def messages_of(path):
    """Texts of two words and more in a source file, and texts of several lines, with their lines."""
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            code = re.sub(r"(^|\s)//.*", "", line)
            if code.lstrip().startswith("#include"):
                continue
            for text in re.findall(r'"((?:[^"\\]|\\.)*)"', code):
                if " " in text.strip():
                    yield number, text
    with open(path, encoding="utf-8") as f:
        code = f.read()
    for raw in re.finditer(r'(?s)R"(\w*)\((.*?)\)\1"', code):
        for number, text in enumerate(raw[2].split("\n"), code.count("\n", 0, raw.start()) + 1):
            yield number, plain(text)


def comments_of(path):
    """The comments of a header in C, C++ or Fortran, with their lines."""
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            comment = re.search(r"(?:^|\s)(?://+<?|/\*|! )(.*)|^ \*(.*)", line)
            if comment:
                yield number, comment[1] or comment[2] or ""


def files_that_users_read():
    """Examples, the projects that `ivp new` writes, and the scripts."""
    for folder in ("examples", os.path.join("src", "cli", "templates"), "tools"):
        for at, _, names in os.walk(os.path.join(markdown.SOURCE, folder)):
            for name in sorted(names):
                if not name.endswith((".ipynb", ".pyc", ".ivp", ".toml", ".md")):
                    yield os.path.relpath(os.path.join(at, name), markdown.SOURCE)
    yield from ("ivp", "check")


def remarks_of(path):
    """Comments in C, C++, Fortran, Python, R and shell, with their lines; messages are in quotes."""
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            for found in re.finditer(r"(?:^|\s)(?://+<?|/\*|!|#|\"\"\")\s(.*)|^ \*(.*)|^[Cc]     (.*)|\"([^\"]* [^\"]*)\"", line):
                yield number, next(part for part in found.groups() if part is not None)


def sources():
    for folder in ("src", "include"):
        for at, _, names in os.walk(os.path.join(markdown.SOURCE, folder)):
            for name in sorted(names):
                if name.endswith((".cpp", ".hpp", ".def")):
                    yield os.path.relpath(os.path.join(at, name), markdown.SOURCE)


class Words(unittest.TestCase):
    def faults(self, place, text):
        if not ANY.search(text):
            return []
        return [f"{place}: '{found[0]}' (write: {instead}): {text.strip()[:100]}" for word, instead in RULES for found in [word.search(text)] if found]

    def test_pages(self):
        faults = [fault for page in markdown.pages() if page not in LEFT_OUT for number, line in enumerate(markdown.prose_of(page), 1)
                  for fault in self.faults(f"{page}:{number}", plain(line))]
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_messages(self):
        seen, faults = 0, []
        for source in sources():
            for number, text in messages_of(os.path.join(markdown.SOURCE, source)):
                seen += 1
                faults += self.faults(f"{source}:{number}", text)
        self.assertGreater(seen, 1000)
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_comments_of_public_headers(self):
        faults, seen = [], 0
        folder = os.path.join(markdown.SOURCE, "include", "ivp")
        for name in sorted(os.listdir(folder)):
            for number, text in comments_of(os.path.join(folder, name)):
                seen += 1
                faults += self.faults(f"include/ivp/{name}:{number}", text)
        self.assertGreater(seen, 1000)
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_examples_and_scripts(self):
        faults, seen = [], 0
        for name in files_that_users_read():
            for number, text in remarks_of(os.path.join(markdown.SOURCE, name)):
                seen += 1
                faults += self.faults(f"{name}:{number}", text)
        self.assertGreater(seen, 500)
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_the_rules_find_what_they_should(self):
        for text in ("what is allowed is told", "written anew", "the library is not there", "nobody delivers it", "the definiton", "it stands beside", "with so many digits",
                     "elements in each other", "none where it is not known", "it shall be left out", "the run goes on", "is said to be regular"):
            self.assertTrue(self.faults("here", text), text)
        for text in ("it understands", "retell", "the standard", "this stands for that", "the point where it begins", "so many that it fails"):
            self.assertFalse(self.faults("here", text), text)


WORD = re.compile(r"(?<![\w./'{-])[A-Za-z][a-z]{3,}(?![\w/('}-])")


def words_of_pages():
    return {word for page in markdown.pages() if page not in LEFT_OUT for line in without_formulas(page) for word in WORD.findall(plain(line))}


def words_of_messages():
    """Of the texts that are sentences: four words and more, and no sign of code."""
    sentences = (re.sub(r"\\n|\\t", " ", text) for source in sources() for _, text in messages_of(os.path.join(markdown.SOURCE, source)))
    return {word for text in sentences if not re.search(r"[;=\\<>&$_|]", text) and len(re.findall(r"\b[a-z]+\b", text)) >= 4 for word in WORD.findall(text)}


class Spelling(unittest.TestCase):
    """Of words with four letters and more. Names and words of the trade are in dictionary.txt."""

    def unknown(self, words):
        program = next((p for p in ("hunspell", "aspell") if shutil.which(p)), None)
        if program is None:
            self.skipTest("neither hunspell nor aspell is installed: only our own list of misspellings was applied")
        with open(os.path.join(HERE, "dictionary.txt"), encoding="utf-8") as f:
            known = {word.strip().lower() for word in f if word.strip()}
        command = ["hunspell", "-d", "en_GB", "-l"] if program == "hunspell" else ["aspell", "--lang=en_GB", "list"]
        done = subprocess.run(command, input="\n".join(sorted(words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            self.skipTest(f"{program} has no British dictionary: {done.stderr.strip()}")
        return sorted(word for word in set(done.stdout.split()) if word.lower() not in known)

    def test_pages(self):
        self.assertEqual(self.unknown(words_of_pages()), [], "correct them, or add them to tests/house/dictionary.txt")

    def test_messages(self):
        words = words_of_messages()
        self.assertGreater(len(words), 1000)
        self.assertEqual(self.unknown(words), [], "correct them, or add them to tests/house/dictionary.txt")

    def test_a_misspelt_word_is_found(self):
        self.assertEqual(self.unknown({"tolerance", "tolerence", "Seperate", "Rosenbrock"}), ["Seperate", "tolerence"])


if __name__ == "__main__":
    unittest.main()
