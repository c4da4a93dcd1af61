import Synchronization

extension Way {
    static var streams: [Way] {
        [
            Way("static-stream", "a static stream that each run fills, and reads as far as that") {
                let run = UInt64.random(in: 0...UInt64.max)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for step in 0..<5 {
                            Feed.send((run, step))
                            await pause()
                        }
                    }
                    group.addTask {
                        let values = await Feed.read(5)
                        try expect(values.map(\.1) == [0, 1, 2, 3, 4], "read \(values.map(\.1))")
                        try expect(values.allSatisfy { $0.0 == run }, "read what another run has sent")
                    }
                    try await group.waitForAll()
                }
            },
            Way("async-queue", "a singleton whose task reads a stream and runs what comes", isAffected: true)
            {
                let order = Mutex<[Int]>([])
                for number in 0..<4 {
                    WorkQueue.shared.add { order.withLock { $0.append(number) } }
                }
                await WorkQueue.shared.wait()
                try expect(order.withLock { $0 } == [0, 1, 2, 3], "ran \(order.withLock { $0 })")
            },
            Way("async-queue-by-run", "a queue in a static variable that each run makes and finishes") {
                let queue = WorkQueue()
                CurrentQueue.set(queue)
                let count = Mutex(0)
                try await concurrently(3) { _ in
                    CurrentQueue.get()?.add { count.withLock { $0 += 1 } }
                    await pause()
                }
                await queue.wait()
                CurrentQueue.set(nil)
                queue.finish()
                try expect(count.withLock { $0 } == 3, "\(count.withLock { $0 }) of 3 ran")
            },
            Way("broadcast", "a static hub with a numbered stream for each who listens", isAffected: true) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let streams = (0..<3).map { _ in Hub.listen() }
                    for stream in streams {
                        group.addTask {
                            var sum = 0
                            for await value in stream {
                                sum += value
                                if sum == 6 { break }
                            }
                            try expect(sum == 6, "heard \(sum) of 6")
                        }
                    }
                    for value in 1...3 {
                        Hub.send(value)
                        await pause()
                    }
                    try await group.waitForAll()
                }
                try expect(Hub.count == 0, "\(Hub.count) still listen")
            },
        ]
    }
}

private enum Feed {
    private static let stream = AsyncStream<(UInt64, Int)>.makeStream()
    static func send(_ value: (UInt64, Int)) { stream.continuation.yield(value) }
    static func read(_ count: Int) async -> [(UInt64, Int)] {
        var values: [(UInt64, Int)] = []
        for await value in stream.stream {
            values.append(value)
            if values.count == count { break }
        }
        return values
    }
}

private final class WorkQueue: Sendable {
    static let shared = WorkQueue()
    private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation

    init() {
        let (stream, continuation) = AsyncStream<@Sendable () async -> Void>.makeStream()
        self.continuation = continuation
        Task { for await work in stream { await work() } }
    }

    func add(_ work: @escaping @Sendable () async -> Void) { continuation.yield(work) }
    func wait() async {
        await withCheckedContinuation { done in continuation.yield { done.resume() } }
    }
    func finish() { continuation.finish() }
}

private enum CurrentQueue {
    private static let queue = Mutex<WorkQueue?>(nil)
    static func set(_ new: WorkQueue?) { queue.withLock { $0 = new } }
    static func get() -> WorkQueue? { queue.withLock { $0 } }
}

private enum Hub {
    private static let listeners = Mutex<(next: Int, all: [Int: AsyncStream<Int>.Continuation])>((0, [:]))
    static var count: Int { listeners.withLock { $0.all.count } }

    static func listen() -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let id = listeners.withLock { listeners in
            listeners.next += 1
            listeners.all[listeners.next] = continuation
            return listeners.next
        }
        continuation.onTermination = { _ in listeners.withLock { _ = $0.all.removeValue(forKey: id) } }
        return stream
    }

    static func send(_ value: Int) {
        for listener in listeners.withLock({ Array($0.all.values) }) { listener.yield(value) }
    }
}
