import AppKernel
import Concurrency
import Synchronization

/// Does what the test has planned for each entry, and keeps what it was asked.
final class ScriptedEffect: OutboxEffect {
    typealias Payload = String
    typealias Receipt = String

    struct RecordFailure: Error {}

    let performed = CurrentValue<[OutboxEntry<String>]>([])
    let recorded = CurrentValue<[String]>([])
    /// While false, work waits.
    let gate = CurrentValue(true)
    private let outcomes: Mutex<[String: [OutboxOutcome<String>]]>
    private let recordFailures: Mutex<Int>

    /// Plans outcomes by identity; after its plan every entry succeeds.
    init(_ outcomes: [String: [OutboxOutcome<String>]] = [:], recordFailures: Int = 0) {
        self.outcomes = Mutex(outcomes)
        self.recordFailures = Mutex(recordFailures)
    }

    var identities: [String] { performed.value.map(\.identity) }

    func perform(_ entry: OutboxEntry<String>) async -> OutboxOutcome<String> {
        performed.update { $0.append(entry) }
        for await isOpen in gate.values() where isOpen { break }
        let planned = outcomes.withLock { outcomes in
            outcomes[entry.identity, default: []].isEmpty ? nil : outcomes[entry.identity]?.removeFirst()
        }
        return planned ?? .success("receipt of \(entry.payload)")
    }

    func record(_ receipt: String, of entry: OutboxEntry<String>) async throws {
        let fails = recordFailures.withLock { count in
            count -= 1
            return count >= 0
        }
        if fails { throw RecordFailure() }
        recorded.update { $0.append(receipt) }
    }
}
