internal import AppKernel
internal import Concurrency
internal import Foundation
internal import GRDB
internal import HTTPTypes
internal import ServiceClient

/// Has Nova do what the person has done; one request for each attempt, but for publications.
struct NovaEffect: OutboxEffect {
    private typealias Outcome = OutboxOutcome<NovaWork>

    let api: APIClient
    let log: NovaLog
    /// Whether Nova was reached when it was last tried.
    let isConnected: CurrentValue<Bool>

    func perform(_ attempt: OutboxAttempt<NovaWork>) async -> OutboxOutcome<NovaWork> {
        let outcome = await outcome(of: attempt)
        guard !Task.isCancelled else { return outcome }
        let isConnected: Bool =
            switch outcome {
            case .offline, .retry(.noConnection, _): false
            default: true
            }
        if self.isConnected.value != isConnected { self.isConnected.set(isConnected) }
        return outcome
    }

    private func outcome(of attempt: OutboxAttempt<NovaWork>) async -> OutboxOutcome<NovaWork> {
        let key = attempt.entry.idempotencyKey.uuidString.lowercased()
        do throws(ServiceFailure) {
            switch attempt.entry.work {
            case .like(let postID, let isLiked):
                let path = "/posts/\(api.segment(postID))/like"
                let _: Acknowledged = try await api.change(
                    isLiked ? .post : .delete,
                    path,
                    isLiked ? Array("{}".utf8) : nil,
                    key: key
                )
                return .done(NovaWork.Receipt())
            case .comment(let postID, let text):
                let path = "/posts/\(api.segment(postID))/comments"
                return .done(NovaWork.Receipt(created: try await create(path, ["text": text], key)))
            case .publish(let pictureID, let caption, let first):
                return try await publish(pictureID, caption, first, key, attempt)
            }
        } catch { return outcome(of: attempt, error) }
    }

