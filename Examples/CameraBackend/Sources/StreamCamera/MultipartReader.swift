/// Cuts the parts out of a body of `multipart/x-mixed-replace` (RFC 2046, section 5.1).
///
/// Cameras differ in what they write between parts; what counts is the line of the boundary, the empty line behind the header
/// fields, and the length where one is given.
public struct MultipartReader: Sendable {
    /// A body that breaks the rules, or a part that is larger than allowed.
    public struct Damage: Error {}

    /// More than any camera writes before a picture.
    private static let headerBytes = 4_096
    private static let longestBoundary = 200

    private let delimiter: [UInt8]
    private let limit: Int
    private var bytes: [UInt8] = []
    /// How far the end of a part of unknown length was looked for.
    private var searched = 0

    /// Begins before the first part.
    ///
    /// - Parameters:
    ///   - boundary: As the content type names it.
    ///   - limit: The largest part, in bytes.
    public init(boundary: String, limit: Int) {
        delimiter = Array("--\(boundary)".utf8)
        self.limit = limit
    }

    /// The boundary that a content type names; `nil` for others than such bodies.
    public static func boundary(in contentType: String) -> String? {
        let fields = contentType.split(separator: ";").map { $0.trimmed }
        guard let kind = fields.first, kind.lowercased() == "multipart/x-mixed-replace" else { return nil }
        for field in fields.dropFirst() where field.lowercased().hasPrefix("boundary=") {
            var name = Substring(field.dropFirst("boundary=".count))
            if name.count >= 2, name.first == "\"", name.last == "\"" { name = name.dropFirst().dropLast() }
            // Some cameras put the dashes of the line into the name.
            if name.hasPrefix("--") { name = name.dropFirst(2) }
            return name.isEmpty || name.utf8.count > longestBoundary ? nil : String(name)
        }
        return nil
    }

    /// Takes bytes as they come, and returns the parts that they complete.
    public mutating func add(_ chunk: [UInt8]) throws(Damage) -> [[UInt8]] {
        bytes += chunk
        var parts: [[UInt8]] = []
        while let part = try takePart() { parts.append(part) }
        return parts
    }

    private mutating func takePart() throws(Damage) -> [UInt8]? {
        guard let line = find(delimiter, from: 0) else {
            // The beginning of the boundary may be at the end.
            if bytes.count > Self.headerBytes { bytes.removeFirst(bytes.count - delimiter.count) }
            return nil
        }
        guard let headerEnd = find(Array("\r\n\r\n".utf8), from: line) else {
            if bytes.count - line > Self.headerBytes { throw Damage() }
            return nil
        }
        let start = headerEnd + 4
        let end: Int
        if let length = Self.length(in: bytes[line..<headerEnd]) {
            guard (0...limit).contains(length) else { throw Damage() }
            guard bytes.count >= start + length else { return nil }
            end = start + length
        } else {
            guard let next = find(Array("\r\n".utf8) + delimiter, from: max(start, searched)) else {
                if bytes.count - start > limit { throw Damage() }
                searched = max(start, bytes.count - delimiter.count - 2)
                return nil
            }
            end = next
        }
        let part = Array(bytes[start..<end])
        bytes.removeFirst(end)
        searched = 0
        return part
    }

    private static func length(in header: ArraySlice<UInt8>) -> Int? {
        for line in String(decoding: header, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2, pair[0].trimmed.lowercased() == "content-length" {
                return Int(pair[1].trimmed) ?? -1
            }
        }
        return nil
    }

    private func find(_ pattern: [UInt8], from start: Int) -> Int? {
        var place = start
        while place + pattern.count <= bytes.count {
            guard let first = bytes[place...].firstIndex(of: pattern[0]), first + pattern.count <= bytes.count
            else {
                return nil
            }
            if bytes[first...].starts(with: pattern) { return first }
            place = first + 1
        }
        return nil
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
