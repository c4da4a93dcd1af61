/// What a recording keeps of what happens.
public struct Retention: Sendable, Hashable {
    /// How long before the newest moment the recording begins; `nil` for one that keeps all from its start.
    ///
    /// One of ``lengths``.
    public var last: Duration?

    /// What is kept of the pictures that a camera shows.
    public var pictures: Pictures

    /// What can be kept of a camera's pictures.
    public enum Pictures: String, Sendable, Hashable, CaseIterable {
        /// All of them, as the camera gave them.
        case frames
        /// Small JPEG files of them, which a replay cannot show the app in their place.
        case thumbnails
        /// Their hashes, which tell whether two are the same.
        case hashes
    }

    /// From the start of the session on, whatever it takes.
    public static let all = Retention()

    /// The pixels on the longer side of a thumbnail.
    public static let thumbnailSide = 160

    /// The lengths of time that a recording can be limited to.
    public static let lengths: ClosedRange<Duration> = .seconds(1) ... .seconds(24 * 3600)

    /// Decides what is kept.
    ///
    /// - Parameters:
    ///   - last: How long before the newest moment the recording begins, one of ``lengths``; `nil` to keep all.
    ///   - pictures: What is kept of the pictures that a camera shows.
    public init(last: Duration? = nil, pictures: Pictures = .frames) {
        precondition(last.map(Self.lengths.contains) ?? true, "a recording keeps 1 s to 24 h, or all")
        (self.last, self.pictures) = (last, pictures)
    }
}
