import Glibc

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
        if let isExceeded = json.withContiguousStorageIfAvailable({ unsafe isExceeded(in: $0) }) {
            return isExceeded
        }
        return unsafe Array(json).withUnsafeBufferPointer { unsafe isExceeded(in: $0) }
    }

    private static func isExceeded(in json: UnsafeBufferPointer<UInt8>) -> Bool {
        var count = 0
        var index = 0
        while index < json.count {
            switch unsafe json[index] {
            case quote: index = unsafe endOfText(in: json, from: index + 1)
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ","):
                count += 1
                if count > mostValues { return true }
            default: break
            }
            index += 1
        }
        return false
    }

    /// Where the quote stands that ends a text; most of a large message is one text.
    private static func endOfText(in json: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        while index < json.count, let base = json.baseAddress,
            let hit = unsafe memchr(base + index, Int32(quote), json.count - index)
        {
            index = unsafe UnsafeRawPointer(base).distance(to: hit)
            // One behind an odd number of backslashes is part of the text.
            var first = index
            while first > start, unsafe json[first - 1] == UInt8(ascii: "\\") { first -= 1 }
            if (index - first).isMultiple(of: 2) { return index }
            index += 1
        }
        return json.count
    }

    private static let quote = UInt8(ascii: "\"")
}
