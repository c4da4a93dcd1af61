import Conformance
import Services
import Synchronization

/// A receiver on trial, with its harness at hand.
struct Trial: Sendable {
    let receiver: any PushReceiver
    let patience: Duration
    /// How long something is waited for that must not come.
    let quiet: Duration
    let send: @Sendable (PushNotification) async throws -> Void
    let tap: @Sendable (PushNotification) async throws -> Void
    let shown: @Sendable () async throws -> [String]
    let changeToken: @Sendable () async throws -> Void
    let interrupt: @Sendable () async throws -> Void
    let repeatLast: @Sendable () async throws -> Void
    let takeDown: @Sendable () async -> Void

    static func make<Harness: PushReceiverHarness>(_ harness: Harness, _ isAllowed: Bool) async throws
        -> Trial
    {
        let receiver = try await harness.makeReceiver(allowing: isAllowed)
        return Trial(
            receiver: receiver,
            patience: Conformance.patience(harness.patience),
            quiet: min(.seconds(1), harness.patience),
            send: { notification in try await byHarness { try await harness.send(notification, to: receiver) }
            },
            tap: { try await harness.tap($0, on: receiver) },
            shown: { try await harness.shown(on: receiver) },
            changeToken: { try await byHarness { try await harness.changeToken(of: receiver) } },
            interrupt: { try await harness.interrupt(receiver) },
            repeatLast: { try await byHarness { try await harness.repeatLast(to: receiver) } },
            takeDown: { await harness.takeDown(receiver) }
        )
    }

    /// A notification with a payload of its own.
    func notification(_ title: String, body: String = "Body") -> PushNotification {
        let id = "6f9619ff-8b86-4011-b42d-00cf4fc9\(String(UInt16.random(in: 0x1000 ... .max), radix: 16))"
        let payload =
            #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"},"sound":"default"},"event_id":"evt_\#(title)"}"#
        return PushNotification(id: id, title: title, body: body, payload: Array(payload.utf8))
    }

    /// Allows notifications.
    func allow() async throws {
        let isGranted = try await requireEnd("a question is answered", within: patience) {
            await receiver.requestAuthorization()
        }
        try require(isGranted, is: true, "notifications are allowed")
    }

    /// Allows notifications, and waits for the token.
    func token() async throws -> [UInt8] {
        try await allow()
        guard let token = await next(of: receiver.deviceTokens(), within: patience), !token.isEmpty else {
            throw ConformanceFailure("a device whose person allows notifications has a token", saw: "none")
        }
        return token
    }

    /// Begins to read arrivals on a device that can be reached.
    func ready() async throws -> AsyncStream<PushNotification> {
        let stream = receiver.arrivals()
        _ = try await token()
        return stream
    }

    func arrival(in stream: AsyncStream<PushNotification>) async throws -> PushNotification {
        let came = try await arrivals(1, in: stream)
        guard let first = came.first else { throw ConformanceFailure("a notification arrives", saw: "none") }
        return first
    }

    func arrivals(_ count: Int, in stream: AsyncStream<PushNotification>) async throws -> [PushNotification] {
        try await read(count, of: stream, "what is sent arrives")
    }

    /// Reads so many elements.
    func read(
        _ count: Int,
        of stream: AsyncStream<PushNotification>,
        _ requirement: String
    ) async throws -> [PushNotification] {
        try await requireEnd(requirement, within: patience) {
            var read: [PushNotification] = []
            for await element in stream {
                read.append(element)
                if read.count == count { return read }
            }
            throw ConformanceFailure(requirement, saw: "the end after \(read.count) of \(count)")
        }
    }

    /// The next element; `nil` where none comes in time.
    func next<Element: Sendable>(of stream: AsyncStream<Element>, within limit: Duration) async -> Element? {
        let found = Found<Element>()
        let reader = Task {
            for await element in stream {
                found.value.withLock { $0 = element }
                return
            }
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            reader.cancel()
        }
        await reader.value
        timer.cancel()
        return found.value.withLock { $0 }
    }

    private final class Found<Element: Sendable>: Sendable {
        let value = Mutex<Element?>(nil)
    }
}
