/// A connection between the program and a service.
public struct RecordedConnection: Sendable, Hashable {
    /// Its number, from 0 in order of opening, as its messages name it.
    public var number: Int
    /// What it was: `http`, `websocket`, `udp`, `interfaces` or `lookup`.
    public var kind: String

    /// Makes one.
    public init(number: Int, kind: String) { (self.number, self.kind) = (number, kind) }
}
