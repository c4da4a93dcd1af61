"""Tests of the rewriting; scripts/mutants runs them first."""

import tempfile
import unittest
from pathlib import Path

from mutants import ListError, Mutant, module_folder, place, plan, read_lists, rewritten


def mutant(was, now="x", **more):
    return Mutant(**{"district": "d", "id": f"{was} {now}", "file": "Sources/A/B/c.swift", "by": "T", **more, "was": was, "now": now})


class RewritingTests(unittest.TestCase):
    def test_an_expression_stands_beside_its_mutant(self):
        one = mutant("a < b", "a <= b")
        text, problems = rewritten("if a < b { go() }", [one], is_c=False)
        self.assertEqual(problems, [])
        self.assertEqual(text, f"if (isMutant({one.number}) ? (a <= b) : (a < b)) {{ go() }}")

    def test_two_mutants_of_one_text_share_it(self):
        one, other = mutant("a < b", "a <= b"), mutant("a < b", "true")
        text, problems = rewritten("a < b", [one, other], is_c=False)
        self.assertEqual(problems, [])
        self.assertEqual(text, f"(isMutant({one.number}) ? (a <= b) : isMutant({other.number}) ? (true) : (a < b))")

    def test_a_statement_is_left_out(self):
        one = mutant("sync()", "", form="statement")
        text, _ = rewritten("write()\nsync()\n", [one], is_c=False)
        self.assertEqual(text, f"write()\nif (isMutant({one.number})) {{  }} else {{ sync() }}\n")

    def test_a_part_of_a_literal_is_interpolated(self):
        one = mutant("lane = ?", "lane = ? AND 0", form="text")
        text, problems = rewritten('"WHERE lane = ? LIMIT 1"', [one], is_c=False)
        self.assertEqual(problems, [])
        self.assertEqual(text, f'"WHERE \\(isMutant({one.number}) ? "lane = ? AND 0" : "lane = ?") LIMIT 1"')

    def test_lines_of_c_keep_their_numbers(self):
        text, _ = rewritten("int a = 1;\n", [mutant("1", "2")], is_c=True)
        self.assertTrue(text.startswith('#include "mutant_switch.h"\n#line 1\nint a = (isMutant('))

    def test_the_label_of_an_argument_is_no_part_of_an_expression(self):
        _, problems = rewritten("f(x: 1)", [mutant("x: 1", "x: 2")], is_c=False)
        self.assertIn("label", problems[0])

    def test_what_is_gone_is_an_error(self):
        _, problems = rewritten("a > b", [mutant("a < b")], is_c=False)
        self.assertIn("has no `a < b` any more", problems[0])

    def test_what_occurs_twice_needs_a_number(self):
        _, problems = rewritten("f(); f()", [mutant("f()")], is_c=False)
        self.assertIn("2 times", problems[0])
        self.assertEqual(place(mutant("f()", nth=2), "f(); f()"), (5, 8))
        with self.assertRaises(ListError):
            place(mutant("f()", nth=3), "f(); f()")

    def test_overlapping_originals_are_an_error(self):
        _, problems = rewritten("a < b && c", [mutant("a < b"), mutant("b && c")], is_c=False)
        self.assertIn("overlap", problems[0])

    def test_a_file_belongs_to_the_folder_of_its_target(self):
        for file, folder in [
            ("Sources/Media/JPEG/JPEGLimits.swift", "Sources/Media/JPEG"),
            ("Sources/Concurrency/RetryPolicy.swift", "Sources/Concurrency"),
            ("Sources/Network/SimulatedTransport/Links/a.swift", "Sources/Network/SimulatedTransport"),
            ("Simulators/GeminiServer/A/b.swift", "Simulators/GeminiServer"),
        ]:
            self.assertEqual(module_folder(file), Path(folder))
        folders = [Path("Sources/A"), Path("Sources/A/B")]
        self.assertEqual(module_folder("Sources/A/B/c.swift", folders), Path("Sources/A/B"))
        with self.assertRaises(ListError):
            module_folder("Sources/None/a.swift")

    def test_the_switch_of_a_c_file_stands_beside_it(self):
        folder = "Sources/Engine/CSimulation/strategies"
        files = plan([mutant("csim_ready_next(&w->ready, 0)", "0", file=f"{folder}/fifo.c")])
        self.assertEqual(set(files), {f"{folder}/fifo.c", f"{folder}/mutant_switch.h"})


class ListTests(unittest.TestCase):
    def lists(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "d.toml").write_text(text)
            return read_lists(Path(folder))

    ENTRY = "[[mutant]]\nid = 'a'\nfile = 'f'\nwas = 'x'\nnow = 'y'\nby = 'T'\n"

    def test_a_list_is_read(self):
        self.assertEqual([m.id for m in self.lists(self.ENTRY)], ["a"])

    def test_an_id_is_used_once(self):
        with self.assertRaises(ListError):
            self.lists(self.ENTRY + self.ENTRY)

    def test_a_misspelt_key_is_an_error(self):
        with self.assertRaises(ListError):
            self.lists(self.ENTRY + "becuase = 'z'\n")

    def test_a_text_does_not_end_in_a_comment(self):
        with self.assertRaises(ListError):
            self.lists(self.ENTRY.replace("'x'", "'x // because'"))

    def test_a_form_that_is_unknown_is_an_error(self):
        with self.assertRaises(ListError):
            self.lists(self.ENTRY + "form = 'block'\n")


if __name__ == "__main__":
    unittest.main()
