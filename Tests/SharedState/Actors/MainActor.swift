import Observation

extension Way {
    static var mainActor: [Way] {
        [
            Way("main-actor-store", "a store of the main actor in a static constant") {
                let run = UInt64.random(in: 0...UInt64.max)
                try await concurrently(4) { number in
                    for step in 0..<3 {
                        await Store.shared.add("\(run): \(number), \(step)")
                        await Task.yield()
                    }
                }
                let count = await Store.shared.takeAll("\(run)")
                try expect(count == 12, "\(count) items of 12")
            },
            Way("main-actor-cache", "static variables of a type that belongs to the main actor") {
                let run = UInt64.random(in: 0...UInt64.max)
                try await concurrently(4) { number in
                    await Pages.keep("\(run).\(number % 2)", number)
                    await pause()
                }
                for half in 0..<2 {
                    let numbers = await Pages.take("\(run).\(half)")
                    try expect(Set(numbers) == [half, half + 2], "kept \(numbers)")
                }
            },
            Way("main-actor-router", "a static stack of screens, each removed by the one who showed it") {
                try await concurrently(3) { number in
                    let depth = await Router.push("screen \(number)")
                    try expect((1...3).contains(depth), "\(depth) screens")
                    await pause()
                    await Router.remove("screen \(number)")
                }
                let depth = await Router.depth
                try expect(depth == 0, "\(depth) screens are left")
            },
            Way(
                "main-actor-observable",
                "an observed model of the main actor in a static constant",
                isAffected: true
            ) {
                let changes = await MainActor.run { Changes() }
                await changes.observe()
                try await concurrently(3) { _ in
                    await Settings.shared.raise()
                    await pause()
                }
                let count = await changes.count
                try expect(count >= 1, "no change was seen")
            },
            Way(
                "main-actor-grows",
                "a static history of the main actor that nobody empties",
                isAffected: true
            ) {
                try await concurrently(3) { number in
                    let before = await History.add(number)
                    // What is long is shortened, which takes more steps.
                    if before > 10 { await History.shorten() }
                    await pause()
                }
                let count = await History.count
                try expect((1...13).contains(count), "\(count) entries")
            },
        ]
    }
}

@MainActor private final class Store {
    static let shared = Store()
    private var items: [String] = []

    func add(_ item: String) { items.append(item) }
    func takeAll(_ prefix: String) -> Int {
        let before = items.count
        items.removeAll { $0.hasPrefix(prefix) }
        return before - items.count
    }
}

@MainActor private enum Pages {
    private static var cache: [String: [Int]] = [:]

    static func keep(_ name: String, _ value: Int) { cache[name, default: []].append(value) }
    static func take(_ name: String) -> [Int] { cache.removeValue(forKey: name) ?? [] }
}

@MainActor private enum Router {
    private static var screens: [String] = []

    static var depth: Int { screens.count }
    static func push(_ screen: String) -> Int {
        screens.append(screen)
        return screens.count
    }
    static func remove(_ screen: String) { screens.removeAll { $0 == screen } }
}

@MainActor @Observable private final class Settings {
    static let shared = Settings()
    private(set) var volume = 0

    func raise() { volume = volume % 10 + 1 }
}

@MainActor private final class Changes {
    private(set) var count = 0

    func observe() {
        withObservationTracking {
            _ = Settings.shared.volume
        } onChange: {
            Task { @MainActor [weak self] in
                self?.count += 1
                self?.observe()
            }
        }
    }
}

@MainActor private enum History {
    private static var entries: [Int] = []

    static var count: Int { entries.count }
    static func add(_ entry: Int) -> Int {
        entries.append(entry)
        return entries.count
    }
    static func shorten() async {
        while entries.count > 5 {
            entries.removeFirst()
            await Task.yield()
        }
    }
}
