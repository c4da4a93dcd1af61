public import Concurrency
internal import HTTPTypes
public import PushWire
public import Services
internal import Synchronization
public import Transport

/// Receives notifications over one WebSocket that is kept open to a push service of this project, such as `lenssim serve push`.
///
/// It connects once notifications are allowed, and again whenever the connection is lost: after 1 s, then after longer times up to a minute. A notification is
/// acknowledged after it was shown and noted as shown, in this order: one that is lost on the way comes again, and is shown once, unless
/// the process ends between showing and noting. What `aps.alert` does not ask to show is acknowledged alone.
///
/// Safe to use from any task. Its owner calls ``shutdown()``.
public final class PushConnection: PushReceiver {
    /// How it is connected.
    public enum Status: Sendable, Hashable {
        /// Notifications are not allowed yet, or it was shut down.
        case idle
        case connecting
        case connected
        /// The connection was lost or refused, with a reason for people; it is tried again.
        case waiting(String)
    }

    /// What a connection is for.
    public struct Settings: Sendable {
        /// Where the service is.
        public var service: PushServiceAddress
        /// Whose tokens the provider has.
        public var environment: PushEnvironment
        /// The app, by its bundle ID.
        public var topic: String

        /// Makes a value of its parts.
        public init(service: PushServiceAddress, environment: PushEnvironment = .production, topic: String) {
            (self.service, self.environment, self.topic) = (service, environment, topic)
        }
    }

    /// Why a connection has ended.
    private enum Ending {
        case lost(String)
        /// The service does not know this installation: it has to begin as a new one.
        case unknown
        /// It makes no sense to come back soon.
        case refused(String)
    }

    /// How soon it connects again.
    private static let policy = RetryPolicy(
        retries: .max,
        first: .seconds(1),
        longest: .seconds(60),
        jitter: 0.5
    )
    /// Without a sign of life the connection is dead; see `WebSocketKeepAlive`.
    private static let keepAlive = WebSocketKeepAlive(interval: .seconds(25), silence: .seconds(60))
    private static let timeout = Duration.seconds(30)

    private let settings: Settings
    private let client: any WebSocketClient
    private let memory: PushMemory
    private let authorize: @Sendable () async -> Bool
    private let show: @Sendable (PushNotification) async -> Void

    private let current = CurrentValue(Status.idle)
    private let token = Mutex<[UInt8]?>(nil)
    private let tokens = PushReaders<[UInt8]>(buffering: .bufferingNewest(1))
    private let arriving = PushReaders<PushNotification>(buffering: .bufferingNewest(100))
    private let tapped = PushTaps()
    private let connecting = OwnedTasks()
    private let isStarted = Mutex(false)
    /// What was shown in this process, also where it could not be noted; the newest last.
    private let recent = Mutex<[String]>([])
    private static let recentLimit = 300

    /// Makes a receiver that is not connected.
    ///
    /// - Parameters:
    ///   - settings: What it is for.
    ///   - client: What connects.
    ///   - memory: Where it keeps, over restarts, which installation it is and what it has shown.
    ///   - authorize: Asks the person for permission.
    ///   - show: Shows a notification, and returns when it is shown. Called for one at a time.
    public init(
        _ settings: Settings,
        over client: any WebSocketClient,
        memory: any SecretStore,
        authorize: @escaping @Sendable () async -> Bool = { true },
        show: @escaping @Sendable (PushNotification) async -> Void
    ) {
        self.settings = settings
        self.client = client
        self.memory = PushMemory(memory, environment: settings.environment, topic: settings.topic)
        self.authorize = authorize
        self.show = show
    }

    /// How it is connected, and each change.
    public var status: Published<Status> { current.published }

    /// Says that the person has tapped a notification that was shown.
    public func tap(_ notification: PushNotification) { tapped.tap(notification) }

    /// Ends the connection, and returns when it has ended.
    ///
    /// Idempotent.
    public func shutdown() async {
        await connecting.cancelAndWait()
        current.set(.idle)
    }

    // MARK: PushReceiver

    /// Asks the person, and connects where notifications are allowed.
    public func requestAuthorization() async -> Bool {
        guard await authorize(), !Task.isCancelled else { return false }
        let isFirst = isStarted.withLock { isStarted in
            defer { isStarted = true }
            return !isStarted
        }
        if isFirst { connecting.replace(with: [Task { [weak self] in await self?.stayConnected() }]) }
        return true
    }

