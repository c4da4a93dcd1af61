import Foundation
import TestSupport
import Testing

@Suite("A demonstration that is spoken", .timeLimit(.minutes(5)))
struct SpokenDemoTests {
    /// Whether Debian's packages are installed.
    static let isInstalled = ["/usr/bin/espeak-ng", "/usr/bin/pocketsphinx_continuous"]
        .allSatisfy(FileManager.default.isExecutableFile)

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What `--json` prints of it.
    private struct Summary: Decodable {
        struct Spoken: Decodable {
            var text: String
            var file: String?
            var seconds: Double
            var wasCutOff: Bool
        }

        var spoken: [Spoken]
        var heard: String?
        var replaySame: Bool?
    }

    @Test(
        .enabled(
            if: isInstalled,
            "SKIPPED: run ./scripts/setup espeak-ng pocketsphinx pocketsphinx-en-us"
        )
    )
    func `replies are spoken, a spoken question is understood and answered, and a replay needs no program`()
        async throws
    {
        let arguments = ["demo", "--speak=spoken", "--seconds", "4", "--seed", "3", "--json"]
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status == 0, "\(run.errors)")
        let summary = try JSONDecoder().decode(Summary.self, from: Data(run.output.utf8))
        #expect(summary.replaySame == true)
        let heard = try #require(summary.heard).split(separator: " ")
        #expect(Set(heard).intersection(["what", "do", "you", "see", "in", "this", "picture"]).count >= 4)
        #expect(summary.spoken.count >= 2)
        // The answer is listened to.
        #expect(summary.spoken.contains { !$0.wasCutOff && $0.text.hasPrefix("I see a living room") })
        for spoken in summary.spoken {
            // One that was cut off may not have had a sound yet.
            guard let file = spoken.file else {
                #expect(spoken.wasCutOff)
                continue
            }
            #expect(file.hasPrefix("spoken/said-") && spoken.seconds > 0.5)
            let sound = try Data(contentsOf: folder.url.appending(path: file))
            #expect(abs(Double(sound.count - 44) / 44_100 - spoken.seconds) < 1e-9)
        }
        #expect(FileManager.default.fileExists(atPath: folder.file("spoken/asked.wav")))

        let session = folder.file(".lenssim/demo/demo.lenssession")
        let replay = try await CommandLineRun.run(
            ["replay", session],
            in: folder.path,
            environment: ["PATH": "/nowhere"]
        )
        #expect(replay.status == 0, "\(replay.output)\(replay.errors)")
        let text = try Data(contentsOf: URL(filePath: session))
        #expect(text.range(of: Data(summary.spoken[0].text.utf8)) != nil)
        #expect(text.range(of: Data("WAVEfmt".utf8)) == nil)
    }

    @Test(arguments: [["--speak"], ["--speak", "spoken"], ["--speak", "--json"]])
    func `without the programs it ends with 69, and names the packages before anything is started`(
        arguments: [String]
    ) async throws {
        let run = try await CommandLineRun.run(
            ["demo"] + arguments,
            in: folder.path,
            environment: ["PATH": folder.path]
        )
        #expect(run.status == 69)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("apt-get install espeak-ng pocketsphinx pocketsphinx-en-us"))
    }

    @Test(.enabled(if: isInstalled, "SKIPPED: run ./scripts/setup espeak-ng"))
    func `a folder for the sound that is a file ends with 74`() async throws {
        try folder.write([1], to: "spoken")
        let run = try await CommandLineRun.run(["demo", "--speak", "spoken"], in: folder.path)
        #expect(run.status == 74)
        #expect(run.errors.contains("spoken"))
    }
}
