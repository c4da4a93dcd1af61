public import Foundation
public import SessionRecording

/// Takes the bytes of a file in their order.
public typealias ExportSink = (Data) throws -> Void

/// A format that other programs read, and what of a recording is written in it.
public protocol SessionExporter: Sendable {
    /// Writes a recording.
    ///
    /// - Parameters:
    ///   - session: The recording; its secrets are masked already.
    ///   - sink: Takes the file piece by piece.
    /// - Throws: `SessionError`; ``ExportError`` where the recording has nothing of what the format can hold; what `sink` throws.
    func write(_ session: SessionReader, to sink: ExportSink) throws
}

/// Why a recording cannot be written in a format.
public enum ExportError: Error, Equatable, CustomStringConvertible {
    /// It has nothing of what the format is about.
    case nothing(format: String, needs: String)

    /// What is missing.
    public var description: String {
        switch self {
        case .nothing(let format, let needs):
            "the recording has no \(needs), which is all that \(format) can hold"
        }
    }
}
