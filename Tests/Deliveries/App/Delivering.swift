internal import AppKernel
internal import Files
internal import Foundation
internal import GRDB
internal import Probes
internal import ServiceClient
internal import Services

/// Takes a delivery to its service.
struct Delivering: OutboxEffect {
    /// How far an attempt has come.
    private enum Stage: String, Codable {
        /// From here on the service may have it.
        case sending
    }

    private struct Message: Encodable {
        let number: Int
        let lane: String
        let words: String
    }

    private struct Answer: Decodable {
        let number: Int
    }

    /// The longest file, in bytes.
    private static let byteLimit = 1 << 20

    let store: any ObjectStore
    let service: ServiceClient
    let documents: FileFolder
    /// Learns of each attempt, and how often in a row the process has ended during the work before.
    let onAttempt: @Sendable (_ delivery: Delivery, _ crashes: Int) -> Void
    /// Learns of each attempt that may be about to reach its service.
    let onSending: @Sendable (Delivery) -> Void

    func perform(_ attempt: OutboxAttempt<Delivery>) async -> OutboxOutcome<Delivery> {
        let delivery = attempt.entry.work
        onAttempt(delivery, attempt.entry.crashes)
        // As long as it takes to make it ready: meanwhile it may be cancelled, or another process take over.
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...300)))
        let mayBeThere = attempt.checkpoint(Stage.self) == .sending
        do throws(DatabaseFailure) { try attempt.save(Stage.sending) } catch {
            return Self.later("\(error)")
        }
        onSending(delivery)
        switch delivery.content {
        case .file(let name): return await upload(name, delivery, mayBeThere: mayBeThere)
        case .words(let words): return await send(words, delivery, attempt.entry.idempotencyKey.uuidString)
        }
    }

    func record(
        _ receipt: Delivery.Receipt,
        of entry: OutboxEntry<Delivery>,
        in database: Database
    ) throws {
        try database.execute(
            sql: "UPDATE wish SET recorded = recorded + 1 WHERE number = ?",
            arguments: [entry.work.number]
        )
        if faultPoint("deliveries.record") { throw DatabaseError(resultCode: .SQLITE_IOERR) }
        guard let address = receipt.address else { return }
        try database.execute(
            sql: "UPDATE media SET address = ? WHERE number = ?",
            arguments: [address, entry.work.number]
        )
    }

    private static func later(_ detail: String) -> OutboxOutcome<Delivery> {
        .retry(.init(code: .unavailable, detail: detail))
    }

    // MARK: Words

    private func send(_ words: String, _ delivery: Delivery, _ key: String) async -> OutboxOutcome<Delivery> {
        do throws(ServiceFailure) {
            let message = Message(number: delivery.number, lane: delivery.lane ?? "", words: words)
            let answer: Answer = try await service.send(try Call.post("/actions", message, key: key))
            guard answer.number == delivery.number else {
                return Self.later("the answer is about \(answer.number)")
            }
            return .done(.init(address: nil))
        } catch {
            switch (error.code, error.status) {
            case (.unreachable, _): return .offline
            case (.refused, 422): return .failed(.init(code: .refused, detail: "\(error)"))
            default:
                let failure = Delivery.Failure(code: .unavailable, detail: "\(error)")
                return .retry(failure, after: error.retryAfter)
            }
        }
    }

    // MARK: Files

    private func upload(
        _ name: String,
        _ delivery: Delivery,
        mayBeThere: Bool
    ) async -> OutboxOutcome<Delivery> {
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try documents.read(name, upTo: Self.byteLimit) } catch {
            return .failed(.init(code: .fileUnreadable, detail: "\(error)"))
        }
        let key = DeliveriesApp.key(of: delivery.number)
        do throws(ObjectStoreError) {
            do throws(ObjectStoreError) {
                try await store.put(bytes, at: key, contentType: "application/octet-stream")
            } catch {
                guard error.code == .alreadyExists, let info = try await store.info(key) else { throw error }
                // The key is this delivery's own, and what an earlier attempt has begun is known to the queue.
                guard mayBeThere, info.size == bytes.count else {
                    return .failed(.init(code: .keyTaken, detail: "\(info.size) bytes, \(mayBeThere)"))
                }
            }
            return .done(.init(address: try store.publicURL(of: key)))
        } catch {
            let failure = Delivery.Failure(code: .unavailable, detail: "\(error)")
            return .retry(failure, after: error.retryAfter)
        }
    }
}
