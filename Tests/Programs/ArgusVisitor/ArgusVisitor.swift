import Argus
import Concurrency
import Foundation
import LiveTransport
import ScreenKit
import ServiceClient
import Services
import SimulatedDevice
import SimulatedPush

/// The core of Argus on real sockets, for hubs that share no code with it.
///
/// Arguments: the address of the hub, and its dialect, `seed` or `hub`. Reads commands from standard input, one a line, and prints a JSON
/// object for each:
///
/// - `code` has the hub give a code, `enter CODE` types one; `paired` waits until the device is paired, for ten seconds at most;
/// - `list` loads the first page, `more` the next one, `detail ID` an event with its picture;
/// - `refresh` renews the token, `relaunch` starts the app again on what it has kept, `leave` signs out.
@main
@MainActor
struct ArgusVisitor {
    /// What is printed after a command.
    struct Line: Encodable {
        var command: String
        var root: String
        var error: String?
        var code: String?
        var ids: [String]?
        var cameras: [String]?
        var icons: [String]?
        var hasMore: Bool?
        var description: String?
        var pictureBytes: Int?
    }

    private let environment: ArgusEnvironment
    private var app: ArgusApp
    private var screens: ArgusScreens

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let hub = ServiceAddress(arguments[1]),
            let dialect = HubDialect(rawValue: arguments[2])
        else {
            FileHandle.standardError.write(Data("usage: ArgusVisitor ADDRESS seed|hub\n".utf8))
            exit(64)
        }
        let transport = try LiveTransport()
        var visitor = await ArgusVisitor(
            ArgusEnvironment(
                http: transport,
                browser: NoHubs(),
                relay: hub,
                secrets: InMemorySecretStore(),
                push: SimulatedPushCentre(token: (0..<32).map { UInt8($0) }),
                device: SimulatedDeviceInformation(),
                dialect: dialect
            )
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            let answer = await visitor.obey(words.first ?? "", words.dropFirst().first ?? "")
            try FileHandle.standardOutput.write(contentsOf: try encoder.encode(answer) + Data("\n".utf8))
        }
        await visitor.app.shutdown()
        await transport.shutdown()
    }

    private init(_ environment: ArgusEnvironment) async {
        self.environment = environment
        app = ArgusApp(environment)
        screens = app.makeScreens()
        screens.appear()
        await app.launch()
    }

    private mutating func obey(_ command: String, _ word: String) async -> Line {
        var line = Line(command: command, root: "")
        let (pairing, events) = (screens.pairing, screens.events)
        switch command {
        case "code":
            await pairing.send(.requestCode)
            line.code = pairing.state.shown?.code
            line.error = pairing.state.progress.errorMessage
        case "enter":
            await pairing.send(.setCode(word))
            await pairing.send(.submit)
            line.error = pairing.state.progress.errorMessage
        case "paired":
            let end = ContinuousClock.now + .seconds(10)
            while !app.auth.isAuthenticated.value, .now < end {
                try? await Task.sleep(for: .milliseconds(20))
            }
            line.error = pairing.state.progress.errorMessage
        case "list", "more":
            await events.send(command == "list" ? .load : .loadMore)
            let state = events.state
            line.ids = state.rows.map(\.id)
            line.cameras = state.rows.map(\.cameraName)
            line.icons = state.rows.map(\.icon.rawValue)
            (line.hasMore, line.error) = (state.hasMore, state.errorMessage)
        case "detail":
            let detail = screens.detail(of: word)
            detail.appear()
            await detail.loadEvent()
            line.description = detail.state.event?.description
            line.pictureBytes = detail.state.thumbnailBytes
            line.error = detail.state.errorMessage
            detail.disappear()
        case "refresh":
            do { try await app.auth.refreshAccessToken() } catch { line.error = error.localizedDescription }
        case "relaunch":
            await app.shutdown()
            screens.disappear()
            app = ArgusApp(environment)
            screens = app.makeScreens()
            screens.appear()
            await app.launch()
        case "leave": await app.signOut()
        default: line.error = "no such command"
        }
        // The root follows what has just been changed.
        try? await Task.sleep(for: .milliseconds(20))
        line.root = screens.root.state.root.rawValue
        if line.error == "" { line.error = nil }
        return line
    }
}

/// A network on which no hub is found.
private struct NoHubs: ServiceBrowser {
    func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        AsyncStream { $0.yield(ServiceListing()) }
    }

    func reconfirm(_ service: DiscoveredService) async {}
}
