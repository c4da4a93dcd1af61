# Two verbs do everything on a fresh machine that has Swift and apt: `make demo` and `make test`.
# They share one debug build, so that the second is quick.

SWIFT ?= swift
SOURCES = Package.swift Sources Simulators Tests Benchmarks/Package.swift Benchmarks/Sources \
	Field/Package.swift Field/StandIns Field/Workloads Examples/Bank Examples/ModelBackend Examples/CameraBackend Examples/StorageBackend Examples/DiscoveryBackend
LENSSIM = .build/debug/lenssim

.PHONY: help demo lens flow argus nova test simulated-first-half simulated-second-half lint format bench docs man check setup build tsan asan zoo page determinism shared-state ray clients validations websockets autobahn hostile-load offline mutants hard-zoo field fuzz test-v4l2 discovery

help:
	@echo "make demo     build, then a full run over real sockets of this machine, replayed"
	@echo "make lens     build, then Lens in your browser: fake camera, simulated services"
	@echo "make flow     build, then Flow in your browser: a sign-up in steps, simulated service"
	@echo "make argus    build, then Argus in your browser: what the cameras of a home hub have seen, simulated home"
	@echo "make nova     build, then Nova in your browser: a feed of pictures that works without a network, simulated service"
	@echo "make test     build, then every test"
	@echo "make check    what CI runs: lint, tests, and the program itself"
	@echo "make lint     formatting and house style; changes nothing"
	@echo "make format   formats the sources"
	@echo "make bench    speed and memory, as a table (release build)"
	@echo "make tsan     the engine's tests under the thread sanitizer"
	@echo "make asan     the engine's tests under the address sanitizer"
	@echo "make mutants  one-line mistakes in our own code: how many do the tests notice?"
	@echo "make hard-zoo  how many of them does a search through the app's scenarios find? (release build)"
	@echo "make zoo      how fast each strategy finds each known bug (release build)"
	@echo "make field    bugs of public packages, before and after their repairs"
	@echo "make determinism  every program twice in two processes, debug and release"
	@echo "make shared-state  ways to share state between seeds, in workers and in a process for each seed, debug and release"
	@echo "make ray      a sweep in parts on a real Ray of this machine (release build)"
	@echo "make clients  official clients with the served simulators; our browser on etcd; Argus with a hub in Python"
	@echo "make validations  suites of requirements on moto, nanio, Apache, WsgiDAV, LLMock and the served simulators; a matrix of all"
	@echo "make websockets  other WebSocket libraries, Node and Chromium with ours, as clients and as servers"
	@echo "make autobahn  autobahntestsuite's cases, against the WebSockets of server and client"
	@echo "make hostile-load  the served simulators under hostile clients, in bounded memory"
	@echo "make offline  every test where there is no network, only a loopback"
	@echo "make test-v4l2  cameras on drivers of a real kernel, in a virtual machine"
	@echo "make discovery  services of the local network with avahi and zeroconf, in network namespaces (as root)"
	@echo "make fuzz     coverage-guided fuzzing of the parsers of foreign bytes, under the address sanitizer"
	@echo "make page     the pages of lenssim report, of the apps, and all components, in a real Chromium, with screenshots"
	@echo "make man      manual pages of the programs and their commands, in .build/man"
	@echo "make docs     the API documentation, in .build/docs"

setup:
	@./scripts/setup

build: setup
	$(SWIFT) build --build-tests
	$(SWIFT) build --product lenssim
	$(SWIFT) build --product lens
	$(SWIFT) build --product flow
	$(SWIFT) build --product argus
	$(SWIFT) build --product nova

# Lens in your browser: everything simulated, nothing leaves the machine. LENS="--camera folder:photos" passes options.
lens: setup
	$(SWIFT) build --product lens
	.build/debug/lens --open $(LENS)

# Flow in your browser: the service is simulated, and its code is printed. FLOW="--token-lifetime 5" passes options.
flow: setup
	$(SWIFT) build --product flow
	.build/debug/flow --open $(FLOW)

# Argus in your browser: hub, relay and notifications are simulated; the pairing code is printed. ARGUS="--event-interval 10" passes options.
argus: setup
	$(SWIFT) build --product argus
	.build/debug/argus --open $(ARGUS)

