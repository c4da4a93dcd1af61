public import ServiceClient
public import Services

/// What one call of a store is for, and what its failures say.
public struct ObjectOperation: Sendable {
    /// What is tried, such as `put`.
    public let name: String
    /// Of which object.
    public let key: ObjectKey
    /// What no error may hold.
    private let secrets: [Secret]

    /// Names a call.
    ///
    /// - Parameters:
    ///   - name: As in `ObjectStoreError.operation`.
    ///   - key: The object's; of a list what its keys begin with.
    ///   - secrets: What no error may hold.
    public init(_ name: String, _ key: ObjectKey, clearing secrets: [Secret] = []) {
        (self.name, self.key, self.secrets) = (name, key, secrets)
    }

    // MARK: Errors

    /// An error of this call; whatever comes from outside is cleared of the secrets.
    public func error(_ code: ObjectStoreError.Code, _ detail: String) -> ObjectStoreError {
        let clean = secrets.reduce(detail) { $1.redacted(from: $0) }
        return ObjectStoreError(code, operation: name, key: key.path, detail: clean)
    }

    /// What it means that a request had no success.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - refusal: What the answer says in the form of the service; `nil` where there was none.
    public func error(_ failure: ServiceFailure, _ refusal: (any StoreRefusal)?) -> ObjectStoreError {
        var error: ObjectStoreError
        if let refusal {
            error = self.error(refusal.code, refusal.detail)
            // Its status alone may say something else than its words would have, but where it is about rights: servers that refuse a request
            // before they have read it often end the connection with it.
            if failure.isCut, !error.isTransient, error.code != .unauthorized {
                error = self.error(.network, "\(refusal.detail), and the rest of the answer was lost")
            }
        } else if failure.code == .untrusted, let status = failure.status {
            // A captive portal goes away, another server does not.
            error = self.error(.serverError, "HTTP \(status), but \(failure.detail)")
        } else {
            error = self.error(Self.code(of: failure), failure.detail)
        }
        error.retryAfter = failure.retryAfter
        if failure.code == .unreachable { error.mayHaveTakenEffect = false }
        return error
    }

    private static func code(of failure: ServiceFailure) -> ObjectStoreError.Code {
        switch failure.code {
        case .timedOut: .timedOut
        case .cancelled: .cancelled
        case .tooLarge: .tooLarge
        case .untrusted: .untrusted
        case .unreachable, .interrupted: .network
        case .notConfigured, .signedOut: .notConfigured
        case .refused, .malformed: .serverError
        }
    }

    /// What it means that a request had no success whose body was content: the content may have been what failed.
    public func error(_ error: ObjectStoreError, sending content: ContentBody?) -> ObjectStoreError {
        content?.failure.map { self.error(.unreadable, $0.detail) } ?? error
    }

    /// Runs what a report does; its failure ends the call.
    public func reporting(
        _ progress: UploadProgress,
        to report: UploadReport?
    ) async throws(ObjectStoreError) {
        guard let report else { return }
        do { try await report(progress) } catch {
            throw self.error(.cancelled, "how far the upload has come cannot be kept: \(error)")
        }
    }

    // MARK: Answers

    /// Reads an answer whole.
    ///
    /// - Parameters:
    ///   - answer: A success.
    ///   - limit: The most bytes to accept.
    ///   - time: The longest that it may take.
    public func read(
        _ answer: StreamedAnswer,
        upTo limit: Int,
        within time: Duration
    ) async throws(ObjectStoreError) -> [UInt8] {
        do throws(ServiceFailure) { return try await answer.read(upTo: limit, within: time) } catch {
            throw self.error(Self.code(of: error), error.detail)
        }
    }

    /// The bytes of an object as they come.
    ///
    /// A peer that sends a byte now and then ends with the time too: it is looked at between two chunks, and a chunk has the time of a
    /// request to come.
    ///
    /// - Parameters:
    ///   - answer: A success, which says how many bytes follow in `range`.
    ///   - info: The object.
    ///   - range: Which of its bytes follow.
    ///   - time: The longest that all of it may take.
    public func stream(
        _ answer: StreamedAnswer,
        _ info: ObjectInfo,
        _ range: Range<Int>,
        within time: Duration
    ) async throws(ObjectStoreError) -> ObjectStream {
        let end = ContinuousClock.now + time
        let pull: @Sendable () async throws(ServiceFailure) -> [UInt8]?
        do throws(ServiceFailure) { pull = try await answer.chunks() } catch {
            throw self.error(Self.code(of: error), error.detail)
        }
        let arrived = Place(0)
        return ObjectStream(info, range: range) { () async throws(ObjectStoreError) in
            let chunk: [UInt8]?
            do throws(ServiceFailure) { chunk = try await pull() } catch {
                throw self.error(Self.code(of: error), error.detail)
            }
            arrived.value += chunk?.count ?? 0
            let count = arrived.value
            guard let chunk else {
                if count == range.count { return nil }
                throw self.error(.network, "\(count) bytes of \(range.count) arrived")
            }
            guard count <= range.count else {
                throw self.error(.serverError, "more than the \(range.count) bytes that were announced")
            }
            guard count == range.count || ContinuousClock.now < end else {
                throw self.error(.timedOut, "\(count) bytes of \(range.count) arrived within \(time)")
            }
            return chunk
        }
    }
}

/// What a service says in an answer that is not a success.
public protocol StoreRefusal: Sendable {
    /// What it means.
    var code: ObjectStoreError.Code { get }
    /// Status and text for people.
    var detail: String { get }
}
