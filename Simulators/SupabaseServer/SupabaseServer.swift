import Foundation
public import HTTPTypes
// Models Supabase Storage and Auth as the app and the official clients see them through the gateway, which wants an
// `apikey` on the paths of Auth, understands keys of both kinds, answers the preflights of browsers, and refuses
// everything beyond a quota. Auth, under `/auth/v1`: sign-in with a password, rotation of refresh tokens with the
// detection of copies, sign-out by scope, the user, sign-up and users that an administrator adds; its tokens are taken
// by the storage. Storage, under `/storage/v1`: buckets; uploads, raw and as forms; downloads by every route, with
// ranges and conditions; information, listings in both versions and all orders, pictures in other sizes (JPEG and PNG,
// really scaled), move, copy, removal; signed addresses for reading and for uploading; uploads in parts (TUS 1.0).
// Error bodies, statuses, the order of checks, names, limits and row-level security follow the service's source. Tokens
// are real HS256 tokens with roles.
//
// Does not model: the S3 endpoint, letters, other ways to sign in, the database, quotas but that of bytes, caches in
// front of public objects, pictures of other formats, their transparency and the orientation that cameras note in them,
// versions of answers for old clients. Storage of one process is not shared with another that runs at the same time.
//
// Faults: fault points, which `faults` lists: plans of faults, swarms, worlds and tests arm them.
//
// Compared with the real service: not directly. Written from supabase/storage at 4fa61fba and supabase/auth at
// bc32168e. tuspy 1.1.0 uploads 20 MB over broken connections and a restart. The official Python client, supabase
// 2.34.1, works against it unmodified over loopback HTTP: buckets, uploads as forms, upsert, download, information,
// both listings, move, copy, removal, signed addresses both ways, sign-in, refresh, sign-out, and the refusals that it
// turns into errors. Texts of refusals for malformed forms, for too large metadata and for broken escapes are not
// verified; nor is that listing an absent bucket gives an empty list, nor that folders come before objects, nor where
// folders come in the order of dates, nor the texts of refusals of pictures.
public import PeerKit
import Synchronization
public import Transport

/// A simulated Supabase: storage and sign-in.
///
/// All requests see one state, and each change happens at once, as in a transaction. The bytes of an upload are
/// held back until all of them are there, so no partial object is ever seen.
public final class SupabaseServer: Server {
    /// How many events are kept; the oldest go first.
    public static let eventCountMaximum: Int = 100_000

    /// How the project is set up.
    public let project: SupabaseProject
    /// Where something may go wrong at every such service.
    public static var faultPoints: [PeerFaultPoint] { StorageFaultPoints.points }
    /// Those of them that a client passes which stores and reads whole objects.
    public static var objectFaultPoints: [PeerFaultPoint] { StorageFaultPoints.objectPoints }
    /// What goes wrong here outside a simulation; see `PeerFaults`.
    public let faults: PeerFaults = PeerFaults(SupabaseServer.faultPoints)

    let tokens: WebToken
    let store: StateStore
    let uploads: ResumableUploads
    let people: AuthStore
    let pictures = PictureRenderer()
    private let keys: GatewayKeys
    private let budget: MemoryBudget
    private let requests = Mutex(0)

    /// Makes a server, with what its folder holds from earlier.
    ///
    /// - Throws: Whatever reading or making the folder throws; nothing without a folder.
    public init(_ project: SupabaseProject) throws {
        self.project = project
        tokens = WebToken(secret: project.secret)
        keys = GatewayKeys(project)
        let archive = try project.folder.map { try StorageArchive(folder: $0) }
        budget = MemoryBudget(limit: project.memoryLimit)
        let now = Date()
        let buckets = project.buckets.map { bucket in
            StoredBucket(
                id: bucket.name,
                owner: "",
                isPublic: bucket.isPublic,
                sizeLimit: bucket.sizeLimit,
                mimeTypes: bucket.mimeTypes,
                createdAt: now,
                updatedAt: now
            )
        }
        store = try StateStore(archive, budget, buckets: buckets)
        uploads = try ResumableUploads(folder: project.folder, budget, lifetime: project.resumableLifetime)
        let users = project.signIn.users.map { user in
            AuthUser(
                id: user.id ?? UUID().uuidString.lowercased(),
                email: user.email.lowercased(),
                password: user.password,
                isConfirmed: user.isConfirmed,
                isBanned: user.isBanned,
                now: now
            )
        }
        people = try AuthStore(folder: project.folder, users: users)
    }

    // MARK: Watching

    /// What requests have done, oldest first.
    public var events: [StorageEvent] { store.events }

    /// How many requests have come, of any kind.
    public var requestCount: Int { requests.withLock { $0 } }

    /// How many parts of uploads were neither 6 MiB, as the hosted service wants them, nor the last.
    public var unevenChunkCount: Int { uploads.unevenChunkCount }

