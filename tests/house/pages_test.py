"""Pages can be found: no link is dead, every heading that a link names exists, and two clicks lead from docs/index.md to every page for users."""

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

    def test_two_clicks_lead_from_the_index_to_every_page(self):
        pages, reached = markdown.pages(), {"docs/index.md"}
        for _ in range(2):
            reached |= {leads_to(page, path) for page in reached.intersection(pages) for _, path, _ in markdown.links_of(page)}
        users = {page for page in pages if page.startswith(("docs/", "examples/", "data/", "plugins/", "bench/")) or page in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")}
        self.assertEqual(sorted(users - reached), [])

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

    def test_links_beside_code_are_links(self):
        found = {path for _, path, _ in markdown.links_of("docs/campaigns.md")}
        self.assertIn("../data/results/README.md", found, "its text is code, and more code follows in the line")

    def test_anchors(self):
        anchors = markdown.anchors_of("docs/comparison.md")
        self.assertIn("which-boundary", anchors)
        self.assertNotIn("measured", anchors)


if __name__ == "__main__":
    unittest.main()
