import Foundation
public import Services
import Synchronization

/// Compares what screens show in a replay with what they showed when it was recorded, screen by screen.
public final class ScreenComparison: ScreenLog {
    private let recorded: [String: [RecordedScreen]]
    /// Nanoseconds since the session's start.
    private let now: @Sendable () -> Int64
    private let comparison: Comparison
    private let mask: SecretMask
    private let next = Mutex<[String: Int]>([:])

    /// Compares with a recording.
    ///
    /// - Throws: `damaged`.
    public convenience init(
        _ session: SessionReader,
        clock: SessionClock,
        comparison: Comparison
    ) throws(SessionError) {
        try self.init(session, comparison: comparison) { clock.nanoseconds }
    }

    /// Compares with a recording.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - comparison: Where differences go.
    ///   - now: Nanoseconds since the session's start.
    /// - Throws: `damaged`.
    public init(
        _ session: SessionReader,
        comparison: Comparison,
        now: @escaping @Sendable () -> Int64
    ) throws(SessionError) {
        recorded = Dictionary(grouping: try session.screens(), by: \.screen)
        self.now = now
        self.comparison = comparison
        mask = session.mask(of: [])
    }

    /// Does nothing: what a replay has of secrets is no secret.
    public func learn(_ secrets: [Secret]) {}

    /// Compares the next state or action of a screen.
    public func note(_ kind: RecordedScreen.Kind, of screen: String, json: String) {
        let index = next.withLock { next in
            defer { next[screen, default: 0] += 1 }
            return next[screen, default: 0]
        }
        let expected = recorded[screen] ?? []
        guard !recorded.isEmpty else { return }
        let before = index < expected.count ? expected[index] : nil
        if let before, before.kind == kind,
            before.json == json || mask.masked(before.json) == mask.masked(json)
        {
            return comparison.same()
        }
        let field = before.flatMap { $0.kind == kind ? JSONDifference($0.json, json) : nil }
        let difference = Difference(
            nanoseconds: now(),
            place: "screen \(screen), \(kind.rawValue) \(index)" + (field.map { ", \($0.path)" } ?? ""),
            recorded: field?.old ?? before.map { "\($0.kind.rawValue) \(excerpt($0.json))" }
                ?? "nothing more",
            replayed: field?.new ?? "\(kind.rawValue) \(excerpt(json))"
        )
        if before == nil { comparison.exceeds(difference) } else { comparison.differs(difference) }
    }

    /// Notes the first recorded state or action that did not come again.
    ///
    /// - Parameter end: The time up to which it had to, in nanoseconds since the start; `nil` for all.
    public func finish(until end: Int64? = nil) {
        let counts = next.withLock { $0 }
        for (screen, expected) in recorded.sorted(by: { $0.key < $1.key }) {
            let count = counts[screen] ?? 0
            guard count < expected.count, expected[count].nanoseconds <= end ?? .max else { continue }
            comparison.differs(
                Difference(
                    nanoseconds: expected[count].nanoseconds,
                    place: "screen \(screen), \(expected[count].kind.rawValue) \(count)",
                    recorded: "\(expected[count].kind.rawValue) \(excerpt(expected[count].json))",
                    replayed: "nothing more"
                )
            )
        }
    }

    private func excerpt(_ text: String) -> String {
        text.count <= 200 ? text : "\(text.prefix(200))…"
    }
}