    /// How many uploads in parts are neither complete, nor ended by their clients, nor expired.
    public var pendingUploadCount: Int { uploads.openCount }

    /// The objects of a bucket, in the order of their keys.
    public func objects(in bucket: String) -> [ObjectSnapshot] {
        let found = store.objects(in: bucket)
        var snapshots: [ObjectSnapshot] = []
        found.forEach { element in
            snapshots.append(ObjectSnapshot(element.value))
            return true
        }
        return snapshots
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
        if let answer = preflight(request) { return answer.response }
        let call = Call(request: project.gateway.translated(request, keys), body: body, number: number)
        var answer = await faults.answering {
            if let refusal = project.gateway.refusal(of: request, keys) ?? restriction() { return refusal }
            if RequestTarget(request).path.hasPrefix(AuthRoute.prefix) { return await authenticate(call) }
            do throws(StorageFailure) { return try await troubled(try Route(request), call) } catch {
                return .failure(error)
            }
        }
        // HTTP has no bodies in answers to HEAD; the headers stay.
        if request.method == .head { answer = answer.withoutBody() }
        // The gateway opens the project to browsers of any origin.
        answer.headers[.accessControlAllowOrigin] = "*"
        return answer.response
    }

    /// One request on its way through the server.
    struct Call: Sendable {
        let request: HTTPRequest
        let body: HTTPBody
        let number: Int

        func wants(_ header: String, _ value: String) -> Bool { request.headerFields.value(header) == value }
    }

    /// Answers, with the faults of what is asked for.
    private func troubled(_ route: Route, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        switch route {
        case .upload, .uploadSigned:
            if let fault = faults.strike(StorageFaultPoints.uploadRefused) {
                throw .refusal(status: fault.integer("status"))
            }
            let answer = try await answer(route, call)
            if let fault = faults.strike(StorageFaultPoints.uploadAnswerLost) {
                try? await Task.sleep(for: fault.time("silence"))
                return .page(status: 504)
            }
            return faults.strike(StorageFaultPoints.uploadAnswerCut) == nil ? answer : answer.brokenInBody()
        case .download, .readSigned, .render, .renderSigned:
            let answer = try await answer(route, call)
            guard let fault = faults.strike(StorageFaultPoints.downloadCut) else { return answer }
            return answer.broken(afterShare: fault.value("share"))
        default: return try await answer(route, call)
        }
    }

    private func answer(_ route: Route, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        try await store.settle()
        return switch route {
        case .listBuckets: try listBuckets(call)
        case .createBucket: try await createBucket(call)
        case .bucket(let id): try bucket(id, call)
        case .updateBucket(let id): try await updateBucket(id, call)
        case .deleteBucket(let id): try await deleteBucket(id, call)
        case .emptyBucket(let id): try await emptyBucket(id, call)
        case .upload(let name, let replaces): try await upload(name, replaces: replaces, call)
        case .download(let name, let access): try download(name, access, call)
        case .info(let name, let access): try info(name, access, call)
        case .list(let bucket): try await list(bucket, call)
        case .listPaged(let bucket): try await listPaged(bucket, call)
        case .move: try await move(call)
        case .copy: try await copy(call)
        case .removeMany(let bucket): try await removeMany(bucket, call)
        case .remove(let name): try await remove(name, call)
        case .render(let name, let access): try await render(name, access, call)
        case .renderSigned(let name): try await renderSigned(name, call)
        case .sign(let name): try await sign(name, call)
        case .signMany(let bucket): try await signMany(bucket, call)
        case .readSigned(let name): try readSigned(name, call)
        case .signUpload(let name): try signUpload(name, call)
        case .uploadSigned(let name): try await uploadSigned(name, call)
        case .resumable(let identifier, let isSigned):
            try await resumable(identifier, isSigned: isSigned, call)
        }
    }

    // MARK: State

    /// Looks at the state as of now.
    func read<Found: Sendable>(
        _ look: (borrowing StorageState) throws(StorageFailure) -> Found
    ) throws(StorageFailure) -> Found { try store.read(look) }

    /// Changes the state in one step: plans on the state of now, makes it durable, then applies it.
    func commit<Outcome: Sendable>(
        _ plan: @Sendable (borrowing StorageState) throws(StorageFailure) -> StateStore.Commit<Outcome>
    ) async throws(StorageFailure) -> Outcome { try await store.commit(plan) }

    /// Begins to take the content of a version.
    func sink(version: String) throws(StorageFailure) -> ContentSink {
        try ContentSink(path: store.archive?.path(ofVersion: version), MemoryBudget.Share(of: budget))
    }

    /// The content of one object as that of another version, which ``StorageState/Change/copyObject`` stores.
    func copy(_ content: StoredContent, row: StoredObject.Row) throws(StorageFailure) -> StoredContent {
        let share = MemoryBudget.Share(of: budget)
        try share.grow(by: row.memoryUse)
        return StoredContent(copying: content, to: store.archive?.path(ofVersion: row.version), share)
    }
}
