import AppKernel
import Foundation
import GRDB
import ServiceClient

/// What the outbox does with a note.
struct Sending: OutboxEffect {
    /// What the service answers.
    struct Receipt: Codable, Sendable {
        let id: Int
    }

    let service: ServiceClient
    let database: AppDatabase
    /// Whether all attempts of a note have the same key, by which the service knows it again.
    let keepsKeys: Bool

    func perform(_ entry: OutboxEntry<Draft>) async -> OutboxOutcome<Receipt> {
        let key = keepsKeys ? entry.idempotencyKey : UUID()
        do throws(ServiceFailure) {
            let call = try Call.post("/notes", entry.payload, key: key.uuidString)
            return .success(try await service.send(call))
        } catch {
            // What the service itself refuses, it refuses again; all else may pass.
            if error.code == .refused, !error.isTransient { return .permanentFailure("\(error)") }
            return .transientFailure("\(error)", retryAfter: error.retryAfter)
        }
    }

    func record(_ receipt: Receipt, of entry: OutboxEntry<Draft>) async throws {
        try database.write("mark a note as sent") {
            try $0.execute(sql: "UPDATE note SET isSent = 1 WHERE id = ?", arguments: [entry.payload.id])
        }
    }
}
