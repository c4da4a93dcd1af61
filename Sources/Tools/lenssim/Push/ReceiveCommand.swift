import ArgumentParser
import CommandKit
import Concurrency
import DesktopNotifications
import FileSecrets
import Foundation
import LiveTransport
import PushConnection
import PushWire
import Services
import SimulatedDevice
import SystemPrograms

/// The command `lenssim receive`.
struct ReceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: "Receives notifications of a push service, as a device, until Ctrl-C.",
        usage: "lenssim receive <URL> [<options>]",
        discussion: HelpText.filled(
            """
            Connects to the URL for devices that lenssim serve push prints, and prints the token by which providers reach this device, and each notification that \
            arrives. With --json each line is one object, the first with the token. Every run is a new device; with --data it is the same one \
            again, and gets what was kept for it.

            Examples:
              lenssim receive ws://127.0.0.1:8081/device              notifications in the terminal
              lenssim receive ws://127.0.0.1:8081/device --desktop    and on the desktop of this session
              lenssim receive ws://127.0.0.1:8081/device --json --count 1

            Exit codes: 66 where fewer than --count have arrived within --seconds, 69 where --desktop finds no desktop.
            """
        )
    )

    @Argument(help: "The service's URL for devices.", transform: Self.address)
    var service: PushServiceAddress

    @Option(help: "The app, by its bundle ID.")
    var topic = PushArguments.usualTopic

    @Flag(help: "Be a device of the sandbox, and not of production.")
    var sandbox = false

    @Flag(help: "Print a JSON object in each line.")
    var json = false

    @Flag(help: "Show notifications on the desktop too, over D-Bus.")
    var desktop = false

    @Option(help: "End after so many notifications. (default: never)")
    var count: Int?

    @Option(help: "How long to wait. (default: until Ctrl-C)")
    var seconds: Int?

    @Option(help: "A folder that keeps which device this is. (default: a new one)", completion: .directory)
    var data: String?

    @Option(help: "A certificate to trust besides the system's, in PEM.", completion: .file())
    var caFile: String?

    @Sendable private static func address(_ text: String) throws -> PushServiceAddress {
        guard let address = PushServiceAddress(text) else {
            throw ValidationError(
                "“\(text)” is no address of a push service. One is written as ws://127.0.0.1:8081/device."
            )
        }
        return address
    }

    func validate() throws {
        try LinkArguments.check(seconds)
        if let count, count < 1 { throw ValidationError("--count must be 1 or more.") }
        if topic.isEmpty { throw ValidationError("--topic must not be empty.") }
    }

    func run() async throws {
        try await reportingFailures { terminal in
            if desktop, !DesktopNotifications.hasSession {
                throw ProgramError(.failed(status: 1), of: "gdbus", detail: "there is no D-Bus of a session")
            }
            let transport = try LiveTransport(
                LiveTransport.Configuration(extraTrustedRoots: caFile.map { [.file($0)] } ?? [])
            )
            let outcome: Result<Ending, any Error>
            do { outcome = .success(try await receive(over: transport, terminal)) } catch {
                outcome = .failure(error)
            }
            await transport.shutdown()
            switch try outcome.get() {
            case .interrupted: throw Exit.interrupted
            case .timeIsOver: if count != nil { throw Exit.inputMissing }
            case .enough: break
            }
        }
    }

    /// Why it ends.
    private enum Ending {
        /// As many notifications have arrived as were wanted.
        case enough
        case interrupted, timeIsOver
    }

    /// Receives until there is enough, and says why it has ended.
    private func receive(over transport: LiveTransport, _ terminal: Terminal) async throws -> Ending {
        let lines = ReceivedLines(isJSON: json)
        let taps = AsyncStream.makeStream(of: PushNotification.self)
        let screen = desktop ? DesktopNotifications(appName: "LensSim") { taps.continuation.yield($0) } : nil
        let stop = StopRequest()
        let connection = PushConnection(
            PushConnection.Settings(
                service: service,
                environment: sandbox ? .sandbox : .production,
                topic: topic
            ),
            over: transport,
            memory: try memory()
        ) { notification in
            terminal.line(lines.notification(notification))
            do throws(ProgramError) { try await screen?.show(notification) } catch {
                terminal.warn("lenssim: \(error)")
            }
        }
        let (tokens, arrivals) = (connection.deviceTokens(), connection.arrivals())
        let states = connection.status.values()
        let enough = await withTaskGroup(of: Bool?.self) { group in
            group.addTask {
                for await token in tokens { terminal.line(lines.token(token)) }
                return nil
            }
            group.addTask {
                for await state in states {
                    if case .waiting(let reason) = state { terminal.warn("lenssim: \(reason)") }
                }
                return nil
            }
            group.addTask {
                for await tapped in taps.stream {
                    connection.tap(tapped)
                    terminal.line(lines.tap(tapped))
                }
                return nil
            }
            group.addTask {
                var arrived = 0
                for await _ in arrivals {
                    arrived += 1
                    if arrived == count { return true }
                }
                return false
            }
            group.addTask {
                await LinkArguments.wait(for: stop, atMost: seconds)
                return false
            }
            _ = await connection.requestAuthorization()
            var enough = false
            while let next = await group.next() {
                guard let next else { continue }
                enough = next
                break
            }
            group.cancelAll()
            return enough
        }
        await connection.shutdown()
        await screen?.shutdown()
        return enough ? .enough : stop.isRequested ? .interrupted : .timeIsOver
    }

    private func memory() throws -> any SecretStore {
        guard let data else { return InMemorySecretStore() }
        try FileManager.default.createDirectory(
            atPath: data,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        return FileSecretStore(path: data + "/device", key: .file(data + "/device.key"))
    }
}