# Nova in your browser: service, storage, issuer and photos are simulated; the account is printed. NOVA="--token-lifetime 30" passes options.
nova: setup
	$(SWIFT) build --product nova
	.build/debug/nova --open $(NOVA)

# Manual pages of the programs and their commands, in .build/man: man -l .build/man/lenssim.replay.1
man: setup
	$(SWIFT) build --product generate-manual
	for program in lenssim lens flow argus nova; do \
	    $(SWIFT) build --product $$program && mkdir -p .build/man && \
	    .build/debug/generate-manual --multi-page --output-directory .build/man .build/debug/$$program || exit; \
	done

demo: setup
	$(SWIFT) build --product lenssim
	$(LENSSIM) demo $(DEMO)

# Real sockets and real processes have to keep real time: their tests run before those that keep all cores busy, and
# only so many at once that each of them goes on. Sockets come first, since what starts processes keeps cores busy, too.
# Tests/HouseRuleTests sees to it that the pattern matches them all.
SOCKETS = ^TransportTests\.|^(SimulatedTransport|LensScenario)Tests\.Live
LIVE = ^TransportTests\.|^LenssimTests\.|\.Live[A-Za-z]*Tests/
LIVE_WIDTH = 6
# The others wait for processors alone; without a limit all of them begin at once, and a token that one has made ends before it is used.
WIDTH = 8
# Simulations of one process run one after the other, so two processes share them.
HALF = ^[A-L]
# Whatever ends make ends both.
WITH_PARENT := $(shell command -v setpriv >/dev/null 2>&1 && echo setpriv --pdeathsig KILL)

test: setup
ifdef TEST
	$(SWIFT) test $(TEST)
else
	$(SWIFT) build --build-tests
	exec ./scripts/run-tests --filter '$(SOCKETS)' --experimental-maximum-parallelization-width $(LIVE_WIDTH)
	exec ./scripts/run-tests --filter '$(LIVE)' --skip '$(SOCKETS)' --experimental-maximum-parallelization-width $(LIVE_WIDTH)
	+exec $(WITH_PARENT) $(MAKE) --no-print-directory --jobs=2 simulated-first-half simulated-second-half
endif

simulated-first-half:
	exec ./scripts/run-tests --filter '$(HALF)' --skip '$(LIVE)' --experimental-maximum-parallelization-width $(WIDTH)

simulated-second-half:
	exec ./scripts/run-tests --skip '$(HALF)' --skip '$(LIVE)' --experimental-maximum-parallelization-width $(WIDTH)

lint:
	$(SWIFT) format lint --strict -p -r $(wildcard $(SOURCES))

format:
	$(SWIFT) format -i -p -r $(wildcard $(SOURCES))

check:
	@./.ci/run

bench: setup
	$(MAKE) -C Benchmarks run

# Cameras on vivid and v4l2loopback, in a virtual machine that the first run installs from Debian's packages.
test-v4l2: setup
	$(SWIFT) build --product lenssim
	$(SWIFT) build --product MotionJPEGFeed
	$(SWIFT) build -c release --product V4L2Check
	@./scripts/v4l2-checks

# FUZZ="600 gemini-client" fuzzes one parser for ten minutes.
fuzz: setup
	@./scripts/fuzz $(FUZZ)

# The engine's targets and tests without the rest of the package: no other package, no Debian package.
ENGINE_ALONE = LENSSIM_ENGINE_ONLY=1 $(SWIFT)

# Not the tests of escapes: the sanitizer stands before Dispatch itself, and ours is not asked.
tsan:
	TSAN_OPTIONS=suppressions=$(CURDIR)/scripts/tsan-suppressions $(ENGINE_ALONE) test --sanitize=thread --scratch-path .build/tsan \
		--filter 'InterleavingTests|DeterminismTests|NodeTests|EntropyCanaryTests|ToolchainCanaryTests' \
		--skip 'every function that a simulation answers'

# The engine's tests under the address sanitizer. Not the leaks: a task that is suspended forever cannot be destroyed.
# Not the reuse of an actor's memory, which the sanitizer keeps back, an exit that it stands before, nor functions that it
# takes the place of. Signals are the engine's.
ASAN = detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:handle_abort=0
asan:
	ASAN_OPTIONS=$(ASAN) $(ENGINE_ALONE) test --sanitize=address --scratch-path .build/asan \
		--filter '^SimulationTests\.|^ExplorationTests\.' \
		--skip 'an actor that is made in the memory of another|a run without a name says its seed|every function that a simulation answers'

