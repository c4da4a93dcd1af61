import CSimulation
import Glibc
import Simulation
import Testing

/// How names and lines of addresses are found.
@Suite("Symbols", .timeLimit(.minutes(10)))
struct LiveSymbolTests {
    private func here() -> [UInt] { Self.here() }

    /// Return addresses, the innermost in this file.
    @inline(never)
    private static func here() -> [UInt] {
        let most: UInt32 = 8
        return unsafe withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: Int(most)) {
            guard let start = $0.baseAddress else { return [] }
            unsafe csim_walk_callers(start, most)
            return unsafe $0.compactMap { place in unsafe place.map { UInt(bitPattern: $0) } }
        }
    }

    private func isOwn(_ symbol: Symbol) -> Bool {
        symbol.origin == .program && symbol.frame.file?.hasSuffix("/LiveSymbolTests.swift") == true
    }

    @Test func `an address has its function, file and line`() throws {
        let (addresses, line) = (here(), #line)
        let found = symbols(of: addresses)
        let own = addresses.flatMap { found[$0] ?? [] }.filter(isOwn).map(\.frame)
        let here = own.first { $0.function.hasSuffix("LiveSymbolTests.here()") }
        #expect(here.map { $0.line < line } == true)
        let caller = own.first { $0.line == line }
        #expect(caller?.function.contains("LiveSymbolTests") == true, "\(own)")
    }

    @Test func `a tool that has ended is started again`() throws {
        let addresses = here()
        var reader = SymbolReader()
        let before = reader.symbols(of: addresses)
        let process = try #require(reader.symbolizer?.process)
        kill(process, SIGKILL)
        let after = reader.symbols(of: addresses)
        #expect(after == before)
        #expect(after.values.joined().contains(where: isOwn))
        #expect(reader.symbolizer?.process != process)
    }

    @Test func `without the tool the process reads the same lines itself`() throws {
        // One address of the program, since each costs the process a search.
        let addresses = Array(here().dropFirst().prefix(1))
        var own = SymbolReader(paths: ["/no/such/tool"])
        var tool = SymbolReader()
        let expected = tool.symbols(of: addresses)
        #expect(expected.values.joined().contains(where: isOwn))
        let found = own.symbols(of: addresses)
        #expect(found == expected, "\(found.values.joined().map { $0.frame.file ?? "-" })")
    }

    @Test func `the tool ends with its owner`() throws {
        var ended: Int32 = 0
        do {
            let symbolizer = try #require(Symbolizer())
            ended = symbolizer.process
            #expect(symbolizer.process > 0 && kill(ended, 0) == 0)
        }
        #expect(kill(ended, 0) == -1 && errno == ESRCH)
    }

    @Test func `a simulated program that waits for any child does not find the tool, which is started again`()
        async
    {
        await #expect(processExitsWith: .success) {
            let addresses = LiveSymbolTests.here()
            var reader = SymbolReader()
            let before = reader.symbols(of: addresses)
            #expect(reader.symbolizer?.isRunning == true)
            let waits = try Simulation(seed: 1).run {
                [
                    (waitpid(-1, nil, 0), errno), (wait(nil), errno), (wait4(-1, nil, 0, nil), errno),
                    (waitid(P_ALL, 0, nil, WEXITED), errno),
                ]
            }
            #expect(waits.allSatisfy { $0.0 == -1 && $0.1 == ECHILD }, "\(waits)")
            for _ in 0..<3 {
                _ = try Simulation(seed: 1).run { waitpid(-1, nil, WNOHANG) }
                #expect(reader.symbols(of: addresses) == before)
                #expect(reader.symbolizer?.isRunning == true)
            }
        }
    }

    @Test func `a tool that is not one is given up`() throws {
        let silent = try #require(Symbolizer(paths: ["/bin/true"]))
        #expect(silent.places(at: 0x1000, in: "/proc/self/exe") == nil)
        let isMissing = Symbolizer(paths: ["/no/such/tool"]) == nil
        #expect(isMissing)
    }

    @Test func `reading symbols inside a simulation changes nothing there`() throws {
        let addresses = here()
        func run(reading: Bool) throws -> SimulationReport {
            try Simulation(seed: 3).runReporting {
                if reading {
                    var reader = SymbolReader()
                    let world = unsafe csim_set_current(nil)
                    let found = reader.symbols(of: addresses)
                    _ = unsafe csim_set_current(world)
                    #expect(found.values.joined().contains(where: isOwn))
                    // And by way of what is known already.
                    #expect(symbols(of: addresses).count == Set(addresses).count)
                }
                try await Task.sleep(for: .seconds(Int.random(in: 1...9)))
            }.report
        }
        let (with, without) = (try run(reading: true), try run(reading: false))
        #expect(with.hash == without.hash && with.time == without.time)
        #expect(with.escapes.isEmpty)
    }

    @Test func `an answer has a name and a place for each inlined function`() {
        let answer = "inner\n/a:b/In.swift:12:5\nouter\n??:0:0\n\n"
        let parsed = Symbolizer.parse(answer)
        #expect(parsed.map(\.name) == ["inner", "outer"])
        #expect(parsed.map(\.file) == ["/a:b/In.swift", nil])
        #expect(parsed.map(\.line) == [12, 0])
        #expect(Symbolizer.parse("??\n??:0:0\n\n").isEmpty)
    }
}
