import FileSecrets
import Foundation
import Services

/// A process that keeps secrets in a file which other processes use too.
///
/// Arguments: the file, its key file, the prefix of its names, how many to keep. Prints a line when it has begun and one
/// for each secret that was kept.
@main
struct SecretClient {
    static func main() throws {
        let arguments = CommandLine.arguments
        let store = FileSecretStore(path: arguments[1], key: .file(arguments[2]))
        try say("begun")
        for number in 0..<(Int(arguments[4]) ?? 0) {
            try store.set(Secret("value \(number)"), named: "\(arguments[3])\(number)")
            try say("\(number)")
        }
    }

    private static func say(_ line: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
