import Simulation
import Transport

/// How long a client waits for its server while it sends a body and afterwards.
final class UploadProgress: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// When the wait for the server has been too long; never while the body makes its next chunk.
    private(set) var deadline = Int64.max
    /// What did not come, once the deadline has passed.
    private(set) var missing = ""

    /// Whether the last byte was sent.
    private(set) var isComplete = false

    private let connection: Connection
    private let limits: HTTPLimits

    init(_ connection: Connection, _ limits: HTTPLimits) {
        self.connection = connection
        self.limits = limits
    }

    /// A chunk waits for room.
    func waits() {
        missing = "the server took nothing of the body for \(limits.progress)"
        set(connection.network.deadline(after: limits.progress.nanoseconds))
    }

    /// The chunk is on its way.
    func passed() { deadline = .max }

    /// The last byte was sent.
    func ended() {
        isComplete = true
        missing = "no response head within \(limits.head)"
        set(connection.network.deadline(after: limits.head.nanoseconds))
    }

    /// Has the reader look at the deadline, which may come earlier than the one it waits for.
    private func set(_ deadline: Int64) {
        self.deadline = deadline
        connection[.client].reader.wake()
    }
}
