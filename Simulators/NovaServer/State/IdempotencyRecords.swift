import Foundation
import PeerKit

/// What was answered to calls that had an idempotency key.
///
/// A record is found by person, method, path and key. Times are elapsed ones.
struct IdempotencyRecords {
    typealias Instant = ContinuousClock.Instant

    /// By what a record is found.
    struct Scope: Hashable, Sendable, Codable {
        let userID: String
        let method: String
        let path: String
        let key: String
    }

    /// What a call with a key is to do.
    enum Beginning: Sendable {
        /// Do it, and end the record of that number.
        case fresh(number: Int)
        /// Give the answer of the first time.
        case known(NovaReply)
        /// Come back later.
        case inProgress
        /// Refuse it: the key was sent with another body.
        case otherBody
    }

    private struct Record {
        let number: Int
        let digest: [UInt8]
        let begun: Instant
        var answer: (reply: NovaReply, time: Instant)?
    }

    /// Records that are kept; past them the oldest is forgotten.
    private static let most = 100_000

    private let window: Duration
    private let lease: Duration
    private var records: [Scope: Record] = [:]
    private var begun = BoundedLog<Scope>(capacity: most)
    private var count = 0
    /// The records that were answered and are not in the folder yet, where something is kept there.
    private var answered: [Scope] = []

    init(window: Int, lease: Int) { (self.window, self.lease) = (.seconds(window), .seconds(lease)) }

    /// Marks a call as in progress, unless it was answered, or is in progress already.
    mutating func begin(_ scope: Scope, digest: [UInt8], at now: Instant) -> Beginning {
        if let record = records[scope] {
            let end = record.answer.map { $0.time + window } ?? record.begun + lease
            if now < end {
                guard record.digest == digest else { return .otherBody }
                return record.answer.map { .known($0.reply) } ?? .inProgress
            }
        }
        count += 1
        if records[scope] == nil {
            if let oldest = begun.leaving { records[oldest] = nil }
            begun.append(scope)
        }
        records[scope] = Record(number: count, digest: digest, begun: now)
        return .fresh(number: count)
    }

    /// Keeps the answer of a call that went well; the key of any other is free again.
    mutating func end(_ scope: Scope, number: Int, _ reply: NovaReply?, at now: Instant) {
        guard records[scope]?.number == number else { return }
        if let reply, (200..<300).contains(reply.status) {
            records[scope]?.answer = (reply, now)
            answered.append(scope)
        } else {
            records[scope] = nil
        }
    }

    /// Forgets all of them, as a service that keeps them in memory does when it restarts.
    mutating func forgetAll() { records = [:] }
}

// MARK: Keeping

extension IdempotencyRecords {
    /// A call that was answered, as its record has it, by a time of the calendar.
    struct Kept: Sendable, Codable {
        fileprivate let scope: Scope
        fileprivate let digest: [UInt8]
        fileprivate let reply: NovaReply
        fileprivate let time: Date
    }

    /// The calls that were answered since this was asked last.
    mutating func takeChanges(_ clock: KeptClock) -> [Kept] {
        defer { answered = [] }
        return answered.compactMap { kept($0, clock) }
    }

    /// All calls that were answered, in the order of their beginning.
    func all(_ clock: KeptClock) -> [Kept] { begun.entries.compactMap { kept($0, clock) } }

    private func kept(_ scope: Scope, _ clock: KeptClock) -> Kept? {
        guard let record = records[scope], let answer = record.answer else { return nil }
        return Kept(
            scope: scope,
            digest: record.digest,
            reply: answer.reply,
            time: clock.date(of: answer.time)
        )
    }

    /// Puts back what was kept.
    mutating func restore(_ kept: [Kept], _ clock: KeptClock) {
        for record in kept {
            let time = clock.instant(of: record.time)
            records[record.scope] = nil
            guard case .fresh(let number) = begin(record.scope, digest: record.digest, at: time) else {
                continue
            }
            end(record.scope, number: number, record.reply, at: time)
        }
        answered = []
    }
}
