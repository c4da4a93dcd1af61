import Foundation

/// A file to which the processes of a test program append what comes of each test, so that a process that ends early loses
/// none that had ended.
package struct VerdictFile: Sendable {
    /// The variable of the environment that names it.
    package static let variable = "LENSSIM_VERDICTS"

    private enum Line: Codable {
        case begun(String)
        case ended(TestVerdict)
    }

    package let path: String

    package init(path: String) { self.path = path }

    /// Notes that a test, or a case of one, begins.
    package func begin(_ test: String) { append(.begun(test)) }

    /// Notes what came of it.
    package func end(_ verdict: TestVerdict) { append(.ended(verdict)) }

    private func append(_ line: Line) {
        guard let bytes = try? JSONEncoder().encode(line) else { return }
        let file = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { return }
        // By one call, which the kernel keeps whole.
        try? FileHandle(fileDescriptor: file, closeOnDealloc: true).write(
            contentsOf: bytes + [UInt8(ascii: "\n")]
        )
    }

    /// What is known so far.
    ///
    /// - Returns: The verdicts, and the tests that have begun and not ended.
    /// - Throws: An error of Foundation where there is no such file.
    package func read() throws -> (verdicts: VerdictTable, unfinished: [String]) {
        var table = VerdictTable()
        var begun: [String: Int] = [:]
        let decoder = JSONDecoder()
        for bytes in try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n")) {
            switch try? decoder.decode(Line.self, from: bytes) {
            case .begun(let test): begun[test, default: 0] += 1
            case .ended(let verdict):
                begun[verdict.test, default: 1] -= 1
                table.add(verdict)
            case nil: break
            }
        }
        return (table, begun.filter { $0.value > 0 }.keys.sorted())
    }
}
