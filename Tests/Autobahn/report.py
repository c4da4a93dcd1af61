"""The report about the cases of autobahntestsuite, in Markdown."""

import collections
import fnmatch

SECTIONS = {
    1: "Framing",
    2: "Pings and pongs",
    3: "Reserved bits",
    4: "Opcodes",
    5: "Fragmentation",
    6: "UTF-8",
    7: "Closing",
    9: "Limits and speed",
    10: "Fragmentation of its own",
}

EARLY = (
    "the message before the violation is read, but its echo is not sent: a message goes to a task that reads it, and the"
    " connection fails as soon as the violation arrives, which may be sooner"
)

# Why cases may be NON-STRICT.
REASONS = {"3.*": EARLY, "4.*": EARLY, "5.15": EARLY}

HEAD = """# Autobahn

The cases of [autobahntestsuite](https://github.com/crossbario/autobahn-testsuite) 25.10.1 for WebSockets, sections 1 to 7, 9
and 10, with `lenssim serve echo` as server and with a client on `LiveTransport` that echoes. `make autobahn` runs them and
writes this page.

The suite is Python 2.7. Its cases are converted by 2to3 when they are installed (`Tests/Autobahn/convert.py` lists what
2to3 does not know) and run over asyncio on the protocol that the suite asks for, autobahn 0.10.9; byte strings are text whose
characters are the bytes. Two lists of events are equal when their elements are, where the suite compares their pickles.

Sections 12 and 13 are about compression (RFC 7692), which `LiveTransport` neither offers nor accepts; they are not run.
The suite itself leaves out section 8 and case 9.9.1.

`OK` is as the specification wants it, `NON-STRICT` conforms but not in the best way, and for `INFORMATIONAL` the
specification leaves the behaviour open. The second word is about the end of the connection.
"""


def tally(results):
    counts = collections.Counter(result.behavior if result.is_good else "FAILED" for result in results)
    order = ["OK", "NON-STRICT", "INFORMATIONAL", "FAILED"]
    return ", ".join(f"{counts[name]} {name}" for name in order if counts[name])


def cell(result):
    words = f"{result.behavior}, {result.close}"
    code = f" {result.code}" if result.code else ""
    return f"{words}{code}" if result.is_good else f"**{words}**{code}"


def report(server, client, kinds):
    """The page, and whether all cases are as they should be."""
    lines = [HEAD]
    both = list(zip(server, client))
    lines += ["| section | cases | server | client |", "| --- | ---: | --- | --- |"]
    for number, title in SECTIONS.items():
        rows = [pair for pair in both if pair[0].section[0] == number]
        if rows:
            ends = [tally([pair[end] for pair in rows]) for end in (0, 1)]
            lines.append(f"| {number} {title} | {len(rows)} | {ends[0]} | {ends[1]} |")
    lines.append(f"| all | {len(both)} | {tally(server)} | {tally(client)} |")

    failed, lax = [], collections.defaultdict(list)
    for end, results in (("server", server), ("client", client)):
        for result in results:
            if not result.is_good:
                failed.append(f"- {end} {result.name}: {result.detail} {result.close_detail}.")
            elif result.behavior == "NON-STRICT":
                reason = next((why for pattern, why in REASONS.items() if fnmatch.fnmatch(result.name, pattern)), None)
                if reason:
                    lax[reason].append(f"{end} {result.name}")
                else:
                    failed.append(f"- {end} {result.name}: NON-STRICT without a reason")
    if failed:
        lines += ["\n## Failed\n", *failed]
    if lax:
        lines += ["\n## NON-STRICT\n", *(f"- {', '.join(names)}: {why}." for why, names in lax.items())]

    lines += ["\n## Cases\n", "| case | server | client | what it does |", "| --- | --- | --- | --- |"]
    for one, other in both:
        text = " ".join(kinds["Case" + one.name.replace(".", "_")].DESCRIPTION.split("<br")[0].split())
        text = text.replace("|", "\\|").replace("<b>", "").replace("</b>", "")
        lines.append(f"| {one.name} | {cell(one)} | {cell(other)} | {text[:120]} |")
    return "\n".join(lines) + "\n", not failed
