internal import Services
internal import SimulatedPush
internal import Synchronization

/// The notification centre of the phone, whose taps wait while the process of the app is not there.
///
/// A process that is killed says nothing, and its reader would take what the next one is started by.
final class PhoneNotices: PushReceiver {
    private struct State {
        var waiting: [PushNotification] = []
        var reader: AsyncStream<PushNotification>.Continuation?
    }

    private let centre: SimulatedPushCentre
    private let state = Mutex(State())

    init(_ centre: SimulatedPushCentre) { self.centre = centre }

    /// The person taps a notification: the app gets it now, or when it is started.
    func tap(_ notification: PushNotification) {
        state.withLock { state in
            guard let reader = state.reader else { return state.waiting.append(notification) }
            reader.yield(notification)
        }
    }

    /// The process has ended.
    func end() { state.withLock { $0.reader = nil } }

    func requestAuthorization() async -> Bool { await centre.requestAuthorization() }
    func deviceTokens() -> AsyncStream<[UInt8]> { centre.deviceTokens() }
    func arrivals() -> AsyncStream<PushNotification> { centre.arrivals() }

    func taps() -> AsyncStream<PushNotification> {
        let (stream, reader) = AsyncStream.makeStream(of: PushNotification.self)
        state.withLock { state in
            for notification in state.waiting { reader.yield(notification) }
            (state.waiting, state.reader) = ([], reader)
        }
        return stream
    }
}
