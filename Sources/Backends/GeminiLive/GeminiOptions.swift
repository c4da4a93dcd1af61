public import Transport

/// How a client of Gemini Live behaves, apart from what a session is about.
public struct GeminiOptions: Sendable, Hashable {
    /// How words are put to the model.
    public enum TextRoute: Sendable, Hashable {
        /// As live input, which every live model takes.
        case realtimeInput
        /// As a complete turn of the conversation; models from 3.1 on take that only as initial history.
        case clientContent
    }

    /// The longest wait for the open connection.
    public var connectTimeout: Duration
    /// The longest wait for the acknowledgement of the setup, after the connection is open.
    public var setupTimeout: Duration
    /// How words are put to the model.
    public var textRoute: TextRoute
    /// Whether the service may forget the oldest context, which lifts the two-minute limit of video sessions.
    public var compressesContext: Bool
    /// Whether the service is asked for handles with which a later session goes on.
    public var asksForHandles: Bool
    /// Bounds for what the service sends, and the silence after which it is taken for gone.
    ///
    /// A session mostly sends, so that without keep-alive a connection that leads nowhere any more would be noticed only
    /// when the system gives up, after a quarter of an hour.
    public var limits: WebSocketLimits

    /// Asks after 10 s of silence, and gives up after 30 s.
    public static let heartbeat = WebSocketKeepAlive(interval: .seconds(10), silence: .seconds(30))

    /// Makes options; the defaults suit an interactive app.
    public init(
        connectTimeout: Duration = .seconds(10),
        setupTimeout: Duration = .seconds(10),
        textRoute: TextRoute = .realtimeInput,
        compressesContext: Bool = true,
        asksForHandles: Bool = true,
        limits: WebSocketLimits = WebSocketLimits(keepAlive: GeminiOptions.heartbeat)
    ) {
        self.connectTimeout = connectTimeout
        self.setupTimeout = setupTimeout
        self.textRoute = textRoute
        self.compressesContext = compressesContext
        self.asksForHandles = asksForHandles
        self.limits = limits
    }
}
