public import AppKernel
import Concurrency
import GRDB
import Synchronization

/// Texts as work, each in a lane of its own.
extension String: OutboxWork {
    /// What was done.
    public typealias Receipt = String
    /// In words.
    public typealias Failure = WorkFailure
}

extension OutboxReason<WorkFailure> {
    /// A failure of the work in words.
    static func words(_ text: String) -> Self { .failed(WorkFailure(text)) }
}

/// Does what the test has planned for each entry, and keeps what it was asked.
final class ScriptedEffect<Work: OutboxWork>: OutboxEffect where Work.Receipt == String {
    struct RecordFailure: Error {}

    let performed = CurrentValue<[OutboxEntry<Work>]>([])
    let recorded = CurrentValue<[String]>([])
    /// While false, work waits.
    let gate = CurrentValue(true)
    private let outcomes: Mutex<[String: [OutboxOutcome<Work>]]>
    private let recordFailures: Mutex<Int>

    /// Plans outcomes by identity; after its plan every entry succeeds.
    init(_ outcomes: [String: [OutboxOutcome<Work>]] = [:], recordFailures: Int = 0) {
        self.outcomes = Mutex(outcomes)
        self.recordFailures = Mutex(recordFailures)
    }

    var identities: [String] { performed.value.map(\.identity) }

    func perform(_ attempt: OutboxAttempt<Work>) async -> OutboxOutcome<Work> {
        let entry = attempt.entry
        performed.update { $0.append(entry) }
        for await isOpen in gate.values() where isOpen { break }
        let planned = outcomes.withLock { outcomes in
            outcomes[entry.identity, default: []].isEmpty ? nil : outcomes[entry.identity]?.removeFirst()
        }
        return planned ?? .done("receipt of \(entry.work)")
    }

    func record(_ receipt: String, of entry: OutboxEntry<Work>, in database: Database) throws {
        let fails = recordFailures.withLock { count in
            count -= 1
            return count >= 0
        }
        if fails { throw RecordFailure() }
        recorded.update { $0.append(receipt) }
    }
}
