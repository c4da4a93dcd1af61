/// Moments of a recording that somebody has marked, each with a few words.
public struct SessionMarks: Sendable, Hashable, Codable {
    /// One of them.
    public struct Mark: Sendable, Hashable, Codable {
        /// When it is, in milliseconds since the session's start.
        public var milliseconds: Int64
        /// What is there; may be empty.
        public var text: String
        /// The state or action that was shown last then, by its number from 1: of one time there may be several; `nil` for the newest one.
        public var event: Int?

        /// Makes one.
        public init(milliseconds: Int64, text: String, event: Int? = nil) {
            (self.milliseconds, self.text, self.event) = (milliseconds, text, event)
        }
    }

    /// The most marks of a recording.
    public static let most = 200
    /// The longest words, in UTF-16 code units, which is how a browser counts them.
    public static let longest = 200
    /// The latest time, in milliseconds.
    private static let latest: Int64 = 1 << 50

    /// In the order of their times, one for each.
    public private(set) var marks: [Mark] = []

    /// None.
    public init() {}

    /// Sets a mark, or other words for one.
    ///
    /// - Returns: `false` where there are too many, its words are too long, or its time is none; then nothing has changed.
    public mutating func set(_ mark: Mark) -> Bool {
        guard (0...Self.latest).contains(mark.milliseconds), mark.text.utf16.count <= Self.longest else {
            return false
        }
        let rest = marks.filter { $0.milliseconds != mark.milliseconds }
        guard rest.count < Self.most else { return false }
        marks = (rest + [mark]).sorted { $0.milliseconds < $1.milliseconds }
        return true
    }

    /// Removes the mark of a time, where there is one.
    public mutating func remove(at milliseconds: Int64) {
        marks.removeAll { $0.milliseconds == milliseconds }
    }

    private enum CodingKeys: CodingKey {
        case marks
    }

    /// Reads marks.
    ///
    /// - Throws: `DecodingError`, also for marks that ``set(_:)`` refuses: nothing is to be lost when they are written again.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        for mark in try fields.decode([Mark].self, forKey: .marks) where !set(mark) {
            throw DecodingError.dataCorruptedError(
                forKey: .marks,
                in: fields,
                debugDescription: "there are more than \(Self.most) marks, or one is too long or at no time"
            )
        }
    }
}
