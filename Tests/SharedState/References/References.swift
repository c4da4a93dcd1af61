import Synchronization

extension Way {
    static var references: [Way] {
        [
            Way("static-weak", "a static weak reference to what a run holds") {
                let scene = Scene(title: "scene \(Int.random(in: 0..<1000))")
                Current.set(scene)
                try await concurrently(3) { _ in
                    await pause()
                    let title = Current.title
                    try expect(title == scene.title, "\(title ?? "nothing") for \(scene.title)")
                }
                withExtendedLifetime(scene) {}
            },
            Way("static-weak-left", "a static weak reference to what an earlier run has released") {
                let before = Current.title
                try expect(before == nil, "\(before ?? "") is still there")
                var scene: Scene? = Scene(title: "a scene")
                Current.set(scene)
                await pause()
                try expect(Current.title == scene?.title, "it went before its owner")
                scene = nil
                await pause()
                try expect(Current.title == nil, "it outlives its owner")
            },
            Way("static-closures", "static callbacks that their owners remove again") {
                let calls = Mutex(0)
                try await concurrently(3) { _ in
                    let id = Callbacks.add { calls.withLock { $0 += 1 } }
                    await pause()
                    Callbacks.callAll()
                    Callbacks.remove(id)
                }
                let count = calls.withLock { $0 }
                try expect((3...9).contains(count), "\(count) calls")
            },
            Way("static-closures-left", "static callbacks that nobody removes", isAffected: true) {
                let calls = Mutex(0)
                let counts = Count()
                _ = Callbacks.add { [weak counts] in counts?.add() }
                try await concurrently(3) { _ in
                    Callbacks.callAll()
                    calls.withLock { $0 += 1 }
                    // As many yields as there are callbacks, up to some.
                    for _ in 0..<min(Callbacks.count, 4) { await Task.yield() }
                }
                try expect(counts.value == 3, "\(counts.value) calls of 3")
            },
            Way("static-deinit", "the end of an object, which a static counts") {
                let before = Tracked.alive
                try await concurrently(4) { _ in
                    let object = Tracked()
                    await pause()
                    withExtendedLifetime(object) {}
                }
                try expect(
                    before == 0 && Tracked.alive == 0,
                    "\(before) were alive, and \(Tracked.alive) are"
                )
            },
            Way("copy-on-write", "a static array that runs copy and change") {
                try await concurrently(3) { number in
                    var copy = Defaults.values
                    copy.append(number)
                    await pause()
                    try expect(copy == [1, 2, 3, number], "the copy is \(copy)")
                    try expect(Defaults.values == [1, 2, 3], "the original is \(Defaults.values)")
                }
            },
        ]
    }
}

private final class Scene: Sendable {
    let title: String
    init(title: String) { self.title = title }
}

private struct WeakScene: Sendable {
    weak let scene: Scene?
}

private enum Current {
    private static let scene = Mutex(WeakScene(scene: nil))
    static var title: String? { scene.withLock { $0.scene?.title } }
    static func set(_ new: Scene?) { scene.withLock { $0 = WeakScene(scene: new) } }
}

private enum Callbacks {
    private static let all = Mutex<(next: Int, all: [Int: @Sendable () -> Void])>((0, [:]))
    static var count: Int { all.withLock { $0.all.count } }

    static func add(_ callback: @escaping @Sendable () -> Void) -> Int {
        all.withLock { callbacks in
            callbacks.next += 1
            callbacks.all[callbacks.next] = callback
            return callbacks.next
        }
    }
    static func remove(_ id: Int) { all.withLock { _ = $0.all.removeValue(forKey: id) } }
    static func callAll() { for callback in all.withLock({ Array($0.all.values) }) { callback() } }
}

private final class Tracked: Sendable {
    private static let count = Atomic(0)
    static var alive: Int { count.load(ordering: .relaxed) }
    init() { Self.count.add(1, ordering: .relaxed) }
    deinit { Self.count.subtract(1, ordering: .relaxed) }
}

private enum Defaults {
    static let values = [1, 2, 3]
}
