import Conformance
import Services

/// A monitor on trial, with its harness at hand.
struct Trial: Sendable {
    let monitor: any NetworkMonitor
    let patience: Duration
    let change: @Sendable (Bool) async throws -> Void
    let disturb: @Sendable () async throws -> Void
    let end: @Sendable () async throws -> Void
    let takeDown: @Sendable () async -> Void

    static func make<Harness: NetworkMonitorHarness>(
        _ harness: Harness,
        _ isConnected: Bool?
    ) async throws -> Trial {
        let monitor =
            if let isConnected { try await harness.makeMonitor(isConnected: isConnected) } else {
                try await harness.makeConstantMonitor()
            }
        return Trial(
            monitor: monitor,
            patience: harness.patience,
            change: { try await harness.change(monitor, to: $0) },
            disturb: { try await harness.disturb(monitor) },
            end: { try await harness.end(monitor) },
            takeDown: { await harness.takeDown(monitor) }
        )
    }

    /// Changes the network, and waits until the monitor says so to a new reader.
    func set(_ isConnected: Bool) async throws {
        try await change(isConnected)
        try await says(isConnected)
    }

    /// Waits until the monitor says so to a new reader.
    func says(_ isConnected: Bool) async throws {
        let words = isConnected ? "a network that has come" : "a network that has gone"
        let changes = monitor.changes()
        try await requireEnd("\(words) is reported", within: patience) {
            for await value in changes where value == isConnected { return }
            throw ConformanceFailure("\(words) is reported", saw: "the end of the changes")
        }
    }

    /// Reads so many values of a stream, which may be read on then; fewer where it ends before.
    func read(_ count: Int, of changes: AsyncStream<Bool>) async throws -> [Bool] {
        try await requireEnd("\(count) values come", within: patience) {
            var values: [Bool] = []
            for await value in changes {
                values.append(value)
                if values.count == count { break }
            }
            return values
        }
    }

    /// Reads a stream to its end.
    func rest(of changes: AsyncStream<Bool>, _ requirement: String) async throws -> [Bool] {
        try await requireEnd(requirement, within: patience) {
            await changes.reduce(into: []) { $0.append($1) }
        }
    }
}
