// Models S3 as clients see it, with buckets in the path or in the host: buckets (create, head, delete, list, location); objects (put,
// get, head, delete, copy, many deleted at once) with ranges, conditions on reads and writes, user metadata and overrides of answers'
// fields; listings of both versions; uploads in parts (create, put, copy, list, complete, abort), with the entity tags "MD5-N";
// cross-origin rules, which clients may set. With a folder, all of that outlives the process, and bytes go to files as they come. Signatures of version 4 in
// the header and in the query, of bodies whole, unsigned, and in chunks with and without trailers; their age, region and date.
// `x-amz-content-sha256`, `Content-MD5` and the checksums CRC32, CRC32C, CRC64NVME, SHA1 and SHA256, in the header or behind the body.
// Errors with the codes, elements and statuses of the service.
//
// Does not model: versions, access control lists and policies but for buckets whose objects anybody may read, encryption, tags, locks,
// lifecycles, replication, storage classes but as a field that is kept, POST from forms, signatures of version 2 and of several
// regions, several accounts, redirects to other regions, `GetObjectAttributes`, single parts of an object, answers of a repeated
// completion. Changes are seen at once. A folder is not shared with another process that runs at the same time, and nothing is forced
// to the disk. Without a folder all bytes lie in memory.
//
// Faults: fault points, which `faults` lists: plans of faults, swarms, worlds and tests arm them.
//
// Compared with the real service: not directly. Signatures reproduce the published examples of its reference. Amazon's own Python
// client, boto3 1.43, works against it unmodified over loopback HTTP, and so does s3cmd 2.3 of Debian; see scripts/clients. Statuses
// and codes are those of the API reference; texts of messages are from it where it has them. Not verified: the order of checks where
// several things are wrong at once, what a listing with a delimiter makes of a marker inside a folder, and texts of refusals for
// broken trailers, checksums and credentials.
import AWSSignature
public import HTTPTypes
public import PeerKit
import PlainXML
import Synchronization
public import Transport

/// A simulated S3.
///
/// All requests see one state, and each change happens at once. The bytes of an upload are held back until all of them are there and
/// all that the client says of them is true, so no partial object is ever seen.
public final class S3Server: Server {
    /// How many events are kept; the oldest go first.
    public static let eventCountMaximum: Int = 100_000

    /// How the account is set up.
    public let account: S3Account
    /// Where something may go wrong at every such service.
    public static var faultPoints: [PeerFaultPoint] { S3FaultPoints.points }
    /// What goes wrong here outside a simulation; see `PeerFaults`.
    public let faults: PeerFaults = PeerFaults(S3Server.faultPoints)

    let budget: MemoryBudget
    /// Where everything is kept; `nil` for memory only.
    let archive: S3Archive?
    private let memory: Mutex<S3State>
    private let requests = Mutex(0)

    /// Makes a server in which nothing is stored but empty buckets, and that keeps everything in memory.
    public init(_ account: S3Account) {
        self.account = account
        budget = MemoryBudget(limit: account.memoryLimit)
        archive = nil
        var state = S3State()
        for (name, bucket) in Self.buckets(of: account) { state.buckets[name] = bucket }
        memory = Mutex(state)
    }

    /// Makes a server that keeps everything in a folder, with what the folder holds from earlier.
    ///
    /// A bucket of the account that is there already stays as it was made.
    ///
    /// - Parameters:
    ///   - account: How the account is set up.
    ///   - folder: Where to keep everything; no other process may use it at the same time.
    /// - Throws: Whatever reading or making the folder throws.
    public init(_ account: S3Account, folder: String) throws {
        self.account = account
        budget = MemoryBudget(limit: account.memoryLimit)
        let archive = try S3Archive(folder: folder)
        self.archive = archive
        var state = try archive.load(budget)
        for (name, bucket) in Self.buckets(of: account) where state.buckets[name] == nil {
            try archive.write(bucket, named: name)
            state.buckets[name] = bucket
        }
        memory = Mutex(state)
    }

    private static func buckets(of account: S3Account) -> [(name: String, bucket: StoredBucket)] {
        let now = Self.now
        return account.buckets.map { bucket in
            (
                bucket.name,
                StoredBucket(created: now, isPublic: bucket.isPublic, crossOrigin: bucket.crossOrigin)
            )
        }
    }

    // MARK: Watching

