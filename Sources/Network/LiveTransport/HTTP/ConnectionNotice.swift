import Logging

/// The log of one request, in which nothing is written: the pool names the connection in it once the request has one.
///
/// The pool has no other way of saying so for a request without a body. A request on a connection of HTTP/2 gets no notice.
struct ConnectionNotice: LogHandler {
    private static let connectionKey = "ahc-connection-id"

    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.critical
    private let onConnection: @Sendable () -> Void

    /// A log for a request.
    ///
    /// - Parameter onConnection: Called when the request is about to be sent, on the connection's event loop.
    static func logger(_ onConnection: @escaping @Sendable () -> Void) -> Logger {
        Logger(label: "request") { _ in ConnectionNotice(onConnection: onConnection) }
    }

    private init(onConnection: @escaping @Sendable () -> Void) { self.onConnection = onConnection }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set {
            metadata[key] = newValue
            if key == Self.connectionKey, newValue != nil { onConnection() }
        }
    }

    func log(event: LogEvent) {}
}
