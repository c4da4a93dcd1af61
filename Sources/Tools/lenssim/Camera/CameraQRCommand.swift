import ArgumentParser
import CommandKit
import Foundation
import Glibc
import PPPP
import QRCode
import Services

/// The command `lenssim camera qr`.
struct CameraQRCommand: AsyncParsableCommand {
    /// Where the password may be, which is never an argument: other users of the machine see arguments.
    static let variable = "LENSSIM_WIFI_PASSWORD"

    static let configuration = CommandConfiguration(
        commandName: "qr",
        abstract: "Shows the code that brings a Wi-Fi camera of the VStarcam family to a network.",
        discussion: HelpText.filled(
            """
            The password of the network is taken from the variable \(variable), or asked for; it is not shown, but who sees the code \
            can read it. Hold the camera some 20 cm before the screen until it says that it has read the code.

            One code has everything, and some cameras do not read it: with --parts those parts that the vendor's application is said \
            to show are shown in turn. No camera has confirmed either.

            Examples:
              lenssim camera qr --ssid Home
              lenssim camera qr --ssid Home --parts --seconds 60
            """
        )
    )

    @Option(help: "The network's name.")
    var ssid: String

    @Option(help: "The access point's address, such as aa:bb:cc:dd:ee:ff.")
    var router: String?

    @Option(help: "The region: 1 China, 2 Asia, 3 America, 4 Europe.")
    var region: Int?

    @Flag(help: "Show the parts of the code in turn, each for half a second.")
    var parts = false

    @Option(help: "How long the parts are shown.")
    var seconds = 60

    @Flag(help: "For terminals with dark text on a light ground.")
    var invert = false

    func validate() throws {
        if !(1...3600).contains(seconds) { throw ValidationError("--seconds must be 1 to 3600.") }
        // With a password that can be: the real one is not asked for yet.
        do throws(CodeError) { _ = try code("00000000") } catch { throw ValidationError(Self.words(error)) }
    }

    private func code(_ password: String) throws(CodeError) -> WiFiCode {
        try WiFiCode(name: ssid, password: password, router: router, region: region)
    }

    func run() async throws {
        let stop = StopRequest()
        try await reportingFailures { terminal in
            let whole: WiFiCode
            do throws(CodeError) { whole = try code(try Self.password()) } catch {
                terminal.warn("lenssim: \(Self.words(error))")
                throw ExitCode.validationFailure
            }
            guard parts else { return show(try Self.lines(whole, invert), on: terminal) }
            let pictures = try whole.parts.map { try Self.lines($0, invert) }
            // All as high as the highest: each is drawn over the one before.
            let height = pictures.map(\.count).max() ?? 0
            let end = ContinuousClock.now + .seconds(seconds)
            var number = 0
            while ContinuousClock.now < end, !stop.isRequested {
                terminal.write(Self.cleared)
                let picture = pictures[number % pictures.count]
                show(picture + Array(repeating: "", count: height - picture.count), on: terminal)
                number += 1
                try await Task.sleep(for: WiFiCode.period)
            }
            // The last one says the password, and would stay in sight.
            if terminal.isInteractive { terminal.write(Self.cleared) }
        }
    }

    /// The cursor in the corner of an empty screen.
    private static let cleared = "\u{1B}[H\u{1B}[2J"

    private func show(_ lines: [String], on terminal: Terminal) { lines.forEach { terminal.line($0) } }

    private static func lines(_ code: WiFiCode, _ invert: Bool) throws -> [String] {
        try QRCodeMaker().symbol(of: code.text).terminalLines(lightIsDrawn: !invert)
    }

    private static func words(_ error: CodeError) -> String {
        guard case .invalid(let field, let reason) = error else { return error.description }
        let names = ["RS": "--ssid", "BS": "--router", "A": "--region"]
        return "\(names[field] ?? "The password") \(reason)."
    }

    private static func password() throws(CodeError) -> String {
        if let password = ProcessInfo.processInfo.environment[variable] { return password }
        // Asks on the terminal of the process, without an echo.
        guard isatty(STDIN_FILENO) == 1, let typed = unsafe getpass("Password of the network: ") else {
            throw .invalid(field: "P", reason: "is needed: set \(variable), or run this on a terminal")
        }
        defer { unsafe explicit_bzero(typed, strlen(typed)) }
        return unsafe String(cString: typed)
    }
}