    /// What requests have done, oldest first.
    public var events: [S3Event] { memory.withLock { $0.events.entries } }

    /// How many requests have come, of any kind.
    public var requestCount: Int { requests.withLock { $0 } }

    /// The objects of a bucket, in the order of their keys.
    public func objects(in bucket: String) -> [S3ObjectSnapshot] {
        let found = memory.withLock { $0.buckets[bucket]?.objects ?? KeyMap() }
        var snapshots: [S3ObjectSnapshot] = []
        found.forEach { element in
            snapshots.append(S3ObjectSnapshot(element.value))
            return true
        }
        return snapshots
    }

    /// One object of a bucket; `nil` where there is none.
    public func object(_ key: String, in bucket: String) -> S3ObjectSnapshot? {
        let found = memory.withLock { $0.buckets[bucket]?[key] }
        return found.map { S3ObjectSnapshot($0) }
    }

    /// How many uploads in parts of a bucket are neither complete nor aborted.
    public func pendingUploadCount(in bucket: String) -> Int {
        memory.withLock { $0.buckets[bucket]?.uploads.count ?? 0 }
    }

    // MARK: Serving

    /// Answers a request in the service's manner, or as its fault points want it.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        let number = requests.withLock { count in
            count += 1
            return count
        }
        var answer = await faults.answering {
            do throws(S3Failure) {
                let call = try S3Call(request, body, number: number, domain: account.domain)
                var answer = await answered(call)
                addCrossOrigin(to: &answer, call)
                return answer
            } catch {
                return refusal(error, request, number)
            }
        }
        // HTTP has no bodies in answers to HEAD; the headers stay.
        if request.method == .head { answer = answer.withoutBody() }
        answer.headers[.server] = "AmazonS3"
        answer.headers.set("x-amz-request-id", Self.requestID(number))
        answer.headers.set("x-amz-id-2", Self.hostID(number))
        return answer.response
    }

    private func answered(_ call: S3Call) async -> PeerAnswer {
        do throws(S3Failure) {
            let operation = try S3Operation(call)
            return try await troubled(operation, call)
        } catch {
            return refusal(error, call.request, call.number)
        }
    }

    /// Answers, with the faults of what is asked for.
    private func troubled(_ operation: S3Operation, _ call: S3Call) async throws(S3Failure) -> PeerAnswer {
        if let fault = faults.strike(S3FaultPoints.slowDown) {
            var answer = refusal(.slowDown, call.request, call.number)
            let wait = fault.integer("retryAfter")
            if wait > 0 { answer.headers[.retryAfter] = "\(wait)" }
            return answer
        }
        if faults.strike(S3FaultPoints.internalError) != nil { throw .internalError }
        if operation.isUpload {
            if faults.strike(S3FaultPoints.requestTimeout) != nil { throw .requestTimeout }
            let isConditional = call.fields[.ifNoneMatch] != nil || call.fields[.ifMatch] != nil
            if isConditional, faults.strike(S3FaultPoints.conflict) != nil { throw .conflict }
        }
        if operation == .complete, faults.strike(S3FaultPoints.lateError) != nil {
            var answer = refusal(.internalError, call.request, call.number)
            answer.status = 200
            return answer
        }
        let answer = try await answer(operation, call)
        if operation.isChange {
            if let fault = faults.strike(S3FaultPoints.answerLost) {
                try? await Task.sleep(for: fault.time("silence"))
                return .page(status: 504)
            }
            if faults.strike(S3FaultPoints.answerCut) != nil { return answer.brokenInBody() }
        }
        if operation == .get, let fault = faults.strike(S3FaultPoints.downloadCut) {
            return answer.broken(afterShare: fault.value("share"))
        }
        return answer
    }

    private func answer(_ operation: S3Operation, _ call: S3Call) async throws(S3Failure) -> PeerAnswer {
        if operation == .preflight { return try preflight(call) }
        let access = try access(call)
        if let key = call.objectKey, key.utf8.count > 1024 { throw .keyTooLong }
        if access.isAnonymous { return try anonymous(operation, call) }
        return switch operation {
        case .preflight: try preflight(call)
        case .listBuckets: listBuckets()
        case .createBucket: try await createBucket(call, access)
        case .deleteBucket: try deleteBucket(call)
        case .headBucket: try headBucket(call)
        case .getCrossOrigin: try crossOrigin(call)
        case .putCrossOrigin: try await putCrossOrigin(call, access)
        case .deleteCrossOrigin: try deleteCrossOrigin(call)
        case .location: try location(call)
        case .versioning: try versioning(call)
        case .list: try list(call)
        case .listPaged: try listPaged(call)
        case .listUploads: try listUploads(call)
        case .removeMany: try await removeMany(call, access)
        case .put: try await put(call, access)
        case .copy: try copy(call)
        case .get, .head: try get(call)
        case .remove: try remove(call)
        case .createUpload: try createUpload(call)
        case .putPart: try await putPart(call, access)
        case .copyPart: try copyPart(call)
        case .complete: try await complete(call, access)
        case .abort: try abort(call)
        case .listParts: try listParts(call)
        }
    }

    /// Answers a request without a signature: objects of public buckets, and no word about what is not there.
    private func anonymous(_ operation: S3Operation, _ call: S3Call) throws(S3Failure) -> PeerAnswer {
        guard operation == .get || operation == .head else { throw .accessDenied }
        let isReadable = try read(call.bucket) { bucket in bucket.isPublic && bucket[call.key] != nil }
        guard isReadable else { throw .accessDenied }
        return try get(call, allowsOverrides: false)
    }

    // MARK: Answers

    /// The error document of a refusal.
    func refusal(_ failure: S3Failure, _ request: HTTPRequest, _ number: Int) -> PeerAnswer {
        let element = failure.element(
            resource: RequestTarget(request).path,
            request: Self.requestID(number),
            host: Self.hostID(number)
        )
        return .document(element, status: failure.status, namespace: nil)
    }

    private static func requestID(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func hostID(_ number: Int) -> String { Base64.encoded("simulated host \(number)".utf8) }

    // MARK: State

    /// Names of buckets with the instants of their creation, in order.
    var allBuckets: [(name: String, created: SigningTime)] {
        memory.withLock { $0.buckets.map { (name: $0.key, created: $0.value.created) } }
            .sorted { KeyOrder.precedes($0.name, $1.name) }
    }

    /// Looks at a bucket as it is now.
    func read<Found: Sendable>(
        _ bucket: String,
        _ look: (StoredBucket) throws(S3Failure) -> Found
    ) throws(S3Failure) -> Found {
        // The copy shares all that is in it.
        let found = memory.withLock { $0.buckets[bucket] }
        guard let found else { throw .noSuchBucket(bucket) }
        return try look(found)
    }

    /// Looks at all of it, and changes it, in one step.
    func change<Outcome: Sendable>(
        _ body: (inout S3State) throws(S3Failure) -> Outcome
    ) throws(S3Failure) -> Outcome {
        let result = memory.withLock { state -> Result<Outcome, S3Failure> in
            do throws(S3Failure) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Makes a change durable before anybody sees it, where there is a folder.
    ///
    /// It runs while the state is locked, so that the folder and the state go through the same steps; what it writes is a record.
    func durably(_ write: (S3Archive) throws -> Void) throws(S3Failure) {
        guard let archive else { return }
        do { try write(archive) } catch { throw .internalError }
    }

    /// Changes a bucket in one step.
    func change<Outcome: Sendable>(
        _ bucket: String,
        _ body: (inout StoredBucket, inout BoundedLog<S3Event>) throws(S3Failure) -> Outcome
    ) throws(S3Failure) -> Outcome {
        try change { state throws(S3Failure) in
            // Taken out, so that there is one holder and nothing is copied.
            guard var found = state.buckets.removeValue(forKey: bucket) else { throw .noSuchBucket(bucket) }
            defer { state.buckets[bucket] = found }
            return try body(&found, &state.events)
        }
    }
}

/// All that an account stores.
struct S3State: Sendable {
    var buckets: [String: StoredBucket] = [:]
    var events = BoundedLog<S3Event>(capacity: S3Server.eventCountMaximum)
}

extension PeerAnswer {
    /// A document of the service.
    static func document(
        _ element: PlainElement,
        status: Int = 200,
        namespace: String? = "http://s3.amazonaws.com/doc/2006-03-01/"
    ) -> PeerAnswer {
        PeerAnswer(
            status: status,
            headers: [.contentType: "application/xml"],
            body: .bytes(element.document(namespace: namespace))
        )
    }

    /// An answer without a body.
    static func empty(status: Int = 200) -> PeerAnswer { PeerAnswer(status: status, body: .bytes([])) }
}
