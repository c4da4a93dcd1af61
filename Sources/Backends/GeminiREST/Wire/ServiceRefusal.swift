import Foundation
import GeminiAPI
import Services

/// What an answer says that is not a success.
///
/// Source: google/rpc/status.proto in the JSON form of a Google API error, `{"error":{"code","message","status","details"}}`;
/// some routes answer with a list of one. Proxies in front of the service answer with pages of their own.
struct ServiceRefusal {
    /// Bytes of an error that are worth reading.
    static let pageBytes = 65_536
    private static let excerptCharacters = 300

    private struct Envelope: Decodable {
        struct Failure: Decodable {
            struct Detail: Decodable {
                let reason: String?

                private enum CodingKeys: CodingKey { case reason }

                init(from decoder: any Decoder) throws {
                    let fields = try? decoder.container(keyedBy: CodingKeys.self)
                    reason = try? fields?.decode(String.self, forKey: .reason)
                }
            }

            let code: Int?
            let message: String?
            let status: String?
            let details: [Detail]?

            private enum CodingKeys: CodingKey { case code, message, status, details }

            init(from decoder: any Decoder) throws {
                let fields = try decoder.container(keyedBy: CodingKeys.self)
                code = try? fields.decode(Int.self, forKey: .code)
                message = try? fields.decode(String.self, forKey: .message)
                status = try? fields.decode(String.self, forKey: .status)
                details = try? fields.decode([Detail].self, forKey: .details)
            }
        }

        let error: Failure
    }

    let code: ChatModelError.Code
    /// The status on the wire, or the one that the body names where the answer had begun as a success.
    let status: Int
    /// For people; holds nothing of the key.
    let detail: String
    /// What the body asks for.
    let retryAfter: Duration?
    /// Whether the body is the service's own, and not that of somebody in between.
    let isOfService: Bool

    /// Reads a refusal.
    ///
    /// - Parameters:
    ///   - httpStatus: The status on the wire.
    ///   - body: Its beginning; from it the key is taken before anything is cut.
    init(status httpStatus: Int, body: [UInt8], key: Secret) {
        let clean = key.redacted(from: String(decoding: body, as: UTF8.self))
        let bytes = Array(clean.utf8)
        let decoder = JSONDecoder()
        let failure =
            ((try? decoder.decode(Envelope.self, from: Data(bytes)))
            ?? (try? decoder.decode([Envelope].self, from: Data(bytes)))?.first)?.error
        isOfService = failure != nil
        status = httpStatus == 200 ? failure?.code ?? httpStatus : httpStatus
        retryAfter = RetryInfo.delay(in: bytes)
        // Again, since escapes may have hidden it.
        let message = failure.flatMap(\.message).map(key.redacted) ?? clean
        code = Self.code(
            status,
            failure?.status ?? "",
            message.lowercased(),
            failure?.details?.compactMap(\.reason) ?? []
        )
        let words = [failure?.status.map(key.redacted), Self.excerpt(of: message)].compactMap { $0 }.filter {
            !$0.isEmpty
        }
        detail = words.joined(separator: ", ")
    }

    private static func code(
        _ status: Int,
        _ name: String,
        _ message: String,
        _ reasons: [String]
    ) -> ChatModelError.Code {
        if reasons.contains(where: { $0.hasPrefix("API_KEY_") }) { return .invalidKey }
        switch status {
        case 400 where message.contains("api key"): return .invalidKey
        // The text is reported, the status is not verified (expectedparrot/edsl#1907).
        case 400 where message.contains("not in an active state"): return .fileNotReady
        case 401: return .invalidKey
        // A missing, expired or foreign file is 403 and no 404 (googleapis/python-genai#1218).
        case 403 where message.contains("the file"): return .fileUnavailable
        case 403: return .invalidKey
        case 404, 410: return .notFound
        case 408, 504: return .timedOut
        case 413: return .tooLarge
        case 429: return .quotaExceeded
        case 500...599: return .unavailable
        case 400..<500: return .rejected
        // A page of somebody in between, such as a captive portal that redirects.
        default: return .untrusted
        }
    }

    /// The readable beginning of foreign words, on one line.
    private static func excerpt(of text: String) -> String {
        let shown = text.unicodeScalars.prefix(4 * excerptCharacters).map { scalar -> Character in
            let isControl = scalar.properties.generalCategory == .control
            return isControl || scalar.properties.isWhitespace ? " " : Character(scalar)
        }
        let words = shown.split(separator: " ").map { String($0) }.joined(separator: " ")
        return words.count > excerptCharacters ? words.prefix(excerptCharacters) + "…" : words
    }
}
