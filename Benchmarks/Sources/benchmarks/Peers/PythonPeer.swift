import Foundation

/// A program of `Peers` in Python, in a process of its own; see ``PeerProcess``.
struct PythonPeer: Sendable {
    /// Why there is none.
    static let missing = missing("--python", "gemini")

    private static func missing(_ option: String, _ folder: String) -> String {
        "no \(option) PATH (is PyPI reachable? Peers/\(folder)/build tells)"
    }

    let program: URL
    private let folder: String

    /// The Python that the `build` of a folder of `Peers` makes, where there is one.
    static func find(_ path: String?, in folder: String = "gemini") -> PythonPeer? {
        guard let path, FileManager.default.isExecutableFile(atPath: path) else {
            progress("NO PEER, \(missing(folder == "gemini" ? "--python" : "--\(folder)", folder))")
            return nil
        }
        return PythonPeer(program: URL(filePath: path), folder: folder)
    }

    /// A script of the folder.
    func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Peers/\(folder)/\(name)").standardized.path
    }
}

extension PeerProcess {
    /// Starts a script.
    convenience init(_ python: PythonPeer, _ script: String, _ arguments: [String], name: String) throws {
        try self.init(python.program, [python.script(script)] + arguments, name: name)
    }

    /// The port of the address.
    var port: UInt16 {
        get throws {
            guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
                throw NoPort(address: address)
            }
            return port
        }
    }
}

private struct NoPort: Error { var address: String }
