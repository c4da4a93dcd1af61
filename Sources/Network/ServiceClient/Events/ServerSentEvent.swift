/// An event of a stream.
public struct ServerSentEvent: Sendable, Hashable {
    /// What its `data` lines hold, with line feeds between them.
    public var data: [UInt8]
    /// Whether its end had come; where the stream ended first, more of it may be missing.
    public var isWhole: Bool = true
}
