internal import Concurrency
internal import Services

/// The pictures of events: each is asked for once however many want it, and kept for a while.
///
/// What is kept belongs to one session, and is bounded by ``countLimit`` and ``byteLimit``: what was used longest ago goes first.
@MainActor
public final class EventThumbnails {
    /// The most pictures that are kept.
    public static let countLimit: Int = 400
    /// The most bytes that all kept pictures have together.
    public static let byteLimit: Int = 16 << 20

    private let api: any HubAPI
    private let auth: AuthService
    private var session = 0
    private var pictures: [String: [UInt8]] = [:]
    /// The events of the pictures, that first which was used longest ago.
    private var order: [String] = []
    private var bytes = 0
    private var underWay: [String: SharedTask<[UInt8]?>] = [:]

    /// Creates an empty cache; nothing is asked for.
    public init(_ api: any HubAPI, _ auth: AuthService) { (self.api, self.auth) = (api, auth) }

    /// The picture of an event, as it is kept, or as the hub has it.
    ///
    /// - Returns: `nil` for an event without a picture, for one that could not be had, and where the session or the calling task ends before. When
    ///   all calling tasks of a picture have ended, the call of the hub is cancelled.
    public func picture(of event: Event) async -> [UInt8]? {
        guard beginSession(), event.thumbnailURL != nil else { return nil }
        if let picture = pictures[event.id] {
            use(event.id)
            return picture
        }
        let task = task(for: event)
        let picture = await task.value() ?? nil
        // Those that have joined later find it among the kept ones.
        if underWay[event.id] === task, task.isDone || task.isAbandoned { underWay[event.id] = nil }
        return picture
    }

    /// What a picture is, by its first bytes; `nil` for what is none.
    public static func mediaType(of picture: [UInt8]) -> String? {
        if picture.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        return picture.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) ? "image/png" : nil
    }

    /// Forgets what an earlier session has left, and says whether there is a session.
    private func beginSession() -> Bool {
        if session != auth.session || !auth.isAuthenticated.value {
            (session, pictures, order, bytes) = (auth.session, [:], [], 0)
            for task in underWay.values { task.cancel() }
            underWay = [:]
        }
        return auth.isAuthenticated.value
    }

    private func task(for event: Event) -> SharedTask<[UInt8]?> {
        if let task = underWay[event.id], !task.isAbandoned { return task }
        let (api, session) = (api, session)
        let task = SharedTask<[UInt8]?> { [weak self] _ in
            let fetched = try? await api.fetchThumbnail(of: event)
            return await self?.keep(fetched, of: event.id, in: session)
        }
        underWay[event.id] = task
        return task
    }

    /// Keeps a picture, where it is one, of a session that has not ended.
    private func keep(_ fetched: [UInt8]?, of id: String, in session: Int) -> [UInt8]? {
        guard let fetched, fetched.count <= Self.byteLimit, Self.mediaType(of: fetched) != nil,
            session == auth.session, auth.isAuthenticated.value
        else { return nil }
        bytes += fetched.count - (pictures[id]?.count ?? 0)
        pictures[id] = fetched
        use(id)
        while pictures.count > Self.countLimit || bytes > Self.byteLimit {
            bytes -= pictures.removeValue(forKey: order.removeFirst())?.count ?? 0
        }
        return fetched
    }

    private func use(_ id: String) {
        if let index = order.firstIndex(of: id) { order.remove(at: index) }
        order.append(id)
    }
}
