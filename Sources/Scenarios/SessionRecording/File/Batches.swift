import Synchronization

/// Rows that wait to be written together, which several threads may add to and write.
///
/// Batches are written one after the other, in the order in which their rows were added.
package final class Batches<Row: Sendable>: Sendable {
    private struct Pending {
        var rows: [Row] = []
        var bytes = 0
    }

    private let pending = Mutex(Pending())
    /// Held while rows are taken out and written: between the two no other thread may take the next ones.
    private let writing = Mutex(())
    private let write: @Sendable ([Row]) -> Void

    /// Rows and bytes that are enough for a batch.
    private static var enoughRows: Int { 256 }
    private static var enoughBytes: Int { 1 << 20 }

    /// Begins without rows.
    package init(write: @escaping @Sendable ([Row]) -> Void) { self.write = write }

    /// Adds a row; returns whether there is enough for a batch, which the caller is to flush.
    package func append(_ row: Row, bytes: Int) -> Bool {
        pending.withLock { pending in
            pending.rows.append(row)
            pending.bytes += bytes
            return pending.rows.count >= Self.enoughRows || pending.bytes >= Self.enoughBytes
        }
    }

    /// Writes what waits.
    package func flush() {
        writing.withLock { _ in
            let rows = pending.withLock { pending in
                defer { pending = Pending() }
                return pending.rows
            }
            if !rows.isEmpty { write(rows) }
        }
    }
}
