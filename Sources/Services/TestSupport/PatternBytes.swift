extension [UInt8] {
    /// Bytes that repeat after 251: a prime number, so that a piece that is missing, doubled or moved shows.
    ///
    /// Made of copies of what there is already, since a debug build takes a tenth of a second to compute a megabyte.
    package static func pattern(_ count: Int) -> [UInt8] {
        var bytes = (0..<251).map { UInt8($0) }
        while bytes.count < count { bytes += bytes }
        return Array(bytes.prefix(count))
    }
}
