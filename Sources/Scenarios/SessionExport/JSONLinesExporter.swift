public import Foundation
public import SessionRecording

/// Each entry of a recording as one line of JSON, in the order of `SessionEntries`.
///
/// One that has the last part of a session alone, or not the pictures that its camera showed, begins with a line that says so:
/// `{"keptFrom":6780,"pictures":"thumbnails","seconds":7380}`, in seconds.
///
/// Source of the format: jsonlines.org.
public struct JSONLinesExporter: SessionExporter {
    private let filter: SessionFilter

    /// Writes those entries.
    public init(_ filter: SessionFilter = SessionFilter()) { self.filter = filter }

    /// Writes a line for each entry.
    ///
    /// - Throws: `SessionError`, ``ExportError``, and what `sink` throws.
    public func write(_ session: SessionReader, to sink: ExportSink) throws {
        if let head = try Self.head(of: session) { try sink(head) }
        var entries = SessionEntries(session, filter)
        while let entry = try entries.next() { try sink(try Self.line(of: entry)) }
    }

    /// The line, with the newline, that says what a recording does not have; `nil` for one that has all.
    ///
    /// - Throws: `SessionError`.
    public static func head(of session: SessionReader) throws -> Data? {
        struct Head: Encodable {
            var keptFrom: Double?
            var pictures: String?
            var seconds: Double?
        }
        let part = try session.keptPart()
        guard part != nil || session.pictures != .frames else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let head = Head(
            keptFrom: part.map { $0.start / .seconds(1) },
            pictures: session.pictures == .frames ? nil : session.pictures.rawValue,
            seconds: part.map { $0.total / .seconds(1) }
        )
        return try encoder.encode(head) + Data("\n".utf8)
    }

    /// One entry with the newline.
    public static func line(of entry: SessionEntry) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let facts = EntryFacts(entry)
        let members = try encoder.encode(facts)
        guard !facts.json.isEmpty else { return members + Data("\n".utf8) }
        return members.dropLast() + Data(",\"json\":".utf8) + facts.json + Data("}\n".utf8)
    }
}
