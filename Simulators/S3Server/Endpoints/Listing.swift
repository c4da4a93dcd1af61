import AWSSignature
import PeerKit

/// What a listing shows of keys that are in order.
struct Listing<Value: Sendable>: Sendable {
    /// One line: a key, or a prefix that stands for all keys that begin with it.
    enum Line: Sendable {
        case value(String, Value)
        case prefix(String)

        var name: String {
            switch self {
            case .value(let key, _): key
            case .prefix(let prefix): prefix
            }
        }
    }

    let lines: [Line]
    /// Whether more would follow.
    let isTruncated: Bool

    /// Looks at no more of the keys than it shows.
    ///
    /// - Parameters:
    ///   - values: By the texts of ``KeyOrder``.
    ///   - key: The key of a value.
    ///   - delimiter: What ends a prefix; `nil` for all keys by themselves.
    ///   - marker: The key or prefix after which it begins.
    ///   - count: The most lines.
    init(
        of values: KeyMap<Value>,
        key: (Value) -> String,
        under prefix: String,
        delimiter: String?,
        after marker: String,
        atMost count: Int
    ) {
        var lines: [Line] = []
        var isTruncated = false
        let prefixText = KeyOrder.text(of: prefix)
        var start: String? = max(prefixText, KeyOrder.text(of: marker))
        while let from = start {
            start = nil
            values.forEach(from: from) { text, value in
                guard text.utf8.starts(with: prefixText.utf8) else { return false }
                let name = key(value)
                // What a prefix at the marker stands for has been shown with it.
                let folder = delimiter.flatMap { Self.folder(of: name, under: prefix, delimiter: $0) }
                if let folder, !KeyOrder.precedes(marker, folder) {
                    start = KeyOrder.end(of: folder)
                    return false
                }
                guard marker.isEmpty || KeyOrder.precedes(marker, name) else { return true }
                guard lines.count < count else {
                    isTruncated = count > 0
                    return false
                }
                guard let folder else {
                    lines.append(.value(name, value))
                    return true
                }
                lines.append(.prefix(folder))
                start = KeyOrder.end(of: folder)
                return false
            }
        }
        (self.lines, self.isTruncated) = (lines, isTruncated)
    }

    /// The key up to the first delimiter behind the prefix.
    private static func folder(of key: String, under prefix: String, delimiter: String) -> String? {
        let bytes = Array(key.utf8)
        let wanted = Array(delimiter.utf8)
        guard !wanted.isEmpty else { return nil }
        var place = prefix.utf8.count
        while place + wanted.count <= bytes.count {
            if bytes[place..<place + wanted.count].elementsEqual(wanted) {
                return String(decoding: bytes[..<(place + wanted.count)], as: UTF8.self)
            }
            place += 1
        }
        return nil
    }
}
