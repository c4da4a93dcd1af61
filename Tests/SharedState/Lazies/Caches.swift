import Foundation
import Synchronization

extension Way {
    static var caches: [Way] {
        [
            Way("static-cache", "answers in a static dictionary, which later runs find", isAffected: true) {
                try await concurrently(4) { number in
                    let answer = await Answers.answer(number % 2)
                    try expect(answer == number % 2 + 100, "\(answer) for \(number % 2)")
                }
            },
            Way("static-cache-cleared", "answers in a static dictionary that each run clears when it ends") {
                Answers.clear()
                try await concurrently(4) { number in
                    let answer = await Answers.answer(number % 2)
                    try expect(answer == number % 2 + 100, "\(answer) for \(number % 2)")
                }
                Answers.clear()
            },
            Way("bounded-cache", "a static cache that puts out the oldest, of all runs", isAffected: true) {
                let run = Int.random(in: 0..<1 << 30)
                try await concurrently(4) { number in
                    let value = await Recent.value(run + number)
                    try expect(value == (run + number) * 2, "\(value) for \(run + number)")
                    await pause()
                }
                try expect(Recent.count <= 8, "\(Recent.count) are kept")
            },
            Way("nscache", "an NSCache in a static constant") {
                let run = UInt64.random(in: 0...UInt64.max)
                try await concurrently(3) { number in
                    let key = "\(run)/\(number)" as NSString
                    Images.keep("image \(number)", for: key)
                    await pause()
                    let image = Images.image(for: key)
                    try expect(image == "image \(number)", "\(image ?? "nothing") for \(number)")
                    Images.remove(key)
                }
            },
            Way(
                "interned-names",
                "static numbers of names, in the order in which they came",
                isAffected: true
            ) {
                try await concurrently(4) { number in
                    let name = Bool.random() ? "a\(number)" : "b\(number)"
                    let id = Names.id(name)
                    // As code that walks a table in the order of its numbers.
                    for _ in 0..<id % 3 { await Task.yield() }
                    try expect(Names.name(id) == name, "\(id) is not \(name)")
                }
            },
            Way("serial-numbers", "a static atomic that numbers requests", isAffected: true) {
                let numbers = Mutex<Set<Int>>([])
                try await concurrently(4) { _ in
                    let number = Requests.next()
                    numbers.withLock { _ = $0.insert(number) }
                    // Every fifth goes another way.
                    if number.isMultiple(of: 5) { await pause() }
                }
                try expect(numbers.withLock { $0.count } == 4, "two requests have one number")
            },
            Way(
                "static-generator",
                "a random generator with a state of its own in a static",
                isAffected: true
            ) {
                try await concurrently(3) { _ in
                    let rounds = Dice.roll()
                    try expect((1...6).contains(rounds), "rolled \(rounds)")
                    for _ in 0..<rounds { await Task.yield() }
                }
            },
            Way("static-system-generator", "the system's generator in a static") {
                try await concurrently(3) { _ in
                    let rounds = Wheel.turn()
                    try expect((1...6).contains(rounds), "turned \(rounds)")
                    for _ in 0..<rounds { await Task.yield() }
                }
            },
        ]
    }
}

private enum Answers {
    private static let known = Mutex<[Int: Int]>([:])

    static func answer(_ question: Int) async -> Int {
        if let answer = known.withLock({ $0[question] }) { return answer }
        await pause()
        known.withLock { $0[question] = question + 100 }
        return question + 100
    }
    static func clear() { known.withLock { $0 = [:] } }
}

private enum Recent {
    private static let entries = Mutex<[(key: Int, value: Int)]>([])
    static var count: Int { entries.withLock { $0.count } }

    static func value(_ key: Int) async -> Int {
        if let known = entries.withLock({ $0.first { $0.key == key } }) { return known.value }
        let isFull = entries.withLock { entries in
            entries.append((key, key * 2))
            return entries.count > 8
        }
        if isFull {
            entries.withLock { _ = $0.removeFirst() }
            await Task.yield()
        }
        return key * 2
    }
}

private enum Images {
    // Invariant: a cache may be used from any thread (NSCache).
    nonisolated(unsafe) private static let cache = NSCache<NSString, NSString>()
    static func keep(_ image: String, for key: NSString) {
        unsafe cache.setObject(image as NSString, forKey: key)
    }
    static func image(for key: NSString) -> String? { unsafe cache.object(forKey: key).map { "\($0)" } }
    static func remove(_ key: NSString) { unsafe cache.removeObject(forKey: key) }
}

private enum Names {
    private static let names = Mutex<(ids: [String: Int], names: [String])>(([:], []))

    static func id(_ name: String) -> Int {
        names.withLock { names in
            if let known = names.ids[name] { return known }
            names.ids[name] = names.names.count
            names.names.append(name)
            return names.names.count - 1
        }
    }
    static func name(_ id: Int) -> String { names.withLock { $0.names[id] } }
}

private enum Requests {
    private static let last = Atomic(0)
    static func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}

/// The generator of Numerical Recipes' quick and dirty kind.
private struct Congruential: RandomNumberGenerator {
    var state: UInt64 = 1
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}

private enum Dice {
    private static let generator = Mutex(Congruential())
    static func roll() -> Int { generator.withLock { Int.random(in: 1...6, using: &$0) } }
}

private enum Wheel {
    private static let generator = Mutex(SystemRandomNumberGenerator())
    static func turn() -> Int { generator.withLock { Int.random(in: 1...6, using: &$0) } }
}
