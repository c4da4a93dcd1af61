public import HTTPTypes

/// What a service answered with success, read whole.
public struct WholeAnswer: Sendable {
    /// Status and header fields.
    public var head: HTTPResponse
    /// The body.
    public var body: [UInt8]
    /// Of the attempt that it answers.
    let evidence: Evidence

    /// The status: 2xx.
    public var status: Int { head.status.code }
}
