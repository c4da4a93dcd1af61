import Synchronization

extension Way {
    static var asyncLocks: [Way] {
        [
            Way("async-semaphore", "a static queue of continuations that wait for one of two places") {
                let inside = Mutex(0)
                try await concurrently(5) { _ in
                    await AsyncSemaphore.two.wait()
                    let count = inside.withLock { inside in
                        inside += 1
                        return inside
                    }
                    try expect(count <= 2, "\(count) were inside")
                    await pause()
                    inside.withLock { $0 -= 1 }
                    AsyncSemaphore.two.signal()
                }
            },
            Way("continuation-bus", "a static bus of continuations, for which a method of an actor waits") {
                let listener = Listener()
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<3 { group.addTask { await listener.next() } }
                    while Bus.waiting < 3 { await Task.yield() }
                    Bus.send(7)
                    for try await value in group { try expect(value == 7, "\(value) came, and 7 was sent") }
                }
                let heard = await listener.heard
                try expect(heard == 3, "\(heard) of 3 have heard it")
            },
            Way("connection-pool", "a static pool of three connections, for which others wait") {
                let run = UInt64.random(in: 0...UInt64.max)
                try await concurrently(6) { _ in
                    let connection = await Pool.shared.take()
                    let other = await connection.begin(run)
                    try expect(other == nil, "a connection has two users")
                    await pause()
                    await connection.end()
                    await Pool.shared.giveBack(connection)
                }
                let free = await Pool.shared.free
                try expect((1...3).contains(free), "\(free) connections are free")
            },
            Way(
                "rate-limiter",
                "the time of the last request in a static actor, by a clock",
                isAffected: true
            ) {
                let start = ContinuousClock.now
                try await concurrently(3) { _ in await Limiter.shared.wait() }
                let passed = ContinuousClock.now - start
                try expect(passed >= .milliseconds(20), "three requests within \(passed)")
            },
            Way("token-bucket", "tokens in a static actor that fill up again with the time", isAffected: true)
            {
                try await concurrently(3) { _ in
                    while !(await Bucket.shared.take()) { try await Task.sleep(for: .milliseconds(10)) }
                }
                let left = await Bucket.shared.left
                try expect((0...2).contains(left), "\(left) tokens")
            },
        ]
    }
}

private final class AsyncSemaphore: Sendable {
    static let two = AsyncSemaphore(2)
    private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

    init(_ count: Int) { state = Mutex((count, [])) }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free == 0 {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func signal() {
        let next = state.withLock { state in
            if !state.waiting.isEmpty {
                return state.waiting.removeFirst() as CheckedContinuation<Void, Never>?
            }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}

private enum Bus {
    private static let listeners = Mutex<[CheckedContinuation<Int, Never>]>([])

    static var waiting: Int { listeners.withLock { $0.count } }
    static func add(_ listener: CheckedContinuation<Int, Never>) {
        listeners.withLock { $0.append(listener) }
    }
    static func send(_ value: Int) {
        let all = listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
        for listener in all { listener.resume(returning: value) }
    }
}

private actor Listener {
    private(set) var heard = 0

    func next() async -> Int {
        let value = await withCheckedContinuation { Bus.add($0) }
        heard += 1
        return value
    }
}

private actor Connection {
    private var user: UInt64?

    func begin(_ user: UInt64) -> UInt64? {
        defer { self.user = user }
        return self.user
    }
    func end() { user = nil }
}

private actor Pool {
    static let shared = Pool()
    private var idle: [Connection] = []
    private var made = 0
    private var waiting: [CheckedContinuation<Connection, Never>] = []
    var free: Int { idle.count }

    func take() async -> Connection {
        if let connection = idle.popLast() { return connection }
        if made < 3 {
            made += 1
            return Connection()
        }
        return await withCheckedContinuation { waiting.append($0) }
    }

    func giveBack(_ connection: Connection) {
        if waiting.isEmpty {
            idle.append(connection)
        } else {
            waiting.removeFirst().resume(returning: connection)
        }
    }
}

private actor Limiter {
    static let shared = Limiter()
    private var next = ContinuousClock.now

    func wait() async {
        let mine = max(next, .now)
        next = mine + .milliseconds(10)
        try? await Task.sleep(until: mine + .milliseconds(10))
    }
}

private actor Bucket {
    static let shared = Bucket()
    private var tokens = 2
    private var filled = ContinuousClock.now
    var left: Int { tokens }

    func take() -> Bool {
        let passed = ContinuousClock.now - filled
        if passed >= .milliseconds(10) || passed < .zero {
            tokens = 2
            filled = .now
        }
        if tokens == 0 { return false }
        tokens -= 1
        return true
    }
}
