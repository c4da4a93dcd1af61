import PeerKit

/// How a picture is to be changed, as a request or a signed address says it.
///
/// Sources: supabase/storage `src/storage/renderer/image.ts`, `src/http/schemas/transformations.ts`.
struct PictureChange: Sendable, Hashable {
    /// How a picture meets a width and a height of another shape.
    enum Resize: String, Sendable, CaseIterable {
        /// Fills the size, and loses what is beyond it.
        case cover
        /// Lies within the size.
        case contain
        /// Takes the size, and loses its shape.
        case fill

        /// The name that the program has for it which scales the pictures.
        fileprivate var type: String {
            switch self {
            case .cover: "fill"
            case .contain: "fit"
            case .fill: "force"
            }
        }
    }

    /// Pixels that a side may have; what is asked for beyond that is cut.
    private static let sides = 1...2000
    private static let formats = ["origin", "avif", "webp"]

    /// Pixels; `nil` for whatever the height makes of it.
    private(set) var width: Int?
    private(set) var height: Int?
    private(set) var resize: Resize?
    /// From 20 to 100.
    private(set) var quality: Int?
    private(set) var format: String?

    /// Reads options.
    ///
    /// - Parameters:
    ///   - place: Where they are, for refusals.
    ///   - text: The text of an option.
    init(in place: String, _ text: (String) -> String?) throws(StorageFailure) {
        width = try Self.number("width", atLeast: 0, in: place, text)
        height = try Self.number("height", atLeast: 0, in: place, text)
        quality = try Self.number("quality", atLeast: 20, atMost: 100, in: place, text)
        if let word = text("resize") {
            guard let known = Resize(rawValue: word) else { throw Self.unknown("resize", in: place) }
            resize = known
        }
        if let word = text("format") {
            guard Self.formats.contains(word) else { throw Self.unknown("format", in: place) }
            format = word
        }
        // Zero means that nothing was said.
        width = width.flatMap { $0 == 0 ? nil : min(max($0, Self.sides.lowerBound), Self.sides.upperBound) }
        height = height.flatMap { $0 == 0 ? nil : min(max($0, Self.sides.lowerBound), Self.sides.upperBound) }
    }

    /// Reads what ``signed`` wrote.
    init(signed text: String) throws(StorageFailure) {
        let pairs = text.split(separator: ",").map { $0.split(separator: ":", maxSplits: 1) }
        try self.init(in: "token") { name in
            pairs.first { $0.count == 2 && $0[0] == name }.map { String($0[1]) }
        }
    }

    /// The options as signed addresses carry them.
    var signed: String {
        words(resizing: resize.map { "resize:\($0.rawValue)" }).joined(separator: ",")
    }

    /// The options as the answer names them.
    var applied: String {
        words(resizing: "resizing_type:\((resize ?? .cover).type)").joined(separator: ",")
    }

    private func words(resizing: String?) -> [String] {
        var words: [String] = []
        if let height { words.append("height:\(height)") }
        if let width { words.append("width:\(width)") }
        if width != nil || height != nil, let resizing { words.append(resizing) }
        if let quality { words.append("quality:\(quality)") }
        if let format, format != "origin" { words.append("format:\(format)") }
        return words
    }

    private static func number(
        _ name: String,
        atLeast least: Int,
        atMost most: Int = .max,
        in place: String,
        _ text: (String) -> String?
    ) throws(StorageFailure) -> Int? {
        guard let word = text(name) else { return nil }
        guard let number = Int(word) else { throw .validator("\(place)/\(name) must be integer") }
        guard number >= least else { throw .validator("\(place)/\(name) must be >= \(least)") }
        guard number <= most else { throw .validator("\(place)/\(name) must be <= \(most)") }
        return number
    }

    private static func unknown(_ name: String, in place: String) -> StorageFailure {
        .validator("\(place)/\(name) must be equal to one of the allowed values")
    }
}
