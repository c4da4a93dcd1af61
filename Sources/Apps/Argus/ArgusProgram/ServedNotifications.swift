import Concurrency
import DesktopNotifications
import LiveTransport
import PushConnection
import Services
import SystemPrograms

/// The notifications of a push service for this machine: the app gets them, and its desktop shows them where there is one.
struct ServedNotifications: Sendable {
    let receiver: PushConnection

    private let desktop: DesktopNotifications?
    private let following = OwnedTasks()

    /// Makes a device of the service, which connects when the app asks for notifications.
    ///
    /// - Parameters:
    ///   - settings: The service, and the app there.
    ///   - transport: What connects.
    ///   - memory: What keeps, over restarts, which device this is.
    ///   - warn: Gets why the service is not reached, and why the desktop shows nothing.
    init(
        _ settings: PushConnection.Settings,
        over transport: LiveTransport,
        memory: any SecretStore,
        warn: @escaping @Sendable (String) -> Void
    ) {
        let taps = AsyncStream.makeStream(of: PushNotification.self)
        let desktop =
            DesktopNotifications.hasSession
            ? DesktopNotifications(appName: "Argus") { taps.continuation.yield($0) } : nil
        let receiver = PushConnection(settings, over: transport, memory: memory) { notification in
            do throws(ProgramError) { try await desktop?.show(notification) } catch { warn("\(error)") }
        }
        let states = receiver.status.values()
        (self.desktop, self.receiver) = (desktop, receiver)
        following.replace(with: [
            Task { for await tapped in taps.stream { receiver.tap(tapped) } },
            Task {
                for await state in states {
                    if case .waiting(let reason) = state { warn("notifications: \(reason)") }
                }
            },
        ])
    }

    /// Ends the connection, and what the desktop is watched with.
    func stop() async {
        following.cancelAll()
        await receiver.shutdown()
        await desktop?.shutdown()
    }
}
