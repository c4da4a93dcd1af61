import Foundation
import PlainXML

/// What a server says of a folder: its answer to a PROPFIND of depth 1 (RFC 4918 sections 9.1 and 13).
public struct FolderList: Sendable {
    /// A file or a folder in the folder.
    public struct Entry: Sendable, Hashable {
        /// As it is called, without escapes.
        public var name: String
        /// Whether it is a folder.
        public var isFolder: Bool
        /// Bytes of a file.
        public var size: Int
        /// The entity tag of a file, with its quotes; empty where the server tells none.
        public var tag: String
    }

    /// An answer that breaks the rules, or is of another folder.
    public struct Damage: Error, Hashable {
        /// What was noticed.
        public var detail: String
    }

    /// What is asked for.
    static let request =
        #"<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getetag/></prop></propfind>"#
    /// Bytes of the longest answer that is read: some 40,000 entries of some 400 bytes.
    static let lengthMaximum = 16 << 20
    /// Elements of such an answer, ten for each entry.
    private static let elementMaximum = 400_000

    /// Files and folders in no particular order.
    public let entries: [Entry]

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - document: In UTF-8.
    ///   - folder: The path that was asked for, with its escapes.
    public init(reading document: [UInt8], of folder: String) throws(Damage) {
        let root: PlainElement
        do { root = try PlainElement(reading: document, atMost: Self.elementMaximum) } catch {
            throw Damage(detail: "no list at byte \(error.offset)")
        }
        guard root.name == "multistatus" else { throw Damage(detail: "no list") }
        let own = try Self.names(in: folder)
        var entries: [Entry] = []
        for response in root.all("response") {
            let names = try Self.names(in: response["href"] ?? "")
            // The folder itself is in its list.
            if names == own { continue }
            guard let name = names.last, names.dropLast() == own else {
                throw Damage(detail: "a list of another folder")
            }
            if let entry = try Self.entry(name, response) { entries.append(entry) }
        }
        self.entries = entries
    }

    /// - Returns: `nil` for what the server itself could not look at.
    private static func entry(_ name: String, _ response: PlainElement) throws(Damage) -> Entry? {
        let known = response.all("propstat").first { $0["status"]?.contains(" 200") == true }
        guard let properties = known?.all("prop").first else { return nil }
        if properties.all("resourcetype").contains(where: { $0["collection"] != nil }) {
            return Entry(name: name, isFolder: true, size: 0, tag: "")
        }
        guard let size = properties["getcontentlength"].flatMap({ Int($0) }), size >= 0 else {
            throw Damage(detail: "a file without a length")
        }
        return Entry(name: name, isFolder: false, size: size, tag: properties["getetag"] ?? "")
    }

    /// The names in an address or a path: cut first, so that an escaped slash is part of a name.
    private static func names(in address: String) throws(Damage) -> [String] {
        var path = address[...]
        if let scheme = path.firstRange(of: "://") { path = path[scheme.upperBound...].drop { $0 != "/" } }
        var names: [String] = []
        for part in path.split(separator: "/") {
            guard let name = part.removingPercentEncoding else {
                throw Damage(detail: "an address that cannot be read")
            }
            names.append(name)
        }
        return names
    }
}
