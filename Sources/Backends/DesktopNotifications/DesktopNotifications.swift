internal import Foundation
public import Services
internal import Synchronization
public import SystemPrograms

/// Shows notifications on the desktop of this session, by the interface `org.freedesktop.Notifications` of its D-Bus.
///
/// The program `gdbus` of GLib makes the calls, and watches for taps. Safe to use from any task. Its owner calls ``shutdown()``.
///
/// Source: Desktop Notifications Specification 1.2; the manual of gdbus 2.74; GVariant Text Format.
public final class DesktopNotifications: Sendable {
    private struct State {
        /// What is on the screen, by the desktop's number, oldest first.
        var shown: [(number: UInt32, notification: PushNotification)] = []
        /// How many notifications are on their way to the desktop.
        var pending = 0
        /// Taps meanwhile on numbers that are not known, oldest first: they may be of one that is on its way.
        var early: [UInt32] = []
        var monitor: RunningProgram?
        var isShutDown = false
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    /// How many notifications are known when they are tapped; a tap of an older one does nothing.
    private static let limit = 100
    /// How long the desktop may take to show a notification.
    private static let patience = Duration.seconds(10)
    /// How long it may take until taps are watched for.
    private static let monitorPatience = Duration.seconds(3)
    /// Bytes that the desktop may signal in the life of a program: about a million taps.
    private static let signalLimit = 256 * 1024 * 1024

    private let program: SystemProgram
    private let appName: String
    private let onTap: @Sendable (PushNotification) -> Void
    private let state = Mutex(State())

    /// Makes a way to the desktop.
    ///
    /// - Parameters:
    ///   - appName: What shows the notifications, for people.
    ///   - program: `gdbus`, or what takes its place.
    ///   - onTap: Called for a notification that the person has tapped.
    public init(
        appName: String,
        program: SystemProgram = SystemProgram("gdbus", packages: ["libglib2.0-bin"]),
        onTap: @escaping @Sendable (PushNotification) -> Void
    ) {
        (self.appName, self.program, self.onTap) = (appName, program, onTap)
    }

    /// Whether there is a D-Bus of a session, on which a desktop may listen.
    public static var hasSession: Bool {
        let environment = ProcessInfo.processInfo.environment
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return true }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
        return FileManager.default.fileExists(atPath: folder + "/bus")
    }

    /// Shows a notification, and returns when the desktop has it.
    ///
    /// - Throws: `missing` where the program is not installed, `failed` where no desktop listens, `tooSlow`.
    public func show(_ notification: PushNotification) async throws(ProgramError) {
        try await watch()
        let arguments = [
            "call", "--session", "--dest", Self.name, "--object-path", Self.path,
            "--method", "\(Self.name).Notify", GVariantText.quoted(appName), "uint32 0", "''",
            GVariantText.quoted(notification.title.isEmpty ? appName : notification.title),
            GVariantText.quoted(Self.withoutMarkup(notification.body)), "['default', 'Open']", "@a{sv} {}",
            "int32 -1",
        ]
        state.withLock { $0.pending += 1 }
        defer {
            state.withLock { state in
                state.pending -= 1
                if state.pending == 0 { state.early = [] }
            }
        }
        let answer = try await program.run(arguments, within: Self.patience, outputLimit: 4096)
        // `(uint32 7,)`
        guard let found = String(decoding: answer, as: UTF8.self).firstMatch(of: /^\(uint32 (\d+),\)/),
            let number = UInt32(found.1)
        else {
            throw ProgramError(.unusableOutput, of: program.name, detail: "no number of a notification")
        }
        let isTapped = state.withLock { state in
            state.shown.removeAll { $0.number == number }
            state.shown = state.shown.suffix(Self.limit - 1) + [(number, notification)]
            return state.early.contains(number)
        }
        if isTapped { onTap(notification) }
    }

    /// Watches for taps no longer; what is on the screen stays there.
    public func shutdown() async {
        let monitor = state.withLock { state in
            state.isShutDown = true
            defer { state.monitor = nil }
            return state.monitor
        }
        monitor?.end(because: .cancelled)
        try? await monitor?.untilEnded()
    }

    /// Starts to watch for taps, unless that has begun, and waits until it has.
    private func watch() async throws(ProgramError) {
        guard state.withLock({ $0.monitor == nil && !$0.isShutDown }) else { return }
        let begun = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let lines = Lines()
        let monitor = try RunningProgram(
            program,
            ["monitor", "--session", "--dest", Self.name, "--object-path", Self.path],
            outputLimit: Self.signalLimit
        ) { [weak self] bytes in
            for line in lines.take(bytes) {
                begun.continuation.yield()
                self?.take(line)
            }
        }
        monitor.endInput()
        let isSurplus = state.withLock { state in
            guard state.monitor == nil, !state.isShutDown else { return true }
            state.monitor = monitor
            return false
        }
        if isSurplus { monitor.end(because: .cancelled) }
        Task { [weak self] in
            try? await monitor.untilEnded()
            begun.continuation.finish()
            self?.state.withLock { if $0.monitor === monitor { $0.monitor = nil } }
        }
        let timer = Task {
            try? await Task.sleep(for: Self.monitorPatience)
            begun.continuation.finish()
        }
        // Its first line says that it watches, or that no desktop is there yet.
        for await _ in begun.stream { break }
        timer.cancel()
    }

    /// Takes a signal, such as `…: org.freedesktop.Notifications.ActionInvoked (uint32 7, 'default')`.
    private func take(_ line: String) {
        let notification = state.withLock { state -> PushNotification? in
            if let tap = line.firstMatch(of: /\.ActionInvoked \(uint32 (\d+), 'default'\)$/),
                let number = UInt32(tap.1)
            {
                let shown = state.shown.first { $0.number == number }
                if shown == nil, state.pending > 0 {
                    state.early = state.early.suffix(Self.limit - 1) + [number]
                }
                return shown?.notification
            }
            if let closed = line.firstMatch(of: /\.NotificationClosed \(uint32 (\d+), uint32 \d+\)$/) {
                state.shown.removeAll { $0.number == UInt32(closed.1) }
            }
            return nil
        }
        if let notification { onTap(notification) }
    }

    /// A body may have markup, and this text has none.
    private static func withoutMarkup(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// What a program writes, line by line.
    private final class Lines: Sendable {
        private static let longest = 4096
        private let rest = Mutex<[UInt8]>([])

        func take(_ bytes: [UInt8]) -> [String] {
            rest.withLock { rest in
                rest += bytes
                var lines: [String] = []
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.append(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
                // No signal that counts is as long.
                if rest.count > Self.longest { rest = [] }
                return lines
            }
        }
    }
}
