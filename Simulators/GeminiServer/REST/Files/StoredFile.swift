import Foundation
import PeerKit

/// A file that was uploaded, as its owner sees it.
///
/// Its bytes are not kept: what the model can see of it was read when it came.
struct StoredFile: Sendable {
    enum State: String, Sendable {
        case processing = "PROCESSING"
        case active = "ACTIVE"
        case failed = "FAILED"
    }

    /// Counts files from 0.
    let number: Int
    /// Without `files/`.
    let id: String
    /// The key of its project.
    let owner: String
    let displayName: String?
    let mimeType: String
    let byteCount: Int
    let digest: [UInt8]
    let createdAt: Date
    let expiresAt: Date
    /// When it can be used, or is found to be broken.
    let readyAt: Date
    let isBroken: Bool
    /// What a picture shows.
    let inspection: FrameInspection?

    func state(at now: Date) -> State {
        if now < readyAt { return .processing }
        return isBroken ? .failed : .active
    }

    /// As a prompt uses it.
    var used: GeminiFile {
        GeminiFile(name: "files/\(id)", mimeType: mimeType, byteCount: byteCount, inspection: inspection)
    }

    /// The resource `File` (ai.google.dev/api/files).
    ///
    /// - Parameter base: Scheme and authority under which the client has asked.
    func json(at now: Date, base: String) -> JSONValue {
        let state = state(at: now)
        var fields: [String: JSONValue] = [
            "name": .string("files/\(id)"), "mimeType": .string(mimeType),
            // 64-bit numbers are texts in protobuf's JSON form.
            "sizeBytes": .string(String(byteCount)),
            "createTime": .string(createdAt.timestamp),
            "updateTime": .string(max(createdAt, min(now, readyAt)).timestamp),
            "expirationTime": .string(expiresAt.timestamp),
            "sha256Hash": .string(Data(digest).base64EncodedString()),
            "uri": .string("\(base)/v1beta/files/\(id)"),
            "state": .string(state.rawValue), "source": "UPLOADED",
        ]
        if let displayName { fields["displayName"] = .string(displayName) }
        if state == .failed {
            fields["error"] = ["code": 3, "message": "The file could not be processed."]
        }
        if state == .active, MediaKind(mimeType) == .video {
            fields["videoMetadata"] = [
                "videoDuration": .string("\(TokenCount.videoSeconds(byteCount: byteCount))s")
            ]
        }
        return .object(fields)
    }
}

extension Date {
    /// RFC 3339 in UTC with milliseconds.
    fileprivate var timestamp: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
