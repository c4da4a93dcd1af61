import Foundation
import ObjectTransfer
import ServiceClient
import Services

/// What a storage answer that is not a success says.
///
/// Most errors of the service arrive as HTTP 400 with the real status as a *string* in the body; proxies in
/// front of it answer with the plain status and a page of their own.
/// Source: supabase/storage `src/http/error-handler.ts`, `src/internal/errors/codes.ts`.
struct StorageRefusal: StoreRefusal, Hashable {
    /// The status on the wire.
    let httpStatus: Int
    /// The status inside the envelope, or the one on the wire when there is no envelope.
    let status: Int
    /// The legacy label and the stable name, as far as given.
    let labels: [String]
    private let message: String

    /// - Returns: `nil` for a failure that is no answer.
    init?(_ failure: ServiceFailure) {
        guard failure.code == .refused, let status = failure.status else { return nil }
        httpStatus = status
        let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(failure.body))
        labels = [envelope?.error, envelope?.code].compactMap { $0 }
        let inner = envelope?.statusCode.flatMap { (400...599).contains($0) ? $0 : nil }
        self.status = inner ?? httpStatus
        message = envelope?.message ?? String(decoding: failure.body.prefix(1200), as: UTF8.self)
    }

    /// Whether the service itself says that the object, and not its bucket or the route, is absent.
    var meansObjectAbsent: Bool {
        status == 404 && !labels.isEmpty && !labels.contains("Bucket not found")
            && !labels.contains("NoSuchBucket")
            && labels.contains { ["not_found", "Not found", "NoSuchKey"].contains($0) }
    }

    /// Whether the service says that the token was good, and is not any more.
    ///
    /// Sources: panva/jose, whose words these are; `jwt expired` are those of a gateway.
    var meansTokenExpired: Bool {
        status == 403 && ["\"exp\" claim", "jwt expired"].contains { message.contains($0) }
    }

    var code: ObjectStoreError.Code {
        if labels.contains(where: { ["InvalidJWT", "InvalidSignature"].contains($0) }) {
            return .unauthorized
        }
        switch status {
        case 401, 403: return .unauthorized
        case 404, 410: return .notFound
        // 544: the service's own code for its database not answering in time.
        case 408, 504, 544: return .timedOut
        case 409: return .alreadyExists
        case 413: return .tooLarge
        case 429, 503: return .slowDown
        // 423: another request holds the object's row.
        case 423, 425, 500...599: return .serverError
        // A page of somebody in between, such as a captive portal that redirects.
        case ..<400: return .serverError
        default: return .invalidRequest
        }
    }

    /// Status and text for people.
    var detail: String {
        var parts = ["HTTP \(httpStatus)"]
        if status != httpStatus { parts.append("status \(status)") }
        if let label = labels.first { parts.append(StoreText.excerpt(of: label)) }
        let text = StoreText.excerpt(of: message)
        if !text.isEmpty { parts.append(text) }
        return parts.joined(separator: ", ")
    }
}

/// The error body, taken as it comes: each field may be absent or of another type.
private struct Envelope: Decodable {
    let statusCode: Int?
    let error: String?
    let code: String?
    let message: String?

    enum CodingKeys: CodingKey { case statusCode, error, code, message }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? { try? fields.decode(String.self, forKey: key) }
        statusCode =
            text(.statusCode).flatMap { Int($0) } ?? (try? fields.decode(Int.self, forKey: .statusCode))
        error = text(.error)
        code = text(.code)
        message = text(.message)
    }
}
