import Foundation
import Services

/// What is kept about one object: what was said of it, and how its bytes are recognised.
struct ObjectRecord: Codable, Hashable {
    var contentType: String
    var cacheControl: String?
    var metadata: [String: String]
    var size: Int
    /// SHA-256 of the bytes, in hexadecimal; the entity tag.
    var digest: String
    /// When the bytes were written, by the file system: seconds since 1970.
    var modified: Double

    var info: ObjectInfo {
        ObjectInfo(
            size: size,
            contentType: contentType,
            entityTag: digest,
            metadata: metadata.reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value }
        )
    }

    /// What is known of a file that somebody else has put into the folder.
    init(found name: String, size: Int, digest: String, modified: Double) {
        contentType = Self.contentType(of: name)
        metadata = [:]
        (self.size, self.digest, self.modified) = (size, digest, modified)
    }

    init(_ options: PutOptions, size: Int, digest: String, modified: Double) {
        (contentType, cacheControl, metadata) = (options.contentType, options.cacheControl, options.metadata)
        (self.size, self.digest, self.modified) = (size, digest, modified)
    }

    /// By the ending of a name, for the kinds that apps of the kits have.
    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last?.lowercased() {
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        case "mov": "video/quicktime"
        case "mp4": "video/mp4"
        case "json": "application/json"
        case "txt": "text/plain"
        default: "application/octet-stream"
        }
    }
}
