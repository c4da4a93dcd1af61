import Foundation
import PPPP
import QRCode
import Services
import TestSupport
import Testing

@Suite("Codes for Wi-Fi cameras", .timeLimit(.minutes(5)))
struct CameraCodeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String..., password: String?) async throws -> CommandLineRun {
        try await CommandLineRun.run(
            ["camera", "qr"] + arguments,
            in: folder.path,
            environment: password.map { ["LENSSIM_WIFI_PASSWORD": $0] } ?? [:]
        )
    }

    /// The code that lines of a terminal show, light on dark.
    private func code(_ lines: [Substring]) throws -> WiFiCode {
        let width = try #require(lines.map(\.count).max())
        var pixels: [UInt8] = []
        for line in lines {
            for half in ["▀", "▄"] as [Character] {
                let row = line.flatMap { character -> [UInt8] in
                    Array(repeating: character == "█" || character == half ? 255 : 0, count: 4)
                }
                for _ in 0..<4 { pixels += row }
            }
        }
        let picture = GrayPicture(size: PixelSize(width: width * 4, height: lines.count * 8), pixels: pixels)
        return try WiFiCode(try #require(try QRCodeReader().read(picture).first).bytes)
    }

    @Test func `the code in the terminal says the network and its password, which is no argument`()
        async throws
    {
        let run = try await run("--ssid", "Käse", "--router", "aa:bb:cc:dd:ee:ff", password: #"p;ä"s:s\word"#)
        #expect(run.status == 0, "\(run.errors)")
        let code = try code(run.output.split(separator: "\n"))
        #expect(code.name == "Käse" && code.password == #"p;ä"s:s\word"# && code.router == "aabbccddeeff")
        #expect(!run.output.contains("word") && !run.errors.contains("word"))
    }

    @Test func `the parts of the code are shown in turn`() async throws {
        let run = try await run(
            "--ssid",
            "Home",
            "--parts",
            "--seconds",
            "3",
            "--region",
            "4",
            password: "12345678"
        )
        #expect(run.status == 0, "\(run.errors)")
        var merged = WiFiCode()
        // Each begins where the screen is emptied.
        let screens = run.output.split(separator: "\u{1B}[H\u{1B}[2J")
        for screen in screens.suffix(5) { merged.add(try code(screen.split(separator: "\n"))) }
        #expect(
            screens.count >= 5 && merged.name == "Home" && merged.password == "12345678" && merged.region == 4
        )
    }

    /// `script` of util-linux is a terminal.
    @Test func `on a terminal no code stays in sight after the end`() async throws {
        let command =
            "env TERM=xterm LENSSIM_WIFI_PASSWORD=12345678 '\(CommandLineRun.program.path)' camera qr --ssid Home "
            + "--parts --seconds 1"
        let run = try await CommandLineRun.start(
            ["--quiet", "--return", "--command", command, "/dev/null"],
            in: folder.path,
            program: URL(filePath: "/usr/bin/script")
        ).finish()
        #expect(run.status == 0 && run.output.contains("█"))
        #expect(run.output.hasSuffix("\u{1B}[H\u{1B}[2J"))
    }

    @Test func `without a terminal and without the variable it says where the password has to be`()
        async throws
    {
        let run = try await run("--ssid", "Home", password: nil)
        #expect(run.status == 64 && run.errors.contains("LENSSIM_WIFI_PASSWORD"))
    }

    @Test(arguments: [("Home", "short"), ("", "12345678"), (String(repeating: "x", count: 33), "12345678")])
    func `what no network has is refused, and not repeated`(ssid: String, password: String) async throws {
        let run = try await run("--ssid", ssid, password: password)
        #expect(run.status == 64 && !run.errors.isEmpty && run.output.isEmpty)
        #expect(!run.errors.contains(password))
    }
}
