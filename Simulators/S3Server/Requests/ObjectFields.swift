import HTTPTypes
import PeerKit

/// The header fields that an object keeps.
enum ObjectFields {
    static let metaPrefix = "x-amz-meta-"
    /// Bytes of names and values of user metadata.
    private static let metadataLimit = 2048
    private static let kept = [
        "cache-control", "content-disposition", "content-encoding", "content-language", "content-type",
        "expires",
        "x-amz-storage-class", "x-amz-website-redirect-location",
    ]
    /// Begins of fields that ask for what is not modelled.
    private static let notModelled = [
        "x-amz-server-side-encryption-customer", "x-amz-object-lock", "x-amz-tagging", "x-amz-write-offset",
        "x-amz-grant",
    ]

    /// What a request sets.
    static func read(_ fields: HTTPFields) throws(S3Failure) -> HTTPFields {
        var found = HTTPFields()
        var metadataSize = 0
        for field in fields {
            let name = field.name.canonicalName
            if let word = notModelled.first(where: name.hasPrefix) { throw .notModelled(word) }
            if name.hasPrefix(metaPrefix) {
                metadataSize += name.utf8.count - metaPrefix.utf8.count + field.value.utf8.count
                guard metadataSize <= metadataLimit else { throw .metadataTooLarge }
                found.append(field)
            } else if kept.contains(name) {
                found.append(field)
            }
        }
        // The coding of the transfer is none of the object's.
        if let coding = found[.contentEncoding] {
            let others = coding.split(separator: ",").filter { $0.drop { $0 == " " } != "aws-chunked" }
            found[.contentEncoding] = others.isEmpty ? nil : others.joined(separator: ",")
        }
        if found.value("x-amz-storage-class") == "STANDARD" { found.set("x-amz-storage-class", to: nil) }
        if found[.contentType] == nil { found[.contentType] = "binary/octet-stream" }
        return found
    }
}

extension HTTPFields {
    fileprivate mutating func set(_ name: String, to value: String?) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}
