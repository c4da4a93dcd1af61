"""Makes the cases of autobahntestsuite, which are Python 2.7, importable by this Python.

Usage: convert.py SUITE TARGET, where SUITE is the unpacked source distribution. TARGET becomes a package `cases`. What 2to3
does not know is in `CHANGES`, each with its reason; a change that fits nowhere any more is an error.
"""

import pathlib
import re
import shutil
import sys
import warnings

warnings.simplefilter("ignore", DeprecationWarning)
from lib2to3.refactor import RefactoringTool, get_fixers_from_package  # noqa: E402, which warns of its own age

# File, what stands there after 2to3, what stands there instead.
CHANGES = [
    # Strings of the cases are bytes in Python 2; here they are text whose characters are the bytes.
    ("case*.py", r"^import binascii$", "from autobahn_bytes import binascii"),
    (
        "case6_x_x.py",
        r"^from autobahn.websocket.utf8validator import Utf8Validator$",
        "from autobahn_bytes import Utf8Validator",
    ),
    ("case6_x_x.py", r'chr\((i|j)\)\.encode\("utf-8"\)', r'chr(\1).encode("utf-8").decode("latin-1")'),
    # Python 3 orders base classes from the most derived to the least.
    ("case*_[xX].py", r"\(object, Case, \)", "(Case, )"),
    # Division of whole numbers.
    (
        "case10_1_1.py",
        r"len\(self.payload\) / self.p.autoFragmentSize",
        "len(self.payload) // self.p.autoFragmentSize",
    ),
    # Python 2 takes two lists for equal when they pickle to the same bytes, which is also about which objects are shared.
    ("case.py", r"return pickle.dumps\(obj1\) == pickle.dumps\(obj2\)", "return obj1 == obj2"),
    # 9.9.1 is in no list of the suite, and needs Twisted.
    ("__init__.py", r"^from \.case9_9_1 import \*$", ""),
    # Sections 12 and 13 are about compression, which is not offered.
    ("__init__.py", r"^from \.case12_x_x import \*$", ""),
    ("__init__.py", r"^(Cases\.extend|CaseSubCategories\.update)\(Case1[23]_X_X.*\)$", ""),
]


def convert(suite, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(suite / "autobahntestsuite/case", target)
    tool = RefactoringTool(get_fixers_from_package("lib2to3.fixes"))
    for file in sorted(target.glob("*.py")):
        # A literal of Python 2 holds the bytes of the file.
        text = file.read_text(encoding="latin-1")
        # 2to3 finds the modules beside a file by its path.
        file.write_text(str(tool.refactor_string(text.rstrip() + "\n", str(file))), encoding="utf-8")
    for name in ["case9_9_1.py", "case12_x_x.py"]:
        (target / name).unlink()
    for pattern, old, new in CHANGES:
        count = 0
        for file in sorted(target.glob(pattern)):
            text, changed = re.subn(old, new, file.read_text(encoding="utf-8"), flags=re.MULTILINE)
            count += changed
            file.write_text(text, encoding="utf-8")
        if not count:
            sys.exit(f"convert: nothing in {pattern} is like {old}: is it another version?")


convert(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
