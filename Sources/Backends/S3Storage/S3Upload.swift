import Foundation

/// An upload in parts, as the service knows it; a checkpoint holds it as text.
struct S3Upload: Hashable, Codable {
    /// A part that the service has.
    struct Part: Hashable, Codable {
        /// Counts from 1.
        var number: Int
        /// What the service calls its content, with quotes.
        var entityTag: String
    }

    /// The most parts of an upload (AWS, "Amazon S3 multipart upload limits").
    static let partCountMaximum = 10_000

    /// What the service calls the upload.
    var id: String
    /// Bytes of each part but the last.
    var partSize: Int
    /// The parts that have arrived, in order.
    var parts: [Part] = []

    init(id: String, partSize: Int) { (self.id, self.partSize) = (id, partSize) }

    /// Reads what a checkpoint holds; `nil` where it cannot be of an object of that size: one from outside may say anything.
    init?(_ place: String, size: Int) {
        guard let found = try? JSONDecoder().decode(S3Upload.self, from: Data(place.utf8)), found.partSize > 0
        else { return nil }
        let count = max(1, size / found.partSize + (size.isMultiple(of: found.partSize) ? 0 : 1))
        let numbers = found.parts.map(\.number)
        guard (1...Self.partCountMaximum).contains(count), !found.id.isEmpty,
            numbers.allSatisfy({ (1...count).contains($0) }),
            zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        self = found
    }

    /// For a checkpoint.
    var place: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Bytes of an object of that size that the service has.
    func confirmed(of size: Int) -> Int {
        parts.reduce(0) { $0 + range($1.number, of: size).count }
    }

    /// The numbers of the parts that are missing, with their bytes.
    func missing(of size: Int) -> [(number: Int, range: Range<Int>)] {
        let known = Set(parts.map(\.number))
        return (1...max(1, (size + partSize - 1) / partSize))
            .filter { !known.contains($0) }
            .map { (number: $0, range: range($0, of: size)) }
    }

    private func range(_ number: Int, of size: Int) -> Range<Int> {
        let start = (number - 1) * partSize
        return start..<min(size, start + partSize)
    }
}
