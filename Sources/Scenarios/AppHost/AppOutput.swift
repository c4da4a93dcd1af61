internal import Foundation

/// What a program says: facts on the standard output, warnings on the other.
public struct AppOutput: Sendable {
    private let program: String

    /// The output of a program of that name.
    public init(_ program: String) { self.program = program }

    /// Writes a line.
    public func line(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Writes facts as one line of JSON.
    public func line(of facts: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        line(String(decoding: try encoder.encode(facts), as: UTF8.self))
    }

    /// Writes a warning, which names the program.
    public func warn(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((program + ": " + text + "\n").utf8))
    }
}
