public import Services

/// Encodes each picture once, for everybody who wants it: every page, and what else sends the camera's pictures.
public actor SharedFrameEncoder {
    /// Makes a JPEG file of a picture.
    public typealias Encode = @Sendable (VideoFrame) async throws -> [UInt8]

    private struct Encoding {
        /// Held, so that its memory is not used for another picture.
        var frame: VideoFrame
        var jpeg: Task<[UInt8], any Error>
    }

    /// The most pictures whose files are kept: those that somebody may still be asking for.
    private static let kept = 4

    /// Pictures that were encoded.
    public private(set) var encodings: Int = 0
    /// Pictures that were asked for, each as often as it was.
    public private(set) var requests: Int = 0

    private let base: Encode
    private var recent: [Encoding] = []

    /// Shares the files that `encode` makes.
    public init(_ encode: @escaping Encode) { base = encode }

    /// Returns the file of a picture, which may have been made for somebody else.
    ///
    /// - Throws: What making it throws, which is the same for everybody.
    public func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        requests += 1
        if let known = recent.first(where: { $0.frame.isSame(as: frame) }) {
            return try await known.jpeg.value
        }
        encodings += 1
        let base = base
        // A task of its own: one who asks and is cancelled must not take the file from the others.
        let jpeg = Task { try await base(frame) }
        if recent.count == Self.kept { recent.removeFirst() }
        recent.append(Encoding(frame: frame, jpeg: jpeg))
        return try await jpeg.value
    }
}

extension VideoFrame {
    /// Whether both are one picture; counts begin again when a camera reconnects, and memory is used again.
    fileprivate func isSame(as other: VideoFrame) -> Bool {
        guard sequence == other.sequence, timestamp == other.timestamp else { return false }
        return switch (content, other.content) {
        case (.pixels(let one), .pixels(let two)): one === two
        case (.jpeg(let one), .jpeg(let two)): one == two
        default: false
        }
    }
}
