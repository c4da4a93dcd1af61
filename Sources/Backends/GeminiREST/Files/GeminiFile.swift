public import Foundation
public import Services

/// A file that the service keeps, for 48 hours (ai.google.dev/api/files).
public struct GeminiFile: Sendable, Hashable {
    /// What the service does with it.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It is being prepared; a request that names it is refused with `fileNotReady`.
        case processing
        /// It can be used.
        case active
        /// It could not be prepared, and never will be.
        case failed
        /// A state that is not known here.
        case unknown
    }

    /// The name of the resource: `files/abc123`.
    public var name: String
    /// The address under which requests name it.
    public var uri: String
    /// Its media type, such as `video/mp4`.
    public var mediaType: String
    /// Its size in bytes; `nil` where the service did not say.
    public var byteCount: Int?
    /// When the service forgets it; `nil` where the service did not say.
    public var expires: Date?
    /// What the service does with it.
    public var state: State

    /// The file as a part of a request.
    public var part: ChatPart { .file(uri: uri, mediaType: mediaType) }
}

/// A file as it travels: numbers of 64 bits are texts, or not.
struct FileDocument: Decodable {
    let value: GeminiFile
    /// Why it could not be prepared.
    let failure: String?

    private struct Failure: Decodable {
        let message: String?
    }

    private enum CodingKeys: CodingKey {
        case name, uri, mimeType, sizeBytes, expirationTime, state, error
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let size =
            (try? fields.decode(Int.self, forKey: .sizeBytes))
            ?? (try? fields.decode(String.self, forKey: .sizeBytes)).flatMap { Int($0) }
        let state: GeminiFile.State =
            switch try fields.decodeIfPresent(String.self, forKey: .state) {
            case "PROCESSING": .processing
            case "ACTIVE": .active
            case "FAILED": .failed
            default: .unknown
            }
        let expires = (try? fields.decode(String.self, forKey: .expirationTime)).flatMap { Self.date($0) }
        value = GeminiFile(
            name: try fields.decode(String.self, forKey: .name),
            uri: try fields.decode(String.self, forKey: .uri),
            mediaType: (try? fields.decode(String.self, forKey: .mimeType)) ?? "application/octet-stream",
            byteCount: size.flatMap { $0 < 0 ? nil : $0 },
            expires: expires,
            state: state
        )
        failure = (try? fields.decode(Failure.self, forKey: .error))?.message
    }

    /// RFC 3339 in UTC; the service's fractions of a second have up to nine digits, and are left out.
    private static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        let whole = text.prefix { $0 != "." }
        return try? Date(whole.last == "Z" ? String(whole) : whole + "Z", strategy: .iso8601)
    }
}

/// What an upload ends with.
struct FileEnvelope: Decodable {
    let file: FileDocument
}
