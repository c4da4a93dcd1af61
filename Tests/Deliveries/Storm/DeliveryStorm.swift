internal import AppKernel
internal import Files
internal import Probes
package import ScenarioKit
internal import SimulatedDisk
internal import Simulation

/// Files and words are delivered while everything goes wrong that can; then everything works, and the promise is checked.
package struct DeliveryStorm: Scenario {
    /// The command-line name.
    package static let name = "delivery-storm"
    /// One sentence.
    package static let summary = "what was accepted takes effect exactly once, or is reported failed"
    /// What a sweep over it should reach.
    package static let expects = [
        "the power goes while a wish is accepted", "the power goes at another time",
        "a wish finds the disk full",
        "a second process takes over", "an older process is refused", "a wish in work is superseded",
        "a wish in work is taken back", "a wish expires", "a wish is refused by its service",
        "a wish was interrupted too often", "a service is asked twice for the same",
    ]
    /// What can be set.
    package static let settings: [Setting<Self>] = [
        Setting("steps", \.steps, in: 1...10_000, "What the user does.")
    ]

    /// What the user does.
    package var steps = 16

    /// Makes one with its defaults.
    package init() {}

    /// Runs the scenario and checks its properties.
    package func run() async throws -> ScenarioSummary {
        let lifetime = [20, 60, 3_600].randomElement() ?? 60
        let drawn = (0..<steps).map { _ in StormStep.random() }
        let world = try await DeliveryWorld.start(tokenLifetime: .seconds(lifetime))
        for number in Simulation.work("steps", count: steps) {
            try await Task.sleep(for: drawn[number].pause)
            try await world.happens(drawn[number].event)
            try await world.switchOn()
            try await world.user(number, drawn[number])
        }
        try await Task.sleep(for: .seconds(Int.random(in: 0...5)))
        try await world.calm()
        try await world.settle()
        // What is still on its way, such as a request that a proxy has kept, comes within that time.
        try await Task.sleep(for: .seconds(7_200))
        try await world.base.restart()
        let outcome = try world.outcome()
        try world.promise.check(outcome)
        try world.checkDevice()
        sometimes(
            "a wish is refused by its service",
            outcome.entries.contains { $0.work.content == .words("refused") }
        )
        sometimes("a wish expires", outcome.entries.contains { $0.reason == .expired })
        sometimes("a service is asked twice for the same", world.actions.repetitions > 0)
        try await world.base.shutdown()
        return ScenarioSummary([
            "wishes": outcome.noted.count, "effects": outcome.effects.count,
            "ends": world.base.device.crashes,
        ])
    }
}
