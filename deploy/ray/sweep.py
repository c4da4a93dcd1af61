#!/usr/bin/env python3
"""Runs one sweep of lenssim in parts on Ray, and joins them.

Example: sweep.py --lenssim .build/release/lenssim lens-upload --seeds 1...100000 --shards 64 --out whole.json -- --plan swarm

What follows -- goes to lenssim explore. For the tests of a package leave out the scenario, and name the package there; it is
at the same path on every machine, with its tests built: sweep.py --lenssim lenssim --shards 64 -- --package /srv/bank --skip-build
Without --address a Ray is started on this machine alone. Exits with 1 when something was found, as lenssim does.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import ray

FOUND_NOTHING, FOUND_SOMETHING = 0, 1


@ray.remote(num_cpus=1, max_retries=3)
def explore(lenssim, scenario, seeds, shard, shards, options):
    """Runs one part where Ray wants it, and brings its result back."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "part.json"
        command = [
            lenssim, "explore", *([scenario] if scenario else []), "--seeds", seeds, "--shard", f"{shard}/{shards}", "--jobs", "1",
            "--keep-going", "--no-shrink", "--json", "--out", str(out), *options,
        ]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode not in (FOUND_NOTHING, FOUND_SOMETHING):
            raise RuntimeError(f"part {shard} of {shards} ended with {run.returncode}: {run.stderr.strip()}")
        # A part without seeds writes nothing.
        return out.read_bytes() if out.exists() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", nargs="?")
    parser.add_argument("--lenssim", required=True, help="the program, at the same path on every machine")
    parser.add_argument("--seeds", default="1...10000")
    parser.add_argument("--shards", type=int, default=0, help="how many parts; one for each CPU of the cluster if left out")
    parser.add_argument("--out", default="sweep.json", help="where the joined result goes")
    parser.add_argument("--address", help="of a running Ray, such as auto")
    # argparse would take what follows -- for further names of scenarios.
    own = sys.argv[1:]
    end = own.index("--") if "--" in own else len(own)
    arguments, options = parser.parse_args(own[:end]), own[end + 1 :]
    lenssim = pathlib.Path(arguments.lenssim).absolute()
    if not arguments.address and not lenssim.exists():
        parser.error(f"there is no {lenssim}")

    ray.init(address=arguments.address, log_to_driver=False, include_dashboard=False if not arguments.address else None)
    shards = arguments.shards or int(ray.cluster_resources().get("CPU", 1))
    waiting = {
        explore.remote(str(lenssim), arguments.scenario, arguments.seeds, shard, shards, options): shard
        for shard in range(1, shards + 1)
    }
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        while waiting:
            [done], _ = ray.wait(list(waiting), num_returns=1)
            shard = waiting.pop(done)
            if (result := ray.get(done)) is not None:
                parts.append(pathlib.Path(folder) / f"{shard}.json")
                parts[-1].write_bytes(result)
            print(f"part {shard} is done, {len(waiting)} to go", file=sys.stderr)
        merge = [str(lenssim), "merge", *sorted(map(str, parts)), "--out", arguments.out]
        sys.exit(subprocess.run(merge).returncode)


if __name__ == "__main__":
    main()
