public import Services

/// How far an upload in parts has come: kept by whoever uploads, it goes on after a restart, without sending again what has arrived.
///
/// It holds no secret.
public struct S3UploadCheckpoint: Sendable, Hashable, Codable {
    /// A part that the service has.
    public struct Part: Sendable, Hashable, Codable {
        /// Counts from 1.
        public var number: Int
        /// What the service calls its content, with quotes.
        public var entityTag: String

        /// Makes a value of its parts.
        public init(number: Int, entityTag: String) { (self.number, self.entityTag) = (number, entityTag) }
    }

    /// Where the object is to be.
    public var key: ObjectKey
    /// Bytes of the whole object.
    public var size: Int
    /// Bytes of each part but the last.
    public var partSize: Int
    /// What the service calls the upload.
    public var uploadID: String
    /// The parts that have arrived, in order.
    public var parts: [Part]

    /// Makes a value of its parts.
    public init(key: ObjectKey, size: Int, partSize: Int, uploadID: String, parts: [Part] = []) {
        self.key = key
        self.size = size
        self.partSize = partSize
        self.uploadID = uploadID
        self.parts = parts
    }

    /// The numbers of the parts that are missing, with their bytes.
    var missing: [(number: Int, range: Range<Int>)] {
        let known = Set(parts.map(\.number))
        return stride(from: 0, to: max(size, 1), by: partSize).enumerated()
            .map { (number: $0.offset + 1, range: $0.element..<min(size, $0.element + partSize)) }
            .filter { !known.contains($0.number) }
    }

    /// Whether it can be of such an object; one from outside may say anything.
    func fits(_ key: ObjectKey, size: Int) -> Bool {
        let count = partSize > 0 ? max(1, (size + partSize - 1) / partSize) : 0
        let numbers = parts.map(\.number)
        return self.key == key && self.size == size
            && (1...S3UploadCheckpoint.partCountMaximum).contains(count)
            && !uploadID.isEmpty && numbers.allSatisfy { (1...count).contains($0) }
            && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    }

    static let partCountMaximum = 10_000
}
