public import Foundation
internal import PageKit
public import SessionRecording

/// A recording on the page of its app, in one file that a browser opens without a program behind it.
///
/// The file has what the screens showed, what was done, each entry and the pictures, and asks for nothing else: a browser that shows it opens no
/// connection. It is for recordings of minutes; whoever sends one on can read in ``reveals`` what others will see.
public struct SharedPage: Sendable {
    /// Why a recording does not go into one page.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        /// It has more entries than a page can show.
        case tooLong(entries: Int, most: Int)
        /// What its screens showed has more bytes than a page can have.
        case tooLarge(most: Int)

        /// What is too much, and what helps.
        public var description: String {
            let advice = "send the recording itself, or record with --last 10m"
            return switch self {
            case .tooLong(let entries, let most):
                "the recording has \(entries) entries, and a page holds \(most): \(advice)"
            case .tooLarge(let most):
                "what the screens showed has more than \(most >> 20) MB, which is all that a page holds: \(advice)"
            }
        }
    }

    /// The most entries of a page.
    public static let mostEntries = 20_000
    /// How many bytes of states a page has at most.
    static let mostStateBytes = 64 << 20
    /// How many bytes of pictures a page has at most; those that find no room are left out.
    static let mostPictureBytes = 32 << 20

    /// What others can see in it, one sentence for each kind.
    public let reveals: [String]
    private let page: [UInt8]

    /// Puts a page together.
    ///
    /// - Throws: ``Failure/tooLong(entries:most:)``; `SessionError`: `withoutScreens`, `ofAnotherApp`, `damaged`.
    public init(_ app: ShownApp, _ session: SessionReader) throws {
        var values = SharedValues()
        let contents = try SharedContents(app, session, &values)
        reveals = contents.facts.reveals ?? []
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        page = app.assets.inOneFile([
            "shared-contents": try encoder.encode(contents), "shared-values": values.json,
        ])
    }

    /// The file: HTML in UTF-8.
    public var bytes: Data { Data(page) }
}
