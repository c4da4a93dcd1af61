internal import Foundation
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

    /// The document of JSON that the body is.
    ///
    /// - Throws: `malformed` for another document than `Reply`.
    public func document<Reply: Decodable>(
        as type: Reply.Type = Reply.self
    ) throws(ServiceFailure) -> Reply {
        do { return try JSONDecoder().decode(type, from: Data(body)) } catch {
            throw evidence.failure(
                .malformed,
                "\(body.count) bytes that are not what the API says",
                status: status,
                body: Array(body.prefix(ServiceFailure.bodyBytes))
            )
        }
    }
}
