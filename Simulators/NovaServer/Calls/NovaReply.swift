import Foundation
import PeerKit
import Transport

/// The answer to a call of the API, as bytes: a repetition gives the same ones.
struct NovaReply: Sendable, Hashable, Codable {
    let status: Int
    /// A JSON document; `nil` for an answer without a body.
    let document: Data?

    /// An answer with a JSON document.
    init(_ json: JSONValue, status: Int = 200) { (self.status, document) = (status, Data(json.json)) }

    /// An answer with a JSON document that is written already.
    init(document: [UInt8]) { (status, self.document) = (200, Data(document)) }

    private init(status: Int) { (self.status, document) = (status, nil) }

    /// Done, and nothing to say.
    static let done = NovaReply(status: 204)

    var answer: PeerAnswer {
        document.map { .json(Array($0), status: status) } ?? PeerAnswer(status: status, body: .empty)
    }
}