    private func create(
        _ path: String,
        _ document: [String: String],
        _ key: String
    ) async throws(ServiceFailure) -> Created {
        let encoder = JSONEncoder()
        // The bytes of one key are the same at each attempt.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(document) else {
            throw ServiceFailure(.malformed, operation: "POST \(path)", peer: "", detail: "no JSON")
        }
        return try await api.change(.post, path, Array(body), key: key)
    }

    /// What a failure means for the entry.
    ///
    /// The network and a server that asks for patience are no fault of the work, however often; what Nova could not do is given up after
    /// the last repetition.
    private func outcome(of attempt: OutboxAttempt<NovaWork>, _ failure: ServiceFailure) -> Outcome {
        let error = NovaError(failure)
        switch (failure.code, error) {
        case (.interrupted, _), (.timedOut, _), (.cancelled, _): return .retry(.noConnection)
        // The token could not be renewed: Nova has not been asked for the work.
        case (.refused, _) where failure.operation == AuthRepository.renewal,
            (.malformed, _) where failure.operation == AuthRepository.renewal:
            return .retry(error, after: failure.retryAfter)
        // Nova itself has said something else than it should, which the next time may be no better.
        case (.malformed, _) where Self.isJSON(failure.body):
            return refused(attempt, .server(status: failure.status ?? 200, requestID: nil))
        case (_, .noConnection), (.signedOut, _): return .offline
        case (_, .inProgress), (_, .tooMany): return .retry(error, after: failure.retryAfter)
        // An answer that was cut does not say what is in conflict: the next one will.
        case (_, .invalid) where failure.status == 409 && RefusalBody(failure.body).error == nil:
            return .retry(.inProgress, after: failure.retryAfter)
        // What stands before Nova says that it has heard nothing from it: the work may be done.
        case (_, .server) where RefusalBody(failure.body).error == nil: return .retry(.noConnection)
        case (_, .server), (_, .unauthorized): return refused(attempt, error, after: failure.retryAfter)
        default:
            // 408 and 425: the service gave up waiting, or it is too early.
            guard failure.isTransient else { return .failed(error) }
            return refused(attempt, error, after: failure.retryAfter)
        }
    }

    /// Whether it is Nova that has answered, and not the page of a network that wants to be paid.
    private static func isJSON(_ body: [UInt8]) -> Bool {
        !body.isEmpty
            && (try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)) != nil
    }

    private func refused(
        _ attempt: OutboxAttempt<NovaWork>,
        _ error: NovaError,
        after wait: Duration? = nil
    ) -> Outcome {
        var progress = attempt.checkpoint(NovaProgress.self) ?? NovaProgress()
        progress.refusals += 1
        let isLast = progress.refusals >= NovaWork.mostRefusals
        // Where the person wants it once more, it is counted from the beginning.
        if isLast { progress.refusals = 0 }
        guard (try? attempt.save(progress)) != nil, !isLast else { return .failed(error) }
        return .retry(error, after: wait)
    }

    // MARK: Publishing

    /// Puts the picture into its place, unless it is there, and makes the post.
    private func publish(
        _ pictureID: String,
        _ caption: String,
        _ first: Presigned,
        _ key: String,
        _ attempt: OutboxAttempt<NovaWork>
    ) async throws(ServiceFailure) -> Outcome {
        var progress = attempt.checkpoint(NovaProgress.self) ?? NovaProgress()
        if !progress.isUploaded {
            guard let picture = (try? log.picture(pictureID)) ?? nil else { return .failed(.notKept) }
            do throws(ServiceFailure) {
                try await upload(picture, to: progress.place ?? first) { place in
                    progress.place = place
                    return (try? attempt.save(progress)) != nil
                }
            } catch { return storageOutcome(of: attempt, error) }
            progress.isUploaded = true
            guard (try? attempt.save(progress)) != nil else { return .retry(.notKept) }
        }
        let body = ["caption": caption, "image_key": (progress.place ?? first).fileKey]
        return .done(NovaWork.Receipt(created: try await create("/posts", body, key)))
    }

    /// Uploads to a place, or where that has ended, once to another one, which is kept first.
    private func upload(
        _ picture: [UInt8],
        to place: Presigned,
        keep: (Presigned) -> Bool
    ) async throws(ServiceFailure) {
        if place.ends > Date() {
            do throws(ServiceFailure) { return try await api.put(picture, to: place) } catch {
                guard StorageRefusal(error)?.isExpired == true else { throw error }
            }
        }
        let next = try await api.presign(.queued)
        guard keep(next) else {
            throw ServiceFailure(.cancelled, operation: "keep a place for a picture", peer: "")
        }
        try await api.put(picture, to: next)
    }

    private func storageOutcome(of attempt: OutboxAttempt<NovaWork>, _ failure: ServiceFailure) -> Outcome {
        guard let refusal = StorageRefusal(failure) else { return outcome(of: attempt, failure) }
        let error = NovaError.storage(code: refusal.code)
        return refusal.isTransient || failure.isTransient || refusal.isExpired
            ? refused(attempt, error, after: failure.retryAfter) : .failed(error)
    }

    // MARK: Recording

    func record(_ receipt: NovaWork.Receipt, of entry: OutboxEntry<NovaWork>, in database: Database) throws {
        let effect: DoneWork.Effect
        switch (entry.work, receipt.created) {
        case (.like(let postID, let isLiked), _): effect = .liked(postID: postID, isLiked)
        case (.comment(let postID, let text), let created?):
            effect = .commented(
                Comment(
                    id: created.id,
                    postID: postID,
                    author: User(id: log.account),
                    text: text,
                    createdAt: created.createdAt
                )
            )
        case (.publish(let pictureID, _, _), let created?):
            try log.forgetPicture(pictureID, in: database)
            let taken = Date().timeIntervalSince(entry.addedAt)
            effect = .published(postID: created.id, milliseconds: Int(max(0, min(taken, 1e9)) * 1_000))
        case (_, nil): return
        }
        try log.note(DoneWork(identity: entry.identity, effect: effect), in: database)
    }
}

/// What the storage says when it does not take a picture: the `<Code>` of a document in XML; the rest may hold the address, which is a secret.
struct StorageRefusal {
    let code: String
    private let isForbidden: Bool

    /// `nil` for what is no such document.
    init?(_ failure: ServiceFailure) {
        let text = String(decoding: failure.body, as: UTF8.self)
        guard failure.code == .refused, let match = text.firstMatch(of: /<Code>([A-Za-z]{1,64})<\/Code>/)
        else {
            return nil
        }
        code = String(match.1)
        // S3 says of an address that has ended what it says of one that was never allowed, but for the words.
        isForbidden = failure.status == 403 && text.contains("expired")
    }

    /// Whether the address has ended.
    var isExpired: Bool {
        ["ExpiredToken", "RequestTimeTooSkewed"].contains(code) || code == "AccessDenied" && isForbidden
    }

    /// Whether the same request may succeed, whatever its status.
    var isTransient: Bool {
        ["RequestTimeout", "BadDigest", "SlowDown", "InternalError", "ServiceUnavailable"].contains(code)
    }
}
