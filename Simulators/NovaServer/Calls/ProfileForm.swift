import HTTPTypes
import PeerKit

/// What somebody wants to change of their profile: a form of `multipart/form-data`, read whole before anything is changed.
///
/// Source: RFC 7578, RFC 2046 section 5.1.1.
struct ProfileForm {
    enum Avatar {
        case absent
        case cleared
        case image(type: String, bytes: [UInt8])
    }

    /// Parts of a form that are read; one with more is refused.
    private static let mostParts = 16
    private static let nameLength = 0...50
    private static let bioLength = 0...500

    /// Empty to clear it; `nil` to leave it.
    private(set) var displayName: String?
    private(set) var bio: String?
    private(set) var avatar = Avatar.absent

    /// Reads the form of a request.
    ///
    /// - Throws: 415 for a body of another type, 400 for what is no such form.
    init(_ visit: NovaVisit, avatarLimit: Int) throws(NovaRefusal) {
        let field = visit.request.headerFields[.contentType] ?? ""
        guard MediaType(field)?.essence == "multipart/form-data" else {
            throw .mediaType("multipart/form-data")
        }
        let boundary = MultipartHead.parameters(of: field[...])["boundary"] ?? ""
        guard Self.isBoundary(boundary) else { throw .field("body", "has no boundary") }
        var seen: Set<String> = []
        for part in try Self.parts(of: visit.body, boundary) {
            guard seen.insert(part.name).inserted else { throw .field(part.name, "is there twice") }
            switch part.name {
            case "display_name": displayName = try part.text(Self.nameLength)
            case "bio": bio = try part.text(Self.bioLength)
            case "avatar": avatar = try part.avatar(avatarLimit)
            default: break
            }
        }
    }

    private struct Part {
        let name: String
        var bytes: [UInt8] = []

        func text(_ length: ClosedRange<Int>) throws(NovaRefusal) -> String {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .field(name, "is not UTF-8")
            }
            guard length.contains(text.unicodeScalars.count) else {
                throw .field(name, "must have \(length.lowerBound) to \(length.upperBound) characters")
            }
            return text
        }

        func avatar(_ limit: Int) throws(NovaRefusal) -> Avatar {
            if bytes.isEmpty { return .cleared }
            guard bytes.count <= limit else { throw .field(name, "has more than \(limit) bytes") }
            guard let type = Self.type(of: bytes) else { throw .field(name, "is no image") }
            return .image(type: type, bytes: bytes)
        }

        /// The media type of an image by its first bytes.
        private static func type(of bytes: [UInt8]) -> String? {
            if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
            if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
            let isContainer = bytes.count >= 12
            if isContainer, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) {
                return "image/webp"
            }
            let brands = ["heic", "heix", "mif1"]
            if isContainer, bytes[4..<8].elementsEqual("ftyp".utf8),
                brands.contains(where: { bytes[8..<12].elementsEqual($0.utf8) })
            {
                return "image/heic"
            }
            return nil
        }
    }

    private static func parts(of body: [UInt8], _ boundary: String) throws(NovaRefusal) -> [Part] {
        let events: [MultipartParser.Event]
        do throws(MultipartParser.Malformed) {
            var parser = try MultipartParser(boundary: boundary)
            events = try parser.feed(body)
            try parser.finish()
        } catch { throw .field("body", "is no form: \(error.text)") }
        var parts: [Part] = []
        for event in events {
            switch event {
            case .part(let head): parts.append(Part(name: head.name))
            case .bytes(let bytes): parts[parts.count - 1].bytes += bytes
            case .partEnd, .end: break
            }
        }
        guard (1...mostParts).contains(parts.count) else {
            throw .field("body", "must have 1 to \(mostParts) parts")
        }
        return parts
    }

    /// Whether a text may separate parts (RFC 2046 section 5.1.1).
    private static func isBoundary(_ text: String) -> Bool {
        let marks = Set("'()+_,-./:=? ".utf8)
        return (1...MultipartParser.boundaryLengthMaximum).contains(text.utf8.count) && text.last != " "
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: marks.contains(byte)
                }
            }
    }
}
