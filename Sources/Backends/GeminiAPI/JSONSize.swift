/// How many values a JSON document may hold before it is read.
///
/// A decoder builds something for each value: a message of `{},{},…` that is well below the limit of its bytes would take a
/// hundred times as much memory.
package enum JSONSize {
    /// Values of the largest message that is read: many times what a service says in one.
    package static let mostValues = 100_000

    /// Whether a document holds more values than may be read.
    ///
    /// Counts the beginnings of objects, arrays and their further elements outside of texts; a document that is none may count
    /// as anything.
    package static func isExceeded(by json: some Collection<UInt8>) -> Bool {
        // A value takes a byte at least, and a mark before it.
        guard json.count > mostValues else { return false }
        var count = 0
        var isText = false
        var isEscaped = false
        for byte in json {
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ","):
                count += 1
                if count > mostValues { return true }
            default: break
            }
        }
        return false
    }
}
