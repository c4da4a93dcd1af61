import LensScenarios
import Simulation
import Synchronization

/// One simulated hour of `lens-streaming`: 18,000 frames at 320×180, each encoded by the app, carried over the simulated
/// network, decoded and read by the model's server; or with JPEG files made beforehand.
///
/// Besides, a day with such files, in which the service ends a connection every ten minutes, as it announces.
///
/// The app's database, which lies on a phone's disk, is in memory here: it is a figure of its own, and growth is that of
/// all other memory.
enum LensHour {
    static let drawn = benchmark(
        "lens-hour.drawn",
        "an hour of lens-streaming, every frame drawn and encoded",
        false
    )
    static let prepared = benchmark(
        "lens-hour.prepared",
        "an hour of lens-streaming with prepared JPEG files",
        true
    )

    static let day = benchmark(
        "lens-day",
        "a day of lens-streaming with prepared JPEG files",
        true,
        hours: 24
    )

    private static func benchmark(
        _ name: String,
        _ summary: String,
        _ usesPreparedFrames: Bool,
        hours: Int = 1
    ) -> Benchmark {
        Benchmark(name: name, summary: summary) { options in
            var scenario = LensStreaming()
            scenario.usesPreparedFrames = usesPreparedFrames
            scenario.seconds = 60
            _ = try hour(scenario)
            scenario.seconds = 3_600 * hours
            return try measure(name, scenario, rounds: options.rounds ?? (hours == 1 ? 3 : 1))
        }
    }

    private static func measure(_ name: String, _ scenario: LensStreaming, rounds: Int) throws -> [Finding] {
        var time = Samples(), wall = Samples(), speed = Samples()
        var memory: [Memory] = []
        for _ in 0..<rounds {
            ProcessMemory.forgetPeak()
            let (samples, elapsed) = try Elapsed.of { try hour(scenario) }
            time.add(elapsed.thread)
            wall.add(elapsed.wall)
            speed.add(Double(scenario.seconds) / elapsed.thread)
            memory.append(samples)
        }
        func resident(_ suffix: String, _ value: (Memory) -> Int) -> Finding {
            Finding("\(name).\(suffix)", "MiB", Samples(memory.map { Double(value($0)) / 1_048_576 }))
        }
        let growth = Samples(memory.map { Double($0.end.withoutSQLite) / Double($0.quarter.withoutSQLite) })
        return [
            Finding("\(name).time", "core seconds", time), Finding("\(name).wall", "seconds", wall),
            Finding("\(name).speed", "simulated s/s", speed),
            resident("quarter", \.quarter.resident), resident("half", \.half.resident),
            resident("end", \.end.resident), resident("peak", \.end.peak),
            resident("database.quarter", \.quarter.sqlite), resident("database.end", \.end.sqlite),
            Finding("\(name).growth", "×", growth),
        ]
    }

    private struct Memory: Sendable {
        var quarter = ProcessMemory.read()
        var half = ProcessMemory.read()
        var end = ProcessMemory.read()
    }

    private static func hour(_ scenario: LensStreaming) throws -> Memory {
        let memory = Mutex(Memory())
        try Simulation(seed: 1).run {
            let world = Simulation.current
            let (length, read) = (Duration.seconds(scenario.seconds), ProcessMemory.read)
            world?.schedule(after: length / 4) { memory.withLock { $0.quarter = read() } }
            world?.schedule(after: length / 2) { memory.withLock { $0.half = read() } }
            // A little before the stream ends, so that a last check's own copies are not counted.
            world?.schedule(after: length - .milliseconds(100)) { memory.withLock { $0.end = read() } }
            _ = try await scenario.run()
        }
        return memory.withLock { $0 }
    }
}
