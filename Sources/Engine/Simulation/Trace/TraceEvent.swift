/// Something that happened in the simulated world, as the hash and the trace have it.
public struct TraceEvent: Sendable, Hashable, Codable {
    /// Steps before it.
    public var step: Int
    /// Virtual time since the start, in nanoseconds.
    public var nanoseconds: Int64
    /// The node on which it happened.
    public var node: String
    /// The kind, in the field's terms: `message`, `fault`, `state`.
    public var kind: String
    /// For people, and part of the hash.
    public var detail: String

    /// Makes an event.
    public init(step: Int, nanoseconds: Int64, node: String, kind: String, detail: String) {
        self.step = step
        self.nanoseconds = nanoseconds
        self.node = node
        self.kind = kind
        self.detail = detail
    }
}
