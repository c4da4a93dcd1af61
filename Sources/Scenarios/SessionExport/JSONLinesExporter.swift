public import Foundation
public import SessionRecording

/// Each entry of a recording as one line of JSON, in the order of `SessionEntries`.
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
        var entries = SessionEntries(session, filter)
        while let entry = try entries.next() { try sink(try Self.line(of: entry)) }
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
