public import HTTPTypes

/// What a service answered with success, read whole.
public struct ServiceAnswer: Sendable {
    /// Status and header fields.
    public var head: HTTPResponse
    /// The body.
    public var body: [UInt8]

    /// The status: 2xx.
    public var status: Int { head.status.code }
}
