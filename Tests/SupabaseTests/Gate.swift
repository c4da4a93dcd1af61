import Synchronization
import Transport

/// Holds everybody back until all are there.
actor Gate {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { missing = count }

    func pass() async {
        missing -= 1
        if missing > 0 {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }

    /// A body whose bytes come when the gate opens.
    nonisolated func body(_ bytes: [UInt8]) -> HTTPBody {
        let isRead = Mutex(false)
        let stream = ByteStream { [self] () async throws(TransportError) in
            if isRead.withLock({ isRead in
                defer { isRead = true }
                return isRead
            }) {
                return nil
            }
            await pass()
            return bytes
        }
        return .stream(stream, length: nil)
    }
}
