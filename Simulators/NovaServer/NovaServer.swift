public import Files
internal import Foundation
public import HTTPTypes
// Models Nova's service as its app sees it over HTTP: signing in with e-mail and with Apple, access and refresh tokens, the feed, posts, likes,
// comments, addresses for uploads to a storage that speaks S3, profiles with multipart forms, search, notifications, analytics, idempotency keys and rate
// limits. What is refused, with which status and in which order things are checked, is in `Calls`; its description as OpenAPI 3.1 is served at
// `/openapi.json`, and the public half of its signing key at `/.well-known/jwks.json`.
//
// Does not model: a feed of followed people alone (everybody sees all posts), following as a call (scripts do it), reading of notifications, moderation,
// e-mails, deletion of objects in the storage, several instances behind a balancer, TLS (hosts have it), cross-origin
// requests. With a folder, all but the counts of the rate limits outlives the process, and power cuts: what was answered is on the disk, and a change is there
// together with the answer that is known by its key. A client without an access token is known by the e-mail address that it sends, since a server does not see addresses.
// The service asks its storage, and Apple for keys, without a network between them.
//
// Faults: fault points, which `faults` lists: plans of faults, swarms, worlds and tests arm them. The storage and the issuer have their own.
//
// Compared with the real service: paths, fields, statuses and limits follow the public description of the app's data flow and the specification of the same
// client, which differ in places; idempotency keys follow that specification, and the drafts and services that it resembles. Nothing was run against
// the real one. PyJWT checks the tokens by the published keys, boto-free clients and requests use forms and addresses: see scripts/clients.
public import PeerKit
public import S3Server
internal import Synchronization
public import Transport

/// A simulated Nova: it signs people in, shows them posts, and takes theirs.
///
/// All requests see one state, and each change happens at once. Safe to use from any task.
public final class NovaServer: Server {
    /// How it is set up.
    public let project: NovaProject
    /// Where something may go wrong at every such service.
    public static var faultPoints: [PeerFaultPoint] { NovaFaultPoints.points }
    /// What goes wrong here outside a simulation; see `PeerFaults`.
    public let faults: PeerFaults = PeerFaults(NovaServer.faultPoints)
    /// Where pictures are uploaded to; it is a server of its own, which clients reach at the project's `storageURL`.
    public let storage: S3Server
    /// Who says who somebody is to Apple; it is a server of its own.
    public let apple: AppleIssuer

    let pictures = DrawnPictures()
    let identities: IdentityVerifier
    let accessTokens = CheckedAccessTokens()
    private let state: Mutex<NovaState>
    /// Where everything is kept; `nil` for memory only.
    private let archive: NovaArchive?
    /// Held while a change is made whose answer is known by a key, and while changes are taken for the folder: they get there together.
    private let finishing = Mutex(())

    /// Makes a service with the content of its project.
    ///
    /// - Parameters:
    ///   - project: How it is set up.
    ///   - storage: Where pictures are uploaded to, with the project's bucket; `nil` for a new one.
    ///   - apple: Who issues identity tokens; `nil` for a new one.
    public convenience init(
        _ project: NovaProject = .seeded(),
        storage: S3Server? = nil,
        apple: AppleIssuer? = nil
    ) {
        self.init(project, storage, apple, NovaState(project, now: Date()), nil)
    }

    /// Makes a service that keeps everything in a folder, with what the folder holds from earlier, or else with the content of its project.
    ///
    /// People of the project can sign in with the passwords of the project; access tokens and identity tokens are good for as long as the keys are the same. The
    /// storage has to keep its objects itself.
    ///
    /// - Parameters:
    ///   - project: How it is set up.
    ///   - storage: Where pictures are uploaded to, with the project's bucket; `nil` for a new one.
    ///   - apple: Who issues identity tokens; `nil` for a new one.
    ///   - folder: Where to keep everything; no other process may use it at the same time.
    /// - Throws: `FileFailure`.
    public convenience init(
        _ project: NovaProject = .seeded(),
        storage: S3Server? = nil,
        apple: AppleIssuer? = nil,
        folder: FileFolder
    ) throws(FileFailure) {
        let archive = try NovaArchive(folder)
        let found = try archive.read()
        var state =
            found.map { NovaState(project, $0.kept, $0.changes) } ?? NovaState(project, now: Date())
        state.keep()
        self.init(project, storage, apple, state, archive)
        try writeChanges()
    }

    private init(
        _ project: NovaProject,
        _ storage: S3Server?,
        _ apple: AppleIssuer?,
        _ state: consuming sending NovaState,
        _ archive: NovaArchive?
    ) {
        self.project = project
        self.storage = storage ?? S3Server(Self.storageAccount(of: project))
        let issuer = apple ?? AppleIssuer(clientID: project.appleClientID)
        self.apple = issuer
        identities = IdentityVerifier(issuer, clientID: project.appleClientID)
        self.archive = archive
        self.state = Mutex(state)
    }

