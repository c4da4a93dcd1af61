import Exploration
import Foundation

/// Where `LENSSIM_RESULTS` wants what each test has found, as `lenssim explore --package` reads it.
struct ResultFolder {
    let path: String

    /// Writes what the seeds of a test gave, beside that of its other arguments.
    func write(_ result: SweepResult) throws {
        let name = result.program.map { $0.isLetter || $0.isNumber ? $0 : "-" }.suffix(200)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let data = try result.encoded()
        // The cases of a test with arguments share its name, and may end at the same time.
        for number in 1... {
            do {
                let file = URL(filePath: "\(path)/\(String(name))-\(number).json")
                return try data.write(to: file, options: .withoutOverwriting)
            } catch CocoaError.fileWriteFileExists {
                continue
            }
        }
    }
}
