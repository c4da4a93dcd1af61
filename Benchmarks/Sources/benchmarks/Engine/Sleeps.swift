import Simulation

/// Sleeps a second: 200 tasks with 1,000 random sleeps of 1 to 2,000 µs, beside the same in Go's `testing/synctest`.
///
/// The peer does not choose its order, and cannot repeat it.
enum Sleeps {
    private static let tasks = 200
    private static let sleepsPerTask = 1_000

    static let benchmark = Benchmark(
        name: "sleeps",
        summary: "sleeps a second of 200 tasks, beside Go's testing/synctest"
    ) { options in
        let rounds = max(5, options.rounds ?? 15)
        let peer: SynctestPeer?
        let reason: String
        switch SynctestPeer.find(options.synctest) {
        case .success(let found): (peer, reason) = (found, "")
        case .failure(let failure):
            (peer, reason) = (nil, failure.text)
            progress("sleeps: NO PEER, \(reason)")
        }
        var ours = Times(), theirs = Times()
        // A, B, A, B and so on, after a warm-up of each: both see the same machine.
        for round in 0...rounds {
            let (a, b) = (try simulate(), try peer?.run())
            guard round > 0 else { continue }
            ours.add(a)
            if let b { theirs.add(b) }
        }
        let simulation = Finding("sleeps.simulation", "sleeps/core s", ours.thread)
        guard peer != nil else {
            return [
                simulation, Finding("sleeps.synctest", "sleeps/core s", skipped: reason),
                Finding("sleeps.ratio", "×", skipped: reason),
            ]
        }
        return [
            simulation, Finding("sleeps.synctest", "sleeps/core s", theirs.thread),
            Finding("sleeps.ratio", "×", ours.thread.divided(by: theirs.thread)),
            Finding("sleeps.ratio.wall", "×", ours.wall.divided(by: theirs.wall)),
        ]
    }

    /// Sleeps a second, of real time and of one core.
    private struct Times {
        var wall = Samples(), thread = Samples()

        mutating func add(_ elapsed: Elapsed) {
            wall.add(Double(tasks * sleepsPerTask) / elapsed.wall)
            thread.add(Double(tasks * sleepsPerTask) / elapsed.thread)
        }
    }

    private static func simulate() throws -> Elapsed {
        try Elapsed.of { try Simulation(seed: 1).run(sleeping) }.elapsed
    }

    @Sendable private static func sleeping() async {
        await withTaskGroup { group in
            for number in 0..<tasks {
                group.addTask {
                    // Knuth's MMIX generator, which the peer has too.
                    var x = UInt64(number + 77)
                    for _ in 0..<sleepsPerTask {
                        x = x &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        try? await Task.sleep(for: .microseconds(Int64(1 + (x >> 33) % 2_000)))
                    }
                }
            }
        }
    }
}