    /// The storage's account of a project: everybody may read its bucket.
    public static func storageAccount(of project: NovaProject) -> S3Account {
        S3Account(
            buckets: [S3Account.Bucket(project.bucket, isPublic: true, crossOrigin: [CrossOriginRule()])],
            sizeLimit: project.uploadLimit
        )
    }

    // MARK: Serving

    /// A request of this service does not compute for long; it waits for the disk where there is a folder.
    public var mayBlock: Bool { archive != nil }

    /// Answers a request, or as its fault points want it.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        let number = withState { state in
            state.requestCount += 1
            return state.requestCount
        }
        var answer = await faults.answering { await troubled(request, body, number) }
        answer.headers.set("X-Request-Id", Self.requestID(number))
        // HTTP has no bodies in answers to HEAD; the headers stay.
        if request.method == .head { answer = answer.withoutBody() }
        return answer.response
    }

    static func requestID(_ number: Int) -> String { OpaqueID.text("req", number) }

    private func troubled(_ request: HTTPRequest, _ body: HTTPBody, _ number: Int) async -> PeerAnswer {
        var answer: PeerAnswer
        var isChange = false
        do throws(NovaRefusal) {
            let visit = try await visit(request, body, number)
            isChange = visit.call.isChange
            let portal = faults.strike(NovaFaultPoints.html)
            if portal?.integer("effect") == 0 { return .page(status: 200) }
            if let trouble = try trouble(before: visit) { return trouble }
            let isLost = visit.call == .refresh ? faults.strike(NovaFaultPoints.refreshLost) : nil
            answer = try await kept(visit)
            if let isLost { return await .lost(isLost) }
            if portal != nil { return .page(status: 200) }
        } catch {
            let path = String(RequestTarget(request).path.prefix(200))
            note(.refused(path: path, status: error.status, error: error.error))
            return error.answer
        }
        if isChange, let fault = faults.strike(NovaFaultPoints.answerLost) { return await .lost(fault) }
        if faults.strike(NovaFaultPoints.malformed) != nil { return .json(["result": []]) }
        if faults.strike(NovaFaultPoints.answerCut) != nil { answer = answer.brokenInBody() }
        return answer
    }

    /// Finds the call of a request, and reads the body.
    private func visit(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ number: Int
    ) async throws(NovaRefusal) -> NovaVisit {
        let (call, values): (NovaCall, [String: String])
        let isLogged = RequestLog(request)
        switch NovaCall.routes.match(request) {
        case .found(let found, let segments): (call, values) = (found, segments)
        case .otherMethod(let allowed):
            note(isLogged.event(body: nil))
            throw .method(allowed)
        case .nowhere:
            note(isLogged.event(body: nil))
            throw .nowhere
        }
        let bytes: [UInt8]
        do throws(TransportError) {
            bytes = try await body.collect(upTo: call.bodyLimit(project), within: .seconds(30))
        } catch {
            note(isLogged.event(body: nil))
            throw error.code == .tooLarge ? .tooLarge : .field("body", "did not arrive")
        }
        note(isLogged.event(body: bytes.isEmpty ? nil : try? JSONValue(json: bytes, depth: 8)))
        return NovaVisit(
            call: call,
            values: values,
            request: request,
            target: RequestTarget(request),
            body: bytes,
            number: number
        )
    }

    /// The answer to a call, once all that it has changed, or has seen of changes, is in the folder.
    private func kept(_ visit: NovaVisit) async throws(NovaRefusal) -> PeerAnswer {
        let answer: PeerAnswer
        do throws(NovaRefusal) { answer = try await self.answer(visit) } catch {
            // A refusal can end a sign-in.
            try keepChanges(visit)
            throw error
        }
        try keepChanges(visit)
        return answer
    }

    private func answer(_ visit: NovaVisit) async throws(NovaRefusal) -> PeerAnswer {
        switch visit.call {
        case .description: return .json(NovaCall.openAPI)
        case .keys: return .json(publicKeys.json)
        case .drawnPicture: return try drawnPicture(visit.id)
        case .avatar: return try sentAvatar(visit)
        default: break
        }
        let caller = try caller(of: visit)
        guard let key = try visit.idempotencyKey() else {
            try await work(on: visit)
            if visit.call == .apple { return try await signInWithApple(visit).answer }
            return try reply(to: visit, caller).answer
        }
        return try await once(visit, caller, key)
    }

    /// Answers a call with an idempotency key: once, however often it comes.
    private func once(
        _ visit: NovaVisit,
        _ caller: Caller?,
        _ key: String
    ) async throws(NovaRefusal) -> PeerAnswer {
        if faults.strike(NovaFaultPoints.inProgress) != nil { throw .inProgress }
        if faults.strike(NovaFaultPoints.forgotten) != nil { withState { $0.idempotency.forgetAll() } }
        let scope = IdempotencyRecords.Scope(
            userID: caller?.userID ?? "",
            method: visit.request.method.rawValue,
            path: visit.target.path,
            key: key
        )
        let digest = ByteDigest.of(visit.body)
        let number: Int
        switch withState({ $0.idempotency.begin(scope, digest: digest, at: .now) }) {
        case .fresh(let fresh): number = fresh
        case .inProgress: throw .inProgress
        case .otherBody: throw .otherBody
        case .known(let reply):
            note(.replayed(path: visit.target.path, key: key))
            var answer = reply.answer
            answer.headers.set("Idempotent-Replayed", "true")
            return answer
        }
        if faults.strike(NovaFaultPoints.broken) != nil {
            throw .failure(requestID: Self.requestID(visit.number))
        }
        do throws(NovaRefusal) {
            try await work(on: visit)
            return try finishing.withLock { _ throws(NovaRefusal) in
                let reply = try reply(to: visit, caller)
                withState { $0.idempotency.end(scope, number: number, reply, at: .now) }
                return reply.answer
            }
        } catch {
            withState { $0.idempotency.end(scope, number: number, nil, at: .now) }
            throw error
        }
    }

    /// Takes the time that a call takes; a client that goes away does not stop it.
    private func work(on visit: NovaVisit) async throws(NovaRefusal) {
        guard let fault = faults.strike(NovaFaultPoints.slow) else { return }
        await Task { try? await Task.sleep(for: fault.time("seconds")) }.value
    }

    private func reply(to visit: NovaVisit, _ caller: Caller?) throws(NovaRefusal) -> NovaReply {
        switch visit.call {
        case .signIn: return try signIn(visit)
        case .signUp: return try signUp(visit)
        case .refresh: return try refresh(visit)
        case .analytics: return try track(visit)
        default: break
        }
        guard let caller else { throw .token }
        let user = caller.userID
        switch visit.call {
        case .signOut: return try signOut(visit, caller)
        case .feed: return try feed(visit, user)
        case .post: return try post(visit, user)
        case .publish: return try publish(visit, user)
        case .removePost: return try removePost(visit, user)
        case .like: return try like(visit, user)
        case .unlike: return try unlike(visit, user)
        case .comments: return try comments(visit, user)
        case .comment: return try comment(visit, user)
        case .presign: return try presign(visit, user)
        case .search: return try search(visit, user)
        case .user: return try self.user(visit, user)
        case .changeUser: return try changeUser(visit, user)
        case .removeUser: return try removeUser(visit, user)
        case .notifications: return try notifications(visit, user)
        default: throw .nowhere
        }
    }

    // MARK: State

    /// - Throws: 500, where the folder cannot be written: what was changed is seen, and is not promised.
    private func keepChanges(_ visit: NovaVisit) throws(NovaRefusal) {
        do throws(FileFailure) { try writeChanges() } catch {
            throw .failure(requestID: Self.requestID(visit.number))
        }
    }

    private func writeChanges() throws(FileFailure) {
        try archive?.write {
            finishing.withLock { _ in withState { $0.takeChanges() } }
        } all: {
            finishing.withLock { _ in withState { $0.takeAll() } }
        }
    }

    func note(_ event: NovaEvent) { state.withLock { $0.log.append(event) } }

    /// Reads or changes the state in one step; what a change did before it throws stays.
    func change<Outcome: Sendable>(
        _ body: (inout NovaState) throws(NovaRefusal) -> Outcome
    ) throws(NovaRefusal) -> Outcome {
        let result = state.withLock { state -> Result<Outcome, NovaRefusal> in
            do throws(NovaRefusal) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// The same for what cannot be refused.
    func withState<Outcome: Sendable>(_ body: (inout NovaState) -> Outcome) -> Outcome {
        state.withLock { body(&$0) }
    }
}

/// What the log says of a request.
private struct RequestLog {
    let request: HTTPRequest

    init(_ request: HTTPRequest) { self.request = request }

    func event(body: JSONValue?) -> NovaEvent {
        let field = request.headerFields[.authorization]
        return .requested(
            method: request.method.rawValue,
            path: RequestTarget.beginning(of: request),
            token: field.flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil },
            key: request.headerFields.value("Idempotency-Key"),
            body: body
        )
    }
}
