import Foundation

/// What `lenssim replay --json` says of a recording that was cut off.
struct CutReplay: Decodable {
    struct Next: Decodable {
        var at: Double
        var place: String
        var does: String
    }

    var same: Bool
    var cutOffAt: Double?
    var next: [Next]?

    init(of recording: String, options: [String] = [], in folder: String) async throws {
        let run = try await CommandLineRun.run(["replay", recording, "--json"] + options, in: folder)
        self = try JSONDecoder().decode(Self.self, from: Data(run.output.utf8))
    }
}
