package import Foundation

/// The right to work on an entry, until it is settled or another opening of the queue takes it over.
package struct OutboxClaim<Payload: Sendable>: Sendable {
    package var entry: OutboxEntry<Payload>
    /// Names this claim alone, so that a settlement that comes too late is recognised.
    package var lease: UUID
    /// The stored receipt, when the work is done and only the recording is left.
    package var receipt: Data?
}
