package import AppKernel
internal import ScenarioKit
internal import Services

/// What is there at the end.
package struct Outcome: Sendable {
    /// What took effect at the services, in that order.
    package var effects: [ActionServer.Effect]
    /// What the app has noted, by the numbers of wishes.
    package var noted: [Int: DeliveriesApp.Noted]
    /// What is left in the queue.
    package var entries: [OutboxEntry<Delivery>]
    /// The bytes of files in the store.
    package var stored: [Int: [UInt8]]
}

extension Promise {
    /// Ends the run unless everything that was accepted took effect exactly once, or is reported failed with a reason of its own.
    ///
    /// - Throws: `PropertyViolation`.
    package func check(_ outcome: Outcome) throws {
        try ScenarioKit.check(
            violations.isEmpty,
            "only the newest process sends, and only what is wanted",
            violations.joined(separator: ", ")
        )
        let numbers = Set(wishes.map(\.number))
        let strangers = outcome.effects.filter { !numbers.contains($0.number) }
        try ScenarioKit.check(strangers.isEmpty, "nothing takes effect that nobody wished", "\(strangers)")
        for wish in wishes { try check(wish, outcome) }
        try checkOrder(outcome)
    }

    private func check(_ wish: Wish, _ outcome: Outcome) throws {
        let effects = outcome.effects.count { $0.number == wish.number }
        let entry = outcome.entries.first { $0.work.number == wish.number }
        func seen(_ more: String) -> String {
            "wish \(wish.number) (\(wish.kind), \(wish.identity)): \(effects) effects, \(more)"
        }
        try ScenarioKit.check(effects <= 1, "no wish takes effect twice", seen(""))
        guard let noted = outcome.noted[wish.number] else {
            try ScenarioKit.check(
                wish.acceptance != .yes,
                "what was accepted is there, whatever happens to the power",
                seen("accepted, and nothing is noted of it")
            )
            try ScenarioKit.check(
                effects == 0 && entry == nil,
                "what was not accepted takes no effect",
                seen("\(entry.map { "\($0.state)" } ?? "no") entry")
            )
            return
        }
        try ScenarioKit.check(
            wish.acceptance != .no,
            "what was not accepted is not there",
            seen("\(noted)")
        )
        try ScenarioKit.check(noted.recorded <= 1, "no receipt is recorded twice", seen("\(noted)"))
        try ScenarioKit.check(
            wish.cancellation != .yes || noted.isDropped,
            "what was taken back stays so",
            seen("\(noted)")
        )
        let end = seen(
            "\(noted), \(entry.map { "\($0.state), \($0.reason.map { "\($0)" } ?? "no reason")" } ?? "no entry")"
        )
        if noted.recorded == 1 {
            try ScenarioKit.check(
                effects == 1 && entry == nil,
                "what is recorded has taken effect, and is not in the queue",
                end
            )
            try checkFile(wish, noted, outcome)
        } else if noted.isDropped {
            try ScenarioKit.check(entry == nil, "what was dropped is not in the queue", end)
        } else {
            try ScenarioKit.check(
                entry.map { $0.isFinal && wish.mayFail(with: $0.reason) } ?? false,
                "a wish takes effect and is recorded, or is reported failed with its reason",
                end
            )
            try ScenarioKit.check(
                effects == 0 || wish.kind == .brief,
                "what is reported refused took no effect",
                end
            )
        }
    }

    private func checkFile(_ wish: Wish, _ noted: DeliveriesApp.Noted, _ outcome: Outcome) throws {
        guard wish.kind == .file else { return }
        let tail = "/\(DeliveriesApp.bucket)/\(DeliveriesApp.key(of: wish.number).path)"
        try ScenarioKit.check(
            noted.address?.hasSuffix(tail) ?? false,
            "a file that was delivered has its address",
            "wish \(wish.number): \(noted.address ?? "none")"
        )
        try ScenarioKit.check(
            outcome.stored[wish.number] == wish.bytes,
            "a file is delivered whole",
            "wish \(wish.number): \(outcome.stored[wish.number]?.count ?? -1) of \(wish.bytes.count) bytes"
        )
    }

    /// Of each lane all took effect in the order of asking, but for what was taken back or replaced, which is followed without waiting for it,
    /// what was tried again after it had failed for good, and what was superseded and may have been set aside after crashes.
    private func checkOrder(_ outcome: Outcome) throws {
        let wishes = Dictionary(uniqueKeysWithValues: wishes.map { ($0.number, $0) })
        for lane in Set(wishes.values.compactMap(\.lane)).sorted() {
            let order = outcome.effects.map(\.number).filter { number in
                guard let wish = wishes[number], wish.lane == lane, !wish.wasRetried else { return false }
                if wish.cancellation == .yes || wish.cancellation == .unknown { return false }
                let isDropped = outcome.noted[number]?.isDropped == true
                return !isDropped || wish.kind == .like && !wish.mayBeLate
            }
            try ScenarioKit.check(
                order == order.sorted(),
                "of each lane everything takes effect in the order of asking",
                "\(lane): \(order)"
            )
        }
    }
}

extension Promise.Wish {
    /// Whether that is a reason for which such a wish may fail for good.
    package func mayFail(with reason: OutboxReason<Delivery.Failure>?) -> Bool {
        switch (kind, reason) {
        case (.refused, .failed(let failure)): failure.code == .refused
        case (.brief, .expired): true
        default: false
        }
    }
}