# Tests/Mutants: MUTANTS="--district network" runs one list, MUTANTS="--only ID" one mutant.
mutants: setup
	@./scripts/mutants $(MUTANTS)

# Tests/Mutants/search.py: HARD="--only ID" searches for one mutant; Documentation/HarderZoo.md keeps the table of the last full run.
hard-zoo: setup
	@./scripts/hard-zoo $(HARD)

# How fast each strategy finds each bug of the zoo; Documentation/Zoo.md keeps the table of the last run that held all bounds.
zoo: setup
	$(SWIFT) build -c release --product lenssim
	.build/release/lenssim zoo --fixed-runs 10000 --markdown > .build/Zoo.md
	@mv .build/Zoo.md Documentation/Zoo.md
	@tail -1 Documentation/Zoo.md

# Public packages at commits with known bugs: FIELD="Clocks Afluent" runs only these; Documentation/Field.md keeps the table.
field:
	@Field/run $(FIELD)

# Every program twice from each of 200 seeds, in two processes, and one seed by each way to ask for it; in both builds.
determinism: setup
	$(SWIFT) build --product lenssim
	$(SWIFT) build -c release --product lenssim
	@./scripts/determinism $(SEEDS)
	@./scripts/one-run

# Every way to share state between seeds, ten times in workers, against a process for each seed, in both builds: hours.
# SHARED="--seeds 1000 --times 2 logger" runs less of it.
shared-state:
	$(ENGINE_ALONE) build --product SharedStateCheck
	$(ENGINE_ALONE) build -c release --product SharedStateCheck
	.build/debug/SharedStateCheck $(SHARED)
	.build/release/SharedStateCheck $(SHARED)

# A sweep in parts on a real Ray, and with the script for Slurm; compared with one process.
ray: setup
	$(SWIFT) build -c release --product lenssim
	@./scripts/ray

# The official Python clients, from PyPI, with the services that `lenssim serve` simulates.
clients: setup
	$(SWIFT) build --product lenssim
	$(SWIFT) build --product EtcdConformance
	@./scripts/clients

# Suites of requirements on servers of others and our own; results and their matrix in .build/results.
validations: setup
	$(SWIFT) build --product lenssim
	$(SWIFT) build --product WebDAVConformance
	$(SWIFT) build --product CompletionsConformance
	@./scripts/validations

# WebSockets of Python's libraries, Node and Chromium, as clients of `lenssim serve echo` and as servers of our client.
websockets: setup
	$(SWIFT) build --product lenssim
	$(SWIFT) build --product EchoClient
	@./scripts/websockets

# autobahntestsuite against both ends of a WebSocket; CASES="6.4.*" runs only these; Documentation/Autobahn.md keeps the results.
autobahn: setup
	$(SWIFT) build --product lenssim
	$(SWIFT) build --product EchoClient
	@./scripts/autobahn $(CASES)

# Slow heads and bodies, floods and half-open upgrades, while others are served: HOSTILE="--seconds 60".
hostile-load: setup
	$(SWIFT) build --product lenssim
	@./scripts/hostile-load $(HOSTILE)

# All tests, or those that OFFLINE="--filter '^TransportTests'" names, in a network namespace with a loopback alone.
offline: build
	@./scripts/offline-tests $(OFFLINE)

# The page of `lenssim report`, that of all components, and those of the apps, used in Debian's Chromium; screenshots in .build/page,
# .build/kit-page, .build/lens-page and so on.
page: setup
	$(SWIFT) build --product lenssim
	$(SWIFT) build --product KitPage
	$(SWIFT) build --product lens
	$(SWIFT) build --product flow
	$(SWIFT) build --product argus
	$(SWIFT) build --product nova
	@./scripts/page
	@./scripts/kit-page
	@./scripts/lens-page
	@./scripts/flow-page
	@./scripts/argus-page
	@./scripts/nova-page
	@./scripts/recording-page

docs: setup
	@./scripts/docs

# Browser and responder of multicast DNS with others, on a network of namespaces.
discovery:
	$(SWIFT) build --product lenssim
	exec ./scripts/discovery
