import Foundation

/// The wait that the service asks for in the body of a refusal.
///
/// Source: google/rpc/error_details.proto, in the JSON form of a Google API error: an element of `error.details` whose
/// `@type` ends in `google.rpc.RetryInfo`, with a `retryDelay` such as `34s`.
package struct RetryInfo: Decodable {
    private struct Envelope: Decodable {
        struct Failure: Decodable {
            let details: [RetryInfo]?
        }

        let error: Failure?
    }

    private enum CodingKeys: String, CodingKey {
        case type = "@type"
        case retryDelay
    }

    private let delay: Duration?

    /// The longest wait that a body asks for, or `nil`.
    package static func delay(in body: [UInt8]) -> Duration? {
        guard !body.isEmpty else { return nil }
        let data = Data(body)
        let envelope =
            (try? JSONDecoder().decode(Envelope.self, from: data))
            // Some routes answer with a list of one error.
            ?? (try? JSONDecoder().decode([Envelope].self, from: data))?.first
        return envelope?.error?.details?.compactMap(\.delay).max()
    }

    /// Reads one detail, of any kind: those of another kind ask for no wait.
    package init(from decoder: any Decoder) throws {
        let fields = try? decoder.container(keyedBy: CodingKeys.self)
        let type = try? fields?.decode(String.self, forKey: .type)
        let text = try? fields?.decode(String.self, forKey: .retryDelay)
        let isOurs = type?.hasSuffix("google.rpc.RetryInfo") ?? false
        delay = isOurs ? text.flatMap { Duration(protobufJSON: $0) } : nil
    }
}
