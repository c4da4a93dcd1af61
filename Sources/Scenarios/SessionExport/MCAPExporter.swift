public import Foundation
public import SessionRecording
import Simulation

/// All entries of a recording in an MCAP file, which Foxglove and other viewers of robots' logs open.
///
/// Each kind of connection, each screen and each node is a topic: `/http`, `/screen/chat`, `/camera`, `/node/phone`. A message has the members of ``JSONLinesExporter``; frames that are kept
/// are on `/camera/image`, as `foxglove.CompressedImage`. Memory has a megabyte, and one entry.
///
/// Sources: "MCAP Format Specification" of mcap.dev; "CompressedImage" of Foxglove's schemas.
public struct MCAPExporter: SessionExporter {
    /// Writes whole recordings.
    public init() {}

    private static let entrySchema = (
        name: "lenssim.Entry",
        text: #"""
        {"type":"object","properties":{"id":{"type":"string"},"at":{"type":"number"},"place":{"type":"string"},\#
        "kind":{"type":"string"},"direction":{"type":"string"},"byteCount":{"type":"integer"},"json":{},\#
        "text":{"type":"string"},"base64":{"type":"string"},"frame":{"type":"integer"},"hash":{"type":"string"},\#
        "step":{"type":"integer"}},"required":["id","at","place","kind"]}
        """#
    )
    private static let imageSchema = (
        name: "foxglove.CompressedImage",
        text: #"""
        {"title":"foxglove.CompressedImage","type":"object","properties":{"timestamp":{"type":"object","title":"time",\#
        "properties":{"sec":{"type":"integer","minimum":0},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}},\#
        "frame_id":{"type":"string"},"data":{"type":"string","contentEncoding":"base64"},"format":{"type":"string"}}}
        """#
    )

    private struct Image: Encodable {
        struct Time: Encodable {
            var sec: UInt64
            var nsec: UInt64
        }

        var timestamp: Time
        var frame_id: String
        var data: Data
        var format = "jpeg"
    }

    /// Writes the whole file, which begins and ends with the mark of the format.
    ///
    /// - Throws: `SessionError`, ``ExportError``, and what `sink` throws.
    public func write(_ session: SessionReader, to sink: ExportSink) throws {
        var writer = MCAPWriter()
        let origin = UInt64(session.manifest.startOfTime)
        try sink(writer.begin(library: "lenssim \(session.manifest.recordedBy)"))
        var entries = SessionEntries(session)
        let pictures = try SessionPictures(session)
        let encoder = JSONEncoder()
        var topics: Set<String> = []
        while let entry = try entries.next() {
            let time = origin + UInt64(entry.nanoseconds)
            let own = Self.topic(of: entry)
            let topic = topics.contains(own) || topics.count < Self.mostTopics ? own : Self.other
            topics.insert(topic)
            let line = try JSONLinesExporter.line(of: entry).dropLast()
            try sink(writer.add(topic: topic, schema: Self.entrySchema, time: time, json: Data(line)))
            guard let jpeg = try pictures.jpeg(of: entry) else { continue }
            let image = Image(
                timestamp: .init(sec: time / 1_000_000_000, nsec: time % 1_000_000_000),
                frame_id: "camera",
                data: Data(jpeg)
            )
            let json = try encoder.encode(image)
            try sink(writer.add(topic: "/camera/image", schema: Self.imageSchema, time: time, json: json))
        }
        try sink(writer.finish())
    }

    /// A file from elsewhere may have more names of screens and nodes than the format has channels.
    private static let (mostTopics, other) = (10_000, "/other")

    private static func topic(of entry: SessionEntry) -> String {
        switch entry.content {
        case .message(_, let kind): "/\(kind)"
        case .capture: "/camera"
        case .screen(let screen): "/screen/\(screen.screen)"
        case .event(let event): "/node/\(event.node)"
        }
    }
}
