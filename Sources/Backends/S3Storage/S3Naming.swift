import AWSSignature

/// The names that this store accepts, and how they travel.
///
/// Source: AWS, "Naming Amazon S3 objects" and "General purpose bucket naming rules" (user guide of S3).
enum S3Naming {
    /// Whether a name may name a bucket, also one of other services that speak the protocol.
    static func isBucket(_ name: String) -> Bool {
        guard (3...63).contains(name.utf8.count), !name.contains("..") else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    static func encoded(_ path: String) -> String { CanonicalEncoding.encode(path, keepsSlash: true) }
}
