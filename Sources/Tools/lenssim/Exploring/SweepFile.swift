import ArgumentParser
import CommandKit
import Exploration
import Files
import Foundation

/// The result of a sweep, or of a part of one, in a file; of the tests of a package a list of them.
struct SweepFile {
    let path: String

    func write(_ result: SweepResult) throws {
        try OutputFile(path: path).write(try result.encoded())
    }

    func write(_ results: [SweepResult]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        try OutputFile(path: path).write(try encoder.encode(results))
    }

    /// What a file has.
    enum Contents {
        /// Of a scenario.
        case one(SweepResult)
        /// Of each test of a package.
        case tests([SweepResult])

        var results: [SweepResult] {
            switch self {
            case .one(let result): [result]
            case .tests(let results): results
            }
        }
    }

    func read() throws -> Contents {
        guard FileManager.default.fileExists(atPath: path) else { throw SweepFileError.missing(path: path) }
        struct Head: Decodable { var version: Int }
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            let decoder = JSONDecoder()
            let isList = data.first { !" \n\t\r".utf8.contains($0) } == UInt8(ascii: "[")
            let heads =
                isList
                ? try decoder.decode([Head].self, from: data) : [try decoder.decode(Head.self, from: data)]
            for head in heads where head.version != SweepResult.currentVersion {
                throw MergeError.version(head.version)
            }
            return isList
                ? .tests(try decoder.decode([SweepResult].self, from: data))
                : .one(try decoder.decode(SweepResult.self, from: data))
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
enum SweepFileError: ExitCoded, CustomStringConvertible {
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

    var exitCode: ExitCode {
        switch self {
        case .missing: Exit.inputMissing
        case .notAResult: Exit.dataUnusable
        case .unreadable(_, let code): Exit.unreadable(code)
        }
    }
}
