import AWSSignature
import HTTPTypes
import PeerKit
import Transport

/// What a request demands of the object that is there.
///
/// Source: RFC 9110 section 13.2.2; AWS, "Conditional requests" (user guide of S3).
enum Conditions {
    enum Outcome {
        case holds
        /// The client has it already.
        case notModified
    }

    /// Checks those of a read, or with their prefix those of a copy's source.
    static func read(
        _ object: StoredObject,
        _ fields: HTTPFields,
        prefix: String = ""
    ) throws(S3Failure) -> Outcome {
        func date(_ name: String) -> Int64? { fields.value(prefix + name).flatMap { HTTPDate.seconds($0) } }
        if let tags = fields.value(prefix + "if-match") {
            guard matches(tags, object) else { throw .precondition(prefix + "If-Match") }
        } else if let since = date("if-unmodified-since"), object.modified.seconds > since {
            throw .precondition(prefix + "If-Unmodified-Since")
        }
        if let tags = fields.value(prefix + "if-none-match") {
            if matches(tags, object) { return .notModified }
        } else if let since = date("if-modified-since"), object.modified.seconds <= since {
            return .notModified
        }
        return .holds
    }

    /// Checks those of a write.
    static func write(over existing: StoredObject?, key: String, _ fields: HTTPFields) throws(S3Failure) {
        if let tags = fields[.ifNoneMatch] {
            guard tags == "*" else { throw .notImplemented(header: "If-None-Match") }
            if existing != nil { throw .precondition("If-None-Match") }
        }
        if let tags = fields[.ifMatch] {
            guard let existing else { throw .noSuchKey(key) }
            guard matches(tags, existing) else { throw .precondition("If-Match") }
        }
    }

    private static func matches(_ tags: String, _ object: StoredObject) -> Bool {
        tags.split(separator: ",").contains { tag in
            let plain = tag.filter { $0 != " " }
            return plain == "*" || plain == object.quotedTag || plain == object.entityTag
        }
    }
}
