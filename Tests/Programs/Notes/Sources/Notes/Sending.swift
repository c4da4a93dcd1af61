import AppKernel
import Foundation
import GRDB
import ServiceClient

/// What the outbox does with a note.
struct Sending: OutboxEffect {
    let service: ServiceClient
    /// Whether all attempts of a note have the same key, by which the service knows it again.
    let keepsKeys: Bool

    func perform(_ attempt: OutboxAttempt<Draft>) async -> OutboxOutcome<Draft> {
        let key = keepsKeys ? attempt.entry.idempotencyKey : UUID()
        do throws(ServiceFailure) {
            let call = try Call.post("/notes", attempt.entry.work, key: key.uuidString)
            return .done(try await service.send(call))
        } catch {
            let failure = WorkFailure("\(error)")
            // What the service itself refuses, it refuses again; all else may pass.
            if error.code == .refused, !error.isTransient { return .failed(failure) }
            return .retry(failure, after: error.retryAfter)
        }
    }

    func record(_ receipt: Draft.Receipt, of entry: OutboxEntry<Draft>, in database: Database) throws {
        try database.execute(sql: "UPDATE note SET isSent = 1 WHERE id = ?", arguments: [entry.work.id])
    }
}
