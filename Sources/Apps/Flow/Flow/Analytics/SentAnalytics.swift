internal import Concurrency

/// Analytics that are sent to the service: one event after the other, in their order.
///
/// An event that cannot be sent is dropped, and so is one past the ``backlog``: analytics of this app are no record of what was done.
public final class SentAnalytics: AnalyticsService {
    /// The most events that wait to be sent.
    public static let backlog: Int = 100

    private let events: AsyncStream<TrackRequest>.Continuation
    private let sending = OwnedTasks()

    /// Sends events through an API, each for at most `limit`.
    public init(_ api: any FlowAPI, limit: Duration = .seconds(30)) {
        let (stream, events) = AsyncStream.makeStream(
            of: TrackRequest.self,
            bufferingPolicy: .bufferingOldest(Self.backlog)
        )
        self.events = events
        sending.replace(with: [
            Task {
                for await event in stream {
                    _ = await withDeadline(limit) { try? await api.track(event) }
                }
            }
        ])
    }

    deinit { events.finish() }

    /// Adds an event to those that wait.
    public func track(event: AnalyticsEvent, in sessionID: String) {
        events.yield(TrackRequest(sessionId: sessionID, event: event))
    }

    /// Drops what was not sent yet, and cancels what is under way.
    public func stop() async {
        events.finish()
        await sending.cancelAndWait()
    }
}
