import Foundation
import Glibc

/// A server whose time and memory are its own: this program once more, as one of the ``ServedPeer``s, or another program.
///
/// It ends when the object does, which closes its standard input.
final class PeerProcess: Sendable {
    private struct Failed: Error { var reason: String }

    /// What the peer has said of itself: where it is reached.
    let address: String
    private let identifier: pid_t
    private let clock: clockid_t
    private let input: FileHandle

    /// - Parameter other: Where the peer connects to, if it does.
    convenience init(_ peer: ServedPeer, of other: String? = nil) throws {
        try self.init(
            URL(fileURLWithPath: "/proc/self/exe"),
            ["--serve", peer.rawValue] + (other.map { ["--peer", $0] } ?? []),
            name: peer.rawValue
        )
    }

    /// Starts a program that prints its address as its first line.
    init(_ program: URL, _ arguments: [String], name: String) throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        identifier = process.processIdentifier
        self.input = input.fileHandleForWriting
        var clock = clockid_t()
        guard unsafe clock_getcpuclockid(identifier, &clock) == 0 else {
            throw Failed(reason: "the peer has no clock")
        }
        self.clock = clock
        let line = output.fileHandleForReading.availableData
        address = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !address.isEmpty else { throw Failed(reason: "the peer \(name) did not start") }
    }

    deinit { try? input.close() }

    /// Seconds in which the peer has been running, in the program and in the system.
    var time: Double { Elapsed.now(clock) }

    /// The peer's memory.
    var memory: ProcessMemory { .process("\(identifier)") }
}
