"""Pages can be found: no link is dead, every heading that a link names exists, and every page of docs/ can be reached from docs/index.md."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import markdown  # noqa: E402


def leads_to(page, path):
    return os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page


class Pages(unittest.TestCase):
    def test_no_link_is_dead(self):
        links = 0
        for page in markdown.pages():
            for line, path, anchor in markdown.links_of(page):
                with self.subTest(f"{page}:{line}: {path}#{anchor}"):
                    links += 1
                    target = leads_to(page, path)
                    self.assertTrue(os.path.exists(os.path.join(markdown.SOURCE, target)), "there is no such file")
                    if anchor and target.endswith(".md"):
                        self.assertIn(anchor, markdown.anchors_of(target), "there is no such heading")
        self.assertGreater(links, 150)

    def test_every_page_can_be_reached_from_the_index(self):
        reached, waiting = set(), ["docs/index.md"]
        while waiting:
            page = waiting.pop()
            if page in reached:
                continue
            reached.add(page)
            for _, path, _ in markdown.links_of(page):
                target = leads_to(page, path)
                if target.endswith(".md") and os.path.exists(os.path.join(markdown.SOURCE, target)):
                    waiting.append(target)
        here = {page for page in markdown.pages() if page.startswith("docs/")}
        self.assertEqual(sorted(here - reached), [])

    def test_every_page_leads_back(self):
        for page in markdown.pages():
            if page.startswith("docs/") and page != "docs/index.md":
                with self.subTest(page):
                    self.assertEqual(leads_to(page, next(path for _, path, _ in markdown.links_of(page))), "docs/index.md", "the first link of a page is that to the index")

    def test_the_way_in(self):
        self.assertIn("docs/index.md", {leads_to("README.md", path) for _, path, _ in markdown.links_of("README.md")})
        for folder in ("tutorial", "how-to", "reference", "explanation"):
            linked = {leads_to("docs/index.md", path) for _, path, _ in markdown.links_of("docs/index.md")}
            here = {page for page in markdown.pages() if page.startswith(f"docs/{folder}/")}
            self.assertGreaterEqual(len(here), 4)
            self.assertLessEqual(here, linked, f"docs/index.md does not link all pages of docs/{folder}")


class Reading(unittest.TestCase):
    """The reader of pages can tell right from wrong."""

    def test_code_is_no_link(self):
        self.assertTrue(all(path != "x" for page in markdown.pages() for _, path, _ in markdown.links_of(page)))

    def test_anchors(self):
        anchors = markdown.anchors_of("docs/comparison.md")
        self.assertIn("which-boundary", anchors)
        self.assertNotIn("measured", anchors)


if __name__ == "__main__":
    unittest.main()
