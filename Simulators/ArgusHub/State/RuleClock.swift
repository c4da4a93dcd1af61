import Foundation

/// Says which events the rules of a hub make, and when.
struct RuleClock {
    /// Events of one rule that are made up for at a time, as after a clock was set.
    static let mostAtOnce = 1_000

    private let rules: [HubRule]
    /// When each rule makes its next event; empty until the hub has started.
    private var next: [Date?] = []

    init(_ rules: [HubRule]) { self.rules = rules }

    /// When the next event is made; `nil` when none is.
    var nextEvent: Date? { next.compactMap(\.self).min() }

    /// Takes out what is due, in the order of time; the first call starts the hub's clock.
    mutating func due(at now: Date) -> [(rule: HubRule, time: Date)] {
        if next.isEmpty { next = rules.map { Self.time(of: $0.schedule, from: now) } }
        var found: [(rule: HubRule, time: Date)] = []
        for (index, rule) in rules.enumerated() {
            var count = 0
            while let time = next[index], time <= now {
                if count == Self.mostAtOnce {
                    next[index] = Self.following(rule.schedule, now)
                    break
                }
                found.append((rule, time))
                count += 1
                next[index] = Self.following(rule.schedule, time)
            }
        }
        return found.sorted { $0.time < $1.time }
    }

    private static func time(of schedule: HubRule.Schedule, from start: Date) -> Date? {
        if case .once(let time) = schedule { return start + time / .seconds(1) }
        return following(schedule, start)
    }

    /// The time after another one at which a rule makes an event.
    private static func following(_ schedule: HubRule.Schedule, _ time: Date) -> Date? {
        switch schedule {
        case .once: return nil
        case .every(let interval): return time + max(interval, .milliseconds(1)) / .seconds(1)
        case .daily(let hour, let minute):
            let seconds = time.timeIntervalSince1970
            let midnight = (seconds / 86_400).rounded(.down) * 86_400
            let today = midnight + Double(hour * 3600 + minute * 60)
            return Date(timeIntervalSince1970: today > seconds ? today : today + 86_400)
        }
    }
}
