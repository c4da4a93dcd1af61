"""Tests of the search for hard mutants; the scripts run them first."""

import os
import tempfile
import unittest
from itertools import islice
from pathlib import Path
from unittest import mock

import search
from mutants import ListError, Mutant
from search import BUDGETS, DEFAULT, Hard, Part, page, read_hard, rounds, shown

OTHER = Mutant("d", "known", "Sources/A/B/c.swift", "x", "y", "T")
ENTRY = "[[mutant]]\nid = 'a'\nfile = 'f'\nwas = 'x'\nnow = 'y'\nbreaks = 'all'\n"


class HardListTests(unittest.TestCase):
    def lists(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "d.toml").write_text(text)
            return read_hard(Path(folder), [OTHER])

    def test_an_entry_may_mean_one_of_another_list(self):
        hard = self.lists("[[mutant]]\nid = 'known'\nbreaks = 'all'\n" + ENTRY)
        self.assertEqual([h.mutant.file for h in hard], [OTHER.file, "f"])

    def test_what_another_list_has_is_not_repeated(self):
        with self.assertRaises(ListError):
            self.lists(ENTRY.replace("'a'", "'known'"))

    def test_an_id_that_no_list_has_is_an_error(self):
        with self.assertRaises(ListError):
            self.lists("[[mutant]]\nid = 'unknown'\nbreaks = 'all'\n")

    def test_an_entry_says_what_it_breaks(self):
        with self.assertRaises(ListError):
            self.lists(ENTRY.replace("breaks = 'all'\n", ""))

    def test_an_id_is_used_once(self):
        with self.assertRaises(ListError):
            self.lists(ENTRY + ENTRY)


class RunTests(unittest.TestCase):
    """With a program that says what it was told to."""

    def run_part(self, script, seconds=60):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "lenssim"
            program.write_text("#!/bin/sh\n" + script)
            os.chmod(program, 0o755)
            with mock.patch.object(search, "PROGRAM", program), mock.patch.object(search, "FOLDER", Path(folder)):
                return search.run(Part("p", "", 3, 9), DEFAULT, 7, seconds)

    def test_a_failure_is_the_one_of_the_lowest_seed(self):
        rows = [{"reproduce": f"lenssim run p --recipe 'seed={n} strategy=pct'", "message": f"m{n}"} for n in (8, 5)]
        failure, runs, _ = self.run_part(f"echo '{json_of(rows)}'; exit 1")
        self.assertEqual((failure, runs), ({"seed": 5, "what": "m5"}, 6))

    def test_a_part_without_failures_passes(self):
        failure, runs, _ = self.run_part("echo '" + json_of([]) + "'")
        self.assertEqual((failure, runs), (None, 6))

    def test_a_process_that_ends_is_a_failure(self):
        failure, _, _ = self.run_part("kill -9 $$")
        self.assertEqual(failure["seed"], 3)

    def test_a_process_that_ends_is_asked_for_the_seed(self):
        rows = [{"reproduce": "lenssim run p --recipe 'seed=4'", "message": "crash"}]
        script = f"case \"$*\" in *--isolate*) echo '{json_of(rows)}'; exit 1;; esac; kill -9 $$"
        self.assertEqual(self.run_part(script)[0], {"seed": 4, "what": "crash"})

    def test_the_mutant_is_in_the_environment(self):
        failure, _, _ = self.run_part('test "$LENSSIM_MUTANT" = 7 || kill -9 $$; echo \'' + json_of([]) + "'")
        self.assertIsNone(failure)


def json_of(rows):
    import json

    # In a shell, an apostrophe inside apostrophes.
    return json.dumps({"runs": 6, "failures": rows}).replace("'", "'\\''")


class PageTests(unittest.TestCase):
    def results(self, found):
        each = {"found": found, "runs": 5, "seconds": 2.5}
        return {
            "baseline": {s: {"runs": 1000, "seconds": 1.0, "parts": []} for s in BUDGETS},
            "found": {s: {"known": each} for s in BUDGETS},
        }

    def test_the_page_says_what_finds_a_mutant(self):
        found = {"program": "lens-upload", "plan": "swarm", "seed": 12, "what": "property violated: always “all is well”: no"}
        text = page([Hard(OTHER, "all", None)], self.results(found))
        self.assertIn("| known | B/c | all | lens-upload swarm | 12 | 2.5 | all is well |", text)
        self.assertIn("1 of 1 mutants are found", text)
        self.assertIn("| portfolio | 0% | 0% | 100% | 100% |", text)
        self.assertNotIn("## Not found", text)

    def test_the_page_explains_what_is_not_found(self):
        text = page([Hard(OTHER, "all", "nothing differs")], self.results(None))
        self.assertIn("0 of 1 mutants are found", text)
        self.assertIn("- **known**: nothing differs", text)

    def test_rounds_double_and_leave_out_no_seed(self):
        first, second, third = (parts[0] for parts in islice(rounds(), 3))
        self.assertEqual(first.first, 1)
        self.assertEqual((second.first, third.first), (first.last + 1, second.last + 1))
        self.assertEqual(second.last - second.first + 1, 2 * (first.last - first.first + 1))

    def test_a_failure_is_shown_without_its_figures(self):
        self.assertEqual(shown("property violated: always “a is b”: 3 (seed 4)"), "a is b")
        self.assertEqual(shown("deadlock: no runnable task (seed 1 · virtual 2 s)"), "deadlock: no runnable task")


if __name__ == "__main__":
    unittest.main()
