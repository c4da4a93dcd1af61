import Foundation
import Glibc
import Synchronization

extension Way {
    static var tasks: [Way] {
        [
            Way("task-local", "a task-local value, which is a static property") {
                try await concurrently(4) { number in
                    try await RequestContext.$id.withValue(number) {
                        await pause()
                        async let inner = RequestContext.id
                        let seen = await inner
                        try expect(seen == number, "\(seen) in the request \(number)")
                    }
                    try expect(RequestContext.id == -1, "\(RequestContext.id) outside of a request")
                }
            },
            Way("static-task", "a static task, cancelled by whoever begins the next") {
                let ended = Count()
                try await concurrently(3) { number in
                    let task = Task {
                        try? await Task.sleep(for: .milliseconds(number))
                        ended.add()
                    }
                    Search.replace(with: task)
                    await pause()
                    await task.value
                }
                try expect(ended.value == 3, "\(ended.value) of 3 tasks have ended")
            },
            Way("static-task-value", "a static task whose value all runs wait for", isAffected: true) {
                try await concurrently(3) { _ in
                    let token = await Token.shared.value
                    try expect(token == 5, "the token is \(token)")
                    await pause()
                }
            },
            Way("heartbeat", "a static task that beats as long as the process lives", isAffected: true) {
                let first = Heartbeat.beats.load(ordering: .relaxed)
                Heartbeat.begin()
                while Heartbeat.beats.load(ordering: .relaxed) == first {
                    try await Task.sleep(for: .milliseconds(1))
                }
            },
            Way("thread-specific", "values of the thread, set and read between two awaits") {
                try await concurrently(4) { number in
                    let read = ThreadValue.roundTrip(number + 1)
                    try expect(read == number + 1, "\(read) for \(number + 1)")
                    await pause()
                }
            },
            Way("thread-dictionary", "a formatter in the dictionary of the thread", isAffected: true) {
                try await concurrently(3) { _ in
                    // Only the first of a thread makes one.
                    if ThreadFormatter.isNew() { await Task.yield() }
                    let text = ThreadFormatter.text(1.5)
                    try expect(text == "1.50", "formatted \(text)")
                }
            },
            Way("thread-name", "the name of the thread, set and restored between two awaits") {
                try await concurrently(3) { number in
                    let seen = ThreadValue.named("worker-\(number)")
                    try expect(seen == "worker-\(number)", "the thread is \(seen)")
                    await pause()
                }
            },
            Way(
                "detached-after-the-end",
                "a detached task that is still asleep when the run ends, and writes a static"
            ) {
                let run = UInt64.random(in: 0...UInt64.max)
                Late.begin(run)
                Task.detached {
                    try? await Task.sleep(for: .seconds(60))
                    Late.end(run)
                }
                await pause()
                try expect(Late.count == 1, "\(Late.count) are under way")
            },
        ]
    }
}

private enum RequestContext {
    @TaskLocal static var id = -1
}

private enum Search {
    private static let current = Mutex<Task<Void, Never>?>(nil)
    static func replace(with task: Task<Void, Never>) {
        let old = current.withLock { current in
            defer { current = task }
            return current
        }
        old?.cancel()
    }
}

private enum Token {
    static let shared = Task {
        await pause()
        return 5
    }
}

private enum Heartbeat {
    static let beats = Atomic(0)
    private static let task = Task {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(10))
            beats.add(1, ordering: .relaxed)
        }
    }
    static func begin() { _ = task }
}

private enum ThreadValue {
    private static let key = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    static func roundTrip(_ value: Int) -> Int {
        unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: value))
        return unsafe Int(bitPattern: pthread_getspecific(key))
    }

    static func named(_ name: String) -> String {
        let old = Thread.current.name
        defer { Thread.current.name = old }
        Thread.current.name = name
        return Thread.current.name ?? ""
    }
}

private enum ThreadFormatter {
    private static let key = "SharedState.formatter"

    static func isNew() -> Bool { Thread.current.threadDictionary[key] == nil }
    static func text(_ value: Double) -> String {
        let known = Thread.current.threadDictionary[key] as? String
        let format = known ?? "%.2f"
        Thread.current.threadDictionary[key] = format
        return String(format: format, value)
    }
}

private enum Late {
    private static let runs = Mutex<Set<UInt64>>([])
    static var count: Int { runs.withLock { $0.count } }
    static func begin(_ run: UInt64) { runs.withLock { _ = $0.insert(run) } }
    static func end(_ run: UInt64) { runs.withLock { _ = $0.remove(run) } }
}
