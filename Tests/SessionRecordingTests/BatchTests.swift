import Foundation
import SessionRecording
import Synchronization
import Testing

@Suite("Batches of a session file")
struct BatchTests {
    private final class Log: Sendable {
        let written = Mutex<[Int]>([])
        let next = Mutex(0)
        let isFirst = Atomic(true)
        let busy = Atomic(0)
    }

    @Test func `a batch is written after the one before it, whichever threads have filled them`() async {
        let log = Log()
        let batches = Batches<Int> { rows in
            #expect(log.busy.add(1, ordering: .sequentiallyConsistent).oldValue == 0, "two at once")
            // The first batch takes its time: the others have filled theirs before it is done.
            if log.isFirst.exchange(false, ordering: .relaxed) {
                for _ in 0..<300_000 { _ = log.busy.load(ordering: .sequentiallyConsistent) }
            }
            log.written.withLock { $0 += rows }
            log.busy.subtract(1, ordering: .sequentiallyConsistent)
        }
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<3_000 {
                        let isFull = log.next.withLock { next in
                            defer { next += 1 }
                            return batches.append(next, bytes: 10)
                        }
                        if isFull { batches.flush() }
                    }
                }
            }
        }
        batches.flush()
        #expect(log.written.withLock { $0 } == Array(0..<12_000))
    }

    @Test func `rows wait until there are 256 of them, or 1 MiB`() {
        let batches = Batches<Int> { _ in }
        #expect((1...256).map { batches.append($0, bytes: 1) }.firstIndex(of: true) == 255)
        batches.flush()
        #expect(!batches.append(0, bytes: (1 << 20) - 1))
        #expect(batches.append(0, bytes: 1))
    }
}
