public import Foundation

/// What the service says is wrong.
///
/// It passes all layers unchanged, and is shown in its own words.
public struct ResponseErrorHandler: LocalizedError, Sendable, Hashable {
    /// The service's words, for people.
    public var errorMsg: String
    /// The service's number for it; 0 where it gave none.
    public var errorCode: Int
    /// The status of the answer.
    public var statusCode: Int

    /// What is said where the service says nothing that can be shown.
    public static func generic(_ status: Int) -> ResponseErrorHandler {
        ResponseErrorHandler(
            errorMsg: "The service answered with an error (\(status)). Try again.",
            errorCode: 0,
            statusCode: status
        )
    }

    /// An error of its parts.
    public init(errorMsg: String, errorCode: Int, statusCode: Int) {
        self.errorMsg = errorMsg
        self.errorCode = errorCode
        self.statusCode = statusCode
    }

    /// The service's words.
    public var errorDescription: String? { errorMsg }

    /// The error that the body of an answer tells of; `nil` where it tells of a success.
    ///
    /// A success has status 200, no `success` of `false`, and no `errorCode` but 0.
    public init?(status: Int, body: [UInt8]) {
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(body)) else {
            self = .generic(status)
            return
        }
        let code = envelope.errorCode ?? 0
        guard status != 200 || envelope.success == false || code != 0 else { return nil }
        self = .generic(status)
        errorCode = code
        if let words = envelope.errorMsg?.trimmingCharacters(in: .whitespacesAndNewlines), !words.isEmpty {
            errorMsg = words
        }
    }

    /// What every answer has, as far as it has it.
    private struct Envelope: Decodable {
        let success: Bool?
        let errorCode: Int?
        let errorMsg: String?

        private enum CodingKeys: CodingKey { case success, errorCode, errorMsg }

        /// Takes each member as it comes: one of another type counts as absent.
        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            success = try? fields.decode(Bool.self, forKey: .success)
            errorCode =
                (try? fields.decode(Int.self, forKey: .errorCode))
                ?? (try? fields.decode(String.self, forKey: .errorCode)).flatMap { Int($0) }
            errorMsg = try? fields.decode(String.self, forKey: .errorMsg)
        }
    }
}
