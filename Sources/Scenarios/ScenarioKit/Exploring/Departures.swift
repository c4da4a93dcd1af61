import Foundation
import SessionRecording
import Simulation

/// Decides what comes at another time than it did in a recording.
///
/// Each departure from the recorded time is a decision of a fault source, such as `late GET /letters`: a run without any of them has the
/// recorded times, a failing run shrinks to those that matter, and a recipe names them. Of runs in which chance decides, some
/// have no departures, others few or many, and they are short or long.
struct Departures: Sendable {
    private let probability: Double
    /// The latest that something comes, in seconds.
    private let longest: Double

    /// The latest that anything comes in any run.
    static let mostDelay = Duration.seconds(10)
    /// The most by which a user is earlier or later.
    private static let mostMove: Int64 = 1_000_000_000

    /// Draws how a run departs from its recording.
    init(of simulation: Simulation) {
        var entropy = simulation.entropy("departures")
        probability = [0, 0.05, 0.2, 0.5][Int.random(in: 0..<4, using: &entropy)]
        longest =
            [0.02, 0.2, 2, Self.mostDelay / .seconds(1)][Int.random(in: 0..<4, using: &entropy)]
    }

    /// How long a peer takes for what it has to say next, where it took a time in the recording.
    func time(of gap: Duration, for name: String) -> Duration {
        let lateness = delay(of: name)
        guard var chance = fires("early \(name)", probability / 3), lateness == .zero else {
            return gap + lateness
        }
        return gap * Double.random(in: 0..<1, using: &chance)
    }

    /// How much later something comes; zero where it comes when it did.
    func delay(of name: String) -> Duration {
        guard var chance = fires("late \(name)", probability) else { return .zero }
        // As often much as little: a race of two answers wants a millisecond, a time-out seconds.
        let seconds =
            Bool.random(using: &chance)
            ? Double.random(in: 0...longest, using: &chance)
            : 0.001 * pow(longest / 0.001, Double.random(in: 0...1, using: &chance))
        return .nanoseconds(Int64(seconds * 1e9))
    }

    /// What users do, some of it a little earlier or later; its order stays, and so does the time of the end.
    ///
    /// - Parameters:
    ///   - actions: What they did.
    ///   - end: When they ended it, in nanoseconds since the start.
    func moved(_ actions: [RecordedScreen], end: Int64) -> [RecordedScreen] {
        var moved = actions
        for index in actions.indices {
            let time = actions[index].nanoseconds
            let next = index + 1 < actions.count ? actions[index + 1].nanoseconds : max(time, end)
            let before = index > 0 ? moved[index - 1].nanoseconds : 0
            let name = "action on \(actions[index].screen)"
            if var chance = fires("late \(name)", probability / 2) {
                moved[index].nanoseconds += Int64.random(
                    in: 0...max(0, min(Self.mostMove, next - time)),
                    using: &chance
                )
            }
            if var chance = fires("early \(name)", probability / 2) {
                moved[index].nanoseconds -= Int64.random(
                    in: 0...max(0, min(Self.mostMove, time - before)),
                    using: &chance
                )
            }
            moved[index].nanoseconds = max(moved[index].nanoseconds, before)
        }
        return moved
    }

    private func fires(_ source: String, _ probability: Double) -> FaultChance? {
        Simulation.current?.faultSource(source).fires(probability: probability)
    }
}
