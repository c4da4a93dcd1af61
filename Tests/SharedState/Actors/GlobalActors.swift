import Foundation
import Synchronization

extension Way {
    static var globalActors: [Way] {
        [
            Way("global-actor-statics", "static variables of a global actor") {
                let run = UInt64.random(in: 0...UInt64.max)
                try await concurrently(4) { number in
                    for _ in 0..<3 { await Metrics.count("\(run)", number) }
                }
                let sum = await Metrics.take("\(run)")
                try expect(sum == 18, "\(sum) of 18")
            },
            Way("logger", "a task on a global actor, made while a static lock is held") {
                let run = UInt64.random(in: 0...UInt64.max)
                try await concurrently(4) { number in
                    Logger.log("\(run) \(number)")
                    await pause()
                    Logger.log("\(run) \(number)")
                }
                let lines = await Logger.flush("\(run)")
                try expect(lines == 8, "\(lines) lines of 8")
            },
            Way("isolated-deinit", "objects whose end runs on a global actor and counts there") {
                let before = await Handles.open
                try await concurrently(4) { _ in
                    let handle = await Handle()
                    await pause()
                    _ = consume handle
                }
                // The ends are jobs of the actor, in the order in which they came.
                await Handles.visit()
                let after = await Handles.open
                try expect(before == 0 && after == 0, "\(before) were open, and \(after) are")
            },
            Way("isolated-deinit-in-a-static", "a static holder whose old value ends on the main actor") {
                try await concurrently(3) { number in
                    await Holder.hold(Screen(number))
                    await pause()
                }
                await Holder.hold(nil)
                await Task.yield()
                await MainActor.run {}
                let shown = await Screen.shown
                try expect(shown == 0, "\(shown) are still shown")
            },
        ]
    }
}

@globalActor private actor MetricsActor {
    static let shared = MetricsActor()
}

@MetricsActor private enum Metrics {
    private static var sums: [String: Int] = [:]

    static func count(_ name: String, _ value: Int) async {
        sums[name, default: 0] += value
        await Task.yield()
    }
    static func take(_ name: String) -> Int { sums.removeValue(forKey: name) ?? 0 }
}

@globalActor private actor LogActor {
    static let shared = LogActor()
}

private enum Logger {
    private static let lock = NSLock()
    private static let pending = Mutex<[Task<Void, Never>]>([])
    @LogActor private static var lines: [String] = []

    static func log(_ line: String) {
        lock.lock()
        defer { lock.unlock() }
        let task = Task { @LogActor in lines.append(line) }
        pending.withLock { $0.append(task) }
    }

    static func flush(_ prefix: String) async -> Int {
        let tasks = pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
        for task in tasks { await task.value }
        return await take(prefix)
    }

    @LogActor private static func take(_ prefix: String) -> Int {
        let before = lines.count
        lines.removeAll { $0.hasPrefix(prefix) }
        return before - lines.count
    }
}

@MetricsActor private enum Handles {
    static var open = 0
    static func visit() {}
}

@MetricsActor private final class Handle {
    init() { Handles.open += 1 }
    isolated deinit { Handles.open -= 1 }
}

@MainActor private final class Screen {
    static var shown = 0
    let number: Int

    init(_ number: Int) {
        self.number = number
        Self.shown += 1
    }
    isolated deinit { Self.shown -= 1 }
}

@MetricsActor private enum Holder {
    private static var screen: Screen?
    static func hold(_ screen: sending Screen?) { self.screen = screen }
}
