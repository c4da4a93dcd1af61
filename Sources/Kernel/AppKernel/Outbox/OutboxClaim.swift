package import Foundation

/// The right to work on an entry, until it is settled, cancelled, or another opening of the queue takes it over.
package struct OutboxClaim<Work: OutboxWork>: Sendable {
    package var entry: OutboxEntry<Work>
    /// Names this claim alone, so that a settlement that comes too late is recognised.
    package var lease: UUID
    /// What an earlier attempt has saved.
    package var checkpoint: Data?
    /// The stored receipt, when the work is done and only the recording is left.
    package var receipt: Data?
    /// The policy of the entry's kind.
    package var policy: OutboxPolicy
}
