public import HTTPTypes
public import Transport

/// A request that came through the entrance, for a route of the app's own.
public struct PageRequest<Window: PageWindow>: Sendable {
    /// The head.
    public let head: HTTPRequest
    /// The body.
    public let body: HTTPBody
    /// The path, without its query.
    public let path: Substring
    /// The values of the query by name; `page` is the page that asks.
    public let query: [Substring: Substring]

    private let sessions: PageSessions<Window>

    init(_ head: HTTPRequest, _ body: HTTPBody, in sessions: PageSessions<Window>) {
        self.head = head
        self.body = body
        (path, query) = head.pathAndQuery
        self.sessions = sessions
    }

    /// Whether it changes nothing.
    public var isReading: Bool { head.isReading }

    /// The windows of all pages; that of the page that was used last at the end.
    @MainActor
    public var windows: [Window] { sessions.windows }

    /// Does something in the window of the page that asks, which then shows what has changed.
    ///
    /// - Returns: What `work` returned; `nil` where the page is not known, or not any more.
    @MainActor
    public func inWindow<Outcome>(_ work: @MainActor (Window) async -> Outcome) async -> Outcome? {
        guard let page = query["page"], let session = sessions.session(String(page)) else { return nil }
        defer { session.markAll() }
        return await work(session.window)
    }
}

extension PageAnswer {
    /// The page that asks is not known, or not any more.
    public static var unknownPage: PageAnswer { .text(.conflict, "The page is not connected.") }
}
