import Foundation

/// The sleeping benchmark in Go, a program that `Peers/synctest/build` makes.
struct SynctestPeer: Sendable {
    /// Why there is no peer, or no figure from it.
    struct Reason: Error, Sendable {
        var text: String
    }

    private let program: URL

    static func find(_ path: String?) -> Result<SynctestPeer, Reason> {
        guard let path else {
            return .failure(
                Reason(text: "no --synctest PATH (is PyPI reachable? Peers/synctest/build tells)")
            )
        }
        guard FileManager.default.isExecutableFile(atPath: path) else {
            return .failure(Reason(text: "no program at \(path)"))
        }
        return .success(SynctestPeer(program: URL(filePath: path)))
    }

    /// Runs it once, in a process of its own; it takes the time itself, without that of starting up.
    ///
    /// It gets one processor, as a simulation has: on several it is no faster, and spends more.
    func run() throws -> Elapsed {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["-test.run", "TestSleeps", "-test.v"]
        process.environment = ["GOMAXPROCS": "1"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let line = text.split(separator: "\n").first { $0.hasPrefix("seconds ") }
        let figures = line?.split(separator: " ").compactMap { Double($0) } ?? []
        guard figures.count == 2 else {
            throw Reason(
                text: "\(program.path) ended with \(process.terminationStatus) and no figures: \(text)"
            )
        }
        return Elapsed(wall: figures[0], thread: figures[1])
    }
}
