import Foundation
import Synchronization

extension Way {
    static var foundation: [Way] {
        [
            Way("notifications", "observers of the default centre that each run removes") {
                let count = Mutex(0)
                let name = Notification.Name("shared-state-\(UUID())")
                let observer = Observer(name) { count.withLock { $0 += 1 } }
                try await concurrently(3) { _ in
                    await pause()
                    NotificationCenter.default.post(name: name, object: nil)
                }
                observer.remove()
                NotificationCenter.default.post(name: name, object: nil)
                try expect(count.withLock { $0 } == 3, "\(count.withLock { $0 }) of 3 came")
            },
            Way(
                "notifications-left",
                "an observer of the default centre that nobody removes",
                isAffected: true
            ) {
                Observers.observe()
                NotificationCenter.default.post(name: Observers.name, object: nil)
                for _ in 0..<min(Observers.takeCount(), 5) { await Task.yield() }
            },
            Way("user-defaults", "a value in the registered defaults, which are in memory") {
                let key = "shared-state-\(UUID())"
                try await concurrently(3) { number in
                    UserDefaults.standard.register(defaults: ["\(key)-\(number)": number])
                    await pause()
                    let read = UserDefaults.standard.integer(forKey: "\(key)-\(number)")
                    try expect(read == number, "\(read) for \(number)")
                }
            },
            Way("date-formatter", "a static formatter of dates") {
                try await concurrently(3) { number in
                    let text = Formats.day(number)
                    try expect(text == "1970-01-0\(number + 1)", "\(text) for the day \(number)")
                    await pause()
                }
            },
            Way("default-time-zone", "the default time zone, changed and restored between two awaits") {
                let start = NSTimeZone.default.secondsFromGMT()
                try await concurrently(3) { number in
                    let seconds = Formats.during(hours: number + 1) { NSTimeZone.default.secondsFromGMT() }
                    try expect(seconds == (number + 1) * 3600, "\(seconds) seconds")
                    await pause()
                }
                try expect(NSTimeZone.default.secondsFromGMT() == start, "the time zone was not restored")
            },
            Way(
                "default-time-zone-left",
                "a default time zone that a run leaves to the next",
                isAffected: true
            ) {
                if NSTimeZone.default.secondsFromGMT() != 7200 {
                    await pause()
                    NSTimeZone.default = TimeZone(secondsFromGMT: 7200) ?? .current
                }
                await pause()
            },
            Way("calendar", "the current calendar and locale, which Foundation keeps") {
                try await concurrently(3) { number in
                    let date = Date(timeIntervalSince1970: Double(number) * 86_400)
                    var calendar = Calendar.current
                    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
                    let day = calendar.component(.day, from: date)
                    try expect(day == number + 1, "day \(day) for \(number + 1)")
                    _ = Locale.current.identifier
                    await pause()
                }
            },
            Way("coders", "static coders of JSON and property lists") {
                try await concurrently(3) { number in
                    let read = try Coders.roundTrip(["number": number])
                    try expect(read == ["number": number], "\(read) for \(number)")
                    await pause()
                }
            },
            Way("regular-expression", "static regular expressions, of Foundation and of Swift") {
                try await concurrently(3) { number in
                    let found = Expressions.number(in: "item \(number)")
                    try expect(found == "\(number)", "\(found ?? "nothing") for \(number)")
                    await pause()
                }
            },
            Way("url-cache", "the shared cache of answers in memory") {
                try await concurrently(3) { number in
                    let text = URLComponents(string: "https://example.org/\(number)?a=b")?.path ?? ""
                    try expect(text == "/\(number)", "the path is \(text)")
                    await pause()
                }
            },
            Way("number-formatter", "a static formatter whose settings a call changes and restores") {
                try await concurrently(3) { number in
                    let text = Formats.number(1.25, digits: number)
                    try expect(text.count == [1, 3, 4][number], "\(text) has not \(number) digits")
                    await pause()
                }
            },
            Way("progress", "a static object that reports progress, and is complete after each run") {
                try await concurrently(3) { _ in
                    Work.add(1)
                    await pause()
                    Work.complete(1)
                }
                try expect(Work.left == 0, "\(Work.left) are left")
            },
            Way("undo", "static undo groups, each run's own") {
                let text = await Document.edit(3)
                try expect(text == "", "\(text) is left")
            },
        ]
    }
}

private final class Observer: @unchecked Sendable {
    // Invariant that makes this Sendable: the token is only given back to the centre, which locks.
    private let token: any NSObjectProtocol

    init(_ name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
        token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in body() }
    }
    func remove() { NotificationCenter.default.removeObserver(token) }
}

private enum Observers {
    static let name = Notification.Name("shared-state")
    private static let observers = Mutex<[Observer]>([])
    private static let count = Mutex(0)

    static func observe() {
        let observer = Observer(name) { count.withLock { $0 += 1 } }
        observers.withLock { if $0.count < 100 { $0.append(observer) } else { observer.remove() } }
    }
    static func takeCount() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}

private enum Formats {
    private static let lock = NSLock()
    private static let days = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy-MM-dd"
        return formatter
    }()
    private static let numbers = {
        let formatter = NumberFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        return formatter
    }()

    static func day(_ number: Int) -> String {
        lock.withLock { days.string(from: Date(timeIntervalSince1970: Double(number) * 86_400)) }
    }

    static func number(_ value: Double, digits: Int) -> String {
        lock.withLock {
            numbers.minimumFractionDigits = digits
            numbers.maximumFractionDigits = digits
            return numbers.string(from: NSNumber(value: value)) ?? ""
        }
    }

    static func during<Value>(hours: Int, _ body: () -> Value) -> Value {
        let old = NSTimeZone.default
        NSTimeZone.default = TimeZone(secondsFromGMT: hours * 3600) ?? old
        defer { NSTimeZone.default = old }
        return body()
    }
}

private enum Coders {
    private static let lock = NSLock()
    private static let json = (JSONEncoder(), JSONDecoder())

    static func roundTrip(_ value: [String: Int]) throws -> [String: Int] {
        try lock.withLock {
            let data = try json.0.encode(value)
            return try json.1.decode([String: Int].self, from: data)
        }
    }
}

private enum Expressions {
    private static let digits = try? NSRegularExpression(pattern: "[0-9]+")
    // Invariant: an expression does not change.
    nonisolated(unsafe) private static let swift = /[0-9]+/

    static func number(in text: String) -> String? {
        let range = NSRange(text.startIndex..., in: text)
        let match = digits?.firstMatch(in: text, range: range)
        let first = match.flatMap { Range($0.range, in: text) }.map { String(text[$0]) }
        let second = unsafe text.firstMatch(of: swift).map { String($0.output) }
        return first == second ? first : nil
    }
}

private enum Work {
    private static let progress = Progress(totalUnitCount: 0)
    static var left: Int64 { progress.totalUnitCount - progress.completedUnitCount }
    static func add(_ count: Int64) { progress.totalUnitCount += count }
    static func complete(_ count: Int64) { progress.completedUnitCount += count }
}

@MainActor private enum Document {
    private static var text = ""
    private static var undo: [() -> Void] = []

    static func edit(_ count: Int) async -> String {
        for number in 0..<count {
            text += "\(number)"
            undo.append { text.removeLast() }
            await Task.yield()
        }
        while let last = undo.popLast() { last() }
        return text
    }
}
