import ArgumentParser
import CommandKit
import Foundation
import GeminiScripts
import GeminiServer

/// A file with what the simulated model says; ``GeminiScriptFile`` tells what it holds.
enum ModelScriptFile {
    /// Reads a file.
    ///
    /// - Throws: ``InputFileError`` or ``ModelScriptError``.
    static func brain(at path: String) throws -> any GeminiBrain {
        try InputFile(path: path).check()
        let bytes = try Data(contentsOf: URL(filePath: path))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ModelScriptError(path: path, detail: "it is not UTF-8")
        }
        do throws(GeminiScriptError) { return try GeminiScriptFile.brain(of: text) } catch {
            throw ModelScriptError(path: path, detail: "\(error)")
        }
    }
}

/// Why a model's script cannot be used.
struct ModelScriptError: ExitCoded, CustomStringConvertible {
    var path: String
    var detail: String

    var description: String { "\(path) is no script for the model: \(detail)" }
    var exitCode: ExitCode { Exit.dataUnusable }
}
