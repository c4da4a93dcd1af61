import FileSecrets
import Foundation

/// The files of a folder that may be in a recording.
struct RunFolder {
    let path: String

    /// The names of regular files, with the folders in which they lie, in alphabetical order.
    ///
    /// Without files of secrets and their keys, and what lies beside them under their names.
    func names() -> [String] {
        let all = ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).filter(isFile).sorted()
        let secret = all.filter(isSecret)
        return all.filter { name in !secret.contains { name == $0 || name.hasPrefix($0 + ".") } }
    }

    /// The contents of a file.
    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path).appending(path: name)))
    }

    private func isFile(_ name: String) -> Bool {
        let file = URL(filePath: path).appending(path: name)
        return (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
    }

    private func isSecret(_ name: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: "\(path)/\(name)") else { return false }
        defer { try? file.close() }
        return FileSecretStore.isMarked((try? file.read(upToCount: 64)) ?? Data())
    }
}