    /// The device token, and each later one; see `PushReceiver`.
    public func deviceTokens() -> AsyncStream<[UInt8]> { token.withLock { tokens.stream(beginningWith: $0) } }

    /// Notifications from now on; see `PushReceiver`.
    public func arrivals() -> AsyncStream<PushNotification> { arriving.stream() }

    /// Taps; see `PushReceiver`.
    public func taps() -> AsyncStream<PushNotification> { tapped.stream() }

    // MARK: Connecting

    private func stayConnected() async {
        var failures = 0
        while !Task.isCancelled {
            current.set(.connecting)
            let (ending, wasConnected) = await connect()
            if wasConnected { failures = 0 }
            failures += 1
            var wait = Self.policy.jitteredWait(beforeRetry: failures) ?? Self.policy.longest
            switch ending {
            case .lost(let reason): current.set(.waiting(reason))
            case .refused(let reason):
                current.set(.waiting(reason))
                wait = Self.policy.longest
            case .unknown:
                current.set(.waiting("the service does not know this installation"))
                // Where it cannot be forgotten, it is refused again, after a longer wait.
                try? memory.set(nil)
            }
            guard (try? await Task.sleep(for: wait)) != nil else { return }
        }
    }

    /// Connects once, and stays until the connection ends.
    private func connect() async -> (Ending, wasConnected: Bool) {
        var wasConnected = false
        do {
            let hello = PushHello(
                environment: settings.environment,
                topic: settings.topic,
                installation: try memory.installation()
            )
            let request = HTTPRequest(
                method: .get,
                scheme: settings.service.scheme,
                authority: settings.service.authority,
                path: settings.service.path
            )
            let limits = WebSocketLimits(
                messageBytes: ServiceMessage.bytesMaximum,
                bufferedMessages: 32,
                keepAlive: Self.keepAlive
            )
            let socket = try await client.connect(request, limits: limits, timeout: Self.timeout)
            let ending: Ending
            do {
                try await socket.send(text: DeviceMessage.hello(hello).text)
                ending = try await read(socket) { wasConnected = true }
            } catch {
                await socket.close(.normal)
                throw error
            }
            await socket.close(.normal)
            return (ending, wasConnected)
        } catch {
            return (.lost("\(error)"), wasConnected)
        }
    }

    private func read(_ socket: any WebSocket, welcomed: () -> Void) async throws -> Ending {
        while true {
            let text: String
            switch try await socket.receive() {
            case .text(let received): text = received
            case .binary: return .lost("the service sent a message that is no text")
            case .closed(let close): return Self.ending(close)
            }
            let message: ServiceMessage
            do throws(PushMessageError) { message = try ServiceMessage(text) } catch .unknown {
                continue
            } catch { return .lost("the service sent a message that cannot be read") }
            switch message {
            case .welcome(let hex, let installation):
                guard let bytes = Self.bytes(hex) else {
                    return .lost("the service sent a token that is none")
                }
                try memory.set(installation)
                welcomed()
                current.set(.connected)
                take(bytes)
            case .notification(let delivery):
                try await receive(delivery)
                try await socket.send(text: DeviceMessage.shown(number: delivery.number).text)
            }
        }
    }

    /// Shows a notification, unless it was shown before, and notes that.
    private func receive(_ delivery: PushDelivery) async throws {
        guard try !memory.hasShown(delivery.id) else { return }
        if !recent.withLock({ $0.contains(delivery.id) }) {
            if let notification = PushNotification(delivery) {
                await show(notification)
                arriving.send(notification)
            }
            recent.withLock { $0 = $0.suffix(Self.recentLimit - 1) + [delivery.id] }
        }
        try memory.setShown(delivery.id)
    }

    private func take(_ bytes: [UInt8]) {
        token.withLock { token in
            guard token != bytes else { return }
            token = bytes
            tokens.send(bytes)
        }
    }

    /// What the service's codes mean; see `Documentation/Push.md`.
    private static func ending(_ close: WebSocketClose) -> Ending {
        switch close.code {
        case 4002, 4004: .unknown
        case 4001: .refused("the service does not know the app")
        case 4003: .refused("another process is connected as this installation")
        default: .lost("the connection has ended (\(close))")
        }
    }

    private static func bytes(_ hex: String) -> [UInt8]? {
        let digits = hex.compactMap(\.hexDigitValue)
        guard digits.count == hex.count, !digits.isEmpty, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
