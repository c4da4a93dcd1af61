import Exploration
import Foundation
import Synchronization

/// Where `LENSSIM_RESULTS` wants what each test has found, as `lenssim explore --package` reads it.
struct ResultFolder {
    private static let written = Mutex<[String: Int]>([:])
    let path: String

    /// Writes what the seeds of a test gave, beside that of its other arguments.
    func write(_ result: SweepResult) throws {
        let number = Self.written.withLock { written in
            written[result.program, default: 0] += 1
            return written[result.program, default: 1]
        }
        let name = result.program.map { $0.isLetter || $0.isNumber ? $0 : "-" }.suffix(200)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try result.encoded().write(
            to: URL(filePath: "\(path)/\(String(name))-\(number).json"),
            options: .atomic
        )
    }
}
