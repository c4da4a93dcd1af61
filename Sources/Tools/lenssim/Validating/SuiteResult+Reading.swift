import ArgumentParser
import CommandKit
import Conformance
import Foundation

extension SuiteResult {
    /// Reads a result from a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - suite: The suite whose result it must be; any where it is `nil`.
    /// - Throws: `InputFileError`, ``UnusableFile``.
    init(path: String, of suite: String? = nil) throws {
        try InputFile(path: path).check()
        do { self = try SuiteResult(json: Data(contentsOf: URL(filePath: path))) } catch let newer
            as NewerFormat
        {
            throw UnusableFile(detail: "\(path) is \(newer)")
        } catch {
            throw UnusableFile(detail: "\(path) has no result of lenssim validate: write one with --out")
        }
        if let suite, self.suite != suite {
            throw UnusableFile(detail: "\(path) is a result of the suite “\(self.suite)”, not of “\(suite)”")
        }
    }
}

extension [KnownDrift] {
    /// Reads a list from a JSON file.
    ///
    /// - Throws: `InputFileError`, ``UnusableFile``.
    init(path: String) throws {
        try InputFile(path: path).check()
        do { self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path))) } catch {
            throw UnusableFile(
                detail:
                    "\(path) is no list of known drift: [{\"reference\": …, \"cases\": […], \"reason\": …}]"
            )
        }
        if let entry = first(where: { $0.reason.allSatisfy(\.isWhitespace) }) {
            throw UnusableFile(detail: "\(path) has no reason for \(entry.reference)")
        }
    }
}

/// A file that does not have what is needed.
struct UnusableFile: ExitCoded, CustomStringConvertible {
    /// What it is, as a sentence.
    var detail: String
    var exitCode: ExitCode { Exit.dataUnusable }
    var description: String { detail }
}
