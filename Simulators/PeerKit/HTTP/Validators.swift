public import Foundation
public import HTTPTypes
import Transport

/// What a conditional request compares (RFC 9110 section 13).
public struct Validators: Sendable, Hashable {
    /// The entity tag, with its quotes.
    public var entityTag: String
    /// When the content changed last; whole seconds count.
    public var lastModified: Date

    /// Makes the validators of one content.
    public init(entityTag: String, lastModified: Date) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// Whether the client has the content already, so that 304 answers it.
    ///
    /// A tag decides alone; the date counts without one (RFC 9110 section 13.2.2).
    public func areKnown(to request: HTTPFields) -> Bool {
        if let tags = request[.ifNoneMatch] {
            return tags.split(separator: ",").contains { tag in
                let plain = tag.filter { $0 != " " }
                return plain == "*"
                    || (plain.hasPrefix("W/") ? String(plain.dropFirst(2)) : plain) == entityTag
            }
        }
        guard let since = request[.ifModifiedSince].flatMap({ HTTPDate.seconds($0) }) else { return false }
        return Int64(lastModified.timeIntervalSince1970.rounded(.down)) <= since
    }
}
