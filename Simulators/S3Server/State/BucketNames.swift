/// The names that buckets may have.
///
/// Source: AWS, "General purpose bucket naming rules" (user guide of S3).
enum BucketNames {
    static func isName(_ name: String) -> Bool {
        guard (3...63).contains(name.utf8.count), !name.contains("..") else { return false }
        guard name.utf8.allSatisfy({ isPlain($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") })
        else {
            return false
        }
        guard let first = name.utf8.first, let last = name.utf8.last, isPlain(first), isPlain(last) else {
            return false
        }
        let parts = name.split(separator: ".")
        let isAddress =
            parts.count == 4 && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        let isReserved =
            name.hasPrefix("xn--") || name.hasPrefix("sthree-") || name.hasSuffix("-s3alias")
            || name.hasSuffix("--ol-s3")
        return !isAddress && !isReserved
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (0x30...0x39).contains(byte)
    }
}
