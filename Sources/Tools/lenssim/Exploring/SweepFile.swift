import AppKernel
import Exploration
import Foundation

/// The result of a sweep, or of a part of one, in a file.
struct SweepFile {
    let path: String

    func write(_ result: SweepResult) throws {
        try OutputFile(path: path).write(try result.encoded())
    }

    func read() throws -> SweepResult {
        guard FileManager.default.fileExists(atPath: path) else { throw SweepFileError.missing(path: path) }
        struct Head: Decodable { var version: Int }
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            let version = try JSONDecoder().decode(Head.self, from: data).version
            guard version == SweepResult.currentVersion else { throw MergeError.version(version) }
            return try JSONDecoder().decode(SweepResult.self, from: data)
        } catch let error as MergeError {
            throw error
        } catch let error where systemError(behind: error) != nil {
            throw SweepFileError.unreadable(path: path, code: systemError(behind: error) ?? 0)
        } catch {
            throw SweepFileError.notAResult(path: path)
        }
    }
}

/// Why a file with a result cannot be used.
enum SweepFileError: Error, CustomStringConvertible {
    case missing(path: String)
    case notAResult(path: String)
    case unreadable(path: String, code: Int32)

    var description: String {
        switch self {
        case .missing(let path): "there is no file \(path)"
        case .notAResult(let path):
            "\(path) is not a result as lenssim explore --out writes it, or it is damaged"
        case .unreadable(let path, let code):
            "\(path) cannot be read: \(unsafe String(cString: strerror(code)))"
        }
    }
}
