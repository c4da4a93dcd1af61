import AppKernel
import Foundation
import JPEG
import Lens
import Services
import SessionRecording
import SimulatedDevice

/// What happens in a demonstration: the same code when it is shown and when it is replayed.
struct DemoScript: Sendable {
    var phone: LensPhone
    var seconds: Int
    var clock: SessionClock
    /// Returns when the user wants to stop, or when cancelled.
    var stopRequest: @Sendable () async -> Void
    var tell: @Sendable (DemoEvent) -> Void
    private let stop = StopMoment()

    init(
        phone: LensPhone,
        seconds: Int,
        clock: SessionClock,
        stopRequest: @escaping @Sendable () async -> Void,
        tell: @escaping @Sendable (DemoEvent) -> Void
    ) {
        self.phone = phone
        self.seconds = seconds
        self.clock = clock
        self.stopRequest = stopRequest
        self.tell = tell
    }

    /// The longest wait for uploads after the stream has ended.
    private static let uploadPatience = Duration.seconds(20)

    func run() async throws -> DemoResult {
        let app = phone.app
        let launch = await app.launch()
        tell(
            .launched(
                queuedUploads: launch.queuedUploads,
                messages: launch.messages,
                problems: launch.problems
            )
        )
        retryFailedUploads()
        let telling = Task(name: "teller") { await tellReplies() }
        defer { telling.cancel() }
        // Nothing ever waits for this task: in a recording it hangs on the real world, whose delays would show.
        let watching = Task(name: "stop watcher") {
            await stopRequest()
            if !Task.isCancelled { stop.set(clock.nanoseconds) }
        }
        defer { watching.cancel() }
        let before = try Set(app.library.items().filter { $0.remoteURL != nil }.map(\.id))
        var stoppedAt: Int64?
        do {
            try await app.startStreaming()
            tell(.streaming)
            stoppedAt = try await act()
            await app.stopStreaming()
            if stoppedAt == nil { stoppedAt = try await awaitUploads() }
        } catch {
            telling.cancel()
            await phone.shutdown()
            throw error
        }
        let result = try await result(uploadedBefore: before, stoppedAt: stoppedAt)
        await phone.shutdown()
        return result
    }

    /// Starting the demonstration again means that the cause was fixed and that the photos should be uploaded.
    private func retryFailedUploads() {
        let failed = ((try? phone.app.uploads.entries()) ?? []).filter { $0.state == .failed }
        for entry in failed { _ = try? phone.app.uploads.retry(entry.payload.mediaID) }
    }

    /// Streams, and takes a photo half way.
    ///
    /// Returns when the user stopped it.
    private func act() async throws -> Int64? {
        let half = Duration.milliseconds(seconds * 500)
        if let stopped = try await pause(half) { return stopped }
        let photo = try await phone.app.capturePhoto()
        tell(.photo(name: photo.url.lastPathComponent))
        return try await pause(half)
    }

    private func awaitUploads() async throws -> Int64? {
        let app = phone.app
        let count = try app.uploads.entries().count
        guard count > 0 else { return nil }
        tell(.awaitingUploads(count))
        return try await race(Self.uploadPatience) {
            for await _ in app.uploads.statuses.all.values() {
                // The queue tells of each change; it is empty when all is done, and stays when it has given up.
                let left = (try? app.uploads.entries()) ?? []
                if left.allSatisfy({ $0.state == .failed && $0.due == nil }) { return }
            }
        }
    }

    /// Waits.
    ///
    /// Returns when the user stopped it, in nanoseconds since the start.
    private func pause(_ duration: Duration) async throws -> Int64? {
        try await race(duration) { try? await Task.sleep(for: .seconds(86_400)) }
    }

    /// Waits until `work` is done, time is up, or the user stops it; returns when in the last case.
    private func race(_ limit: Duration, _ work: @escaping @Sendable () async -> Void) async throws -> Int64?
    {
        let stop = stop
        return try await withThrowingTaskGroup(of: Int64?.self) { group in
            group.addTask {
                await work()
                return nil
            }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            group.addTask { await stop.moment() }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private func tellReplies() async {
        var shown = ""
        for await text in phone.app.conversation.streamingResponse.values() {
            if Task.isCancelled { return }
            if text.hasPrefix(shown) {
                if text.count > shown.count { tell(.text(String(text.dropFirst(shown.count)))) }
            } else {
                tell(.turnEnded)
                if !text.isEmpty { tell(.text(text)) }
            }
            shown = text
        }
    }

    private func result(uploadedBefore: Set<UUID>, stoppedAt: Int64?) async throws -> DemoResult {
        let app = phone.app
        let times = phone.model.sorted
        let items = try app.library.items()
        let waiting = try app.uploads.entries()
        return DemoResult(
            stream: app.stream.statistics.value,
            sendNanoseconds: times.sends,
            replyNanoseconds: times.replies,
            encodesPerFrame: await phone.encoder.statistics.encodesPerFrame,
            answers: app.conversation.messages.value.filter { $0.role == .assistant }.count,
            sentences: phone.synthesizer.utterances.count,
            uploaded: items.filter { !uploadedBefore.contains($0.id) }.compactMap {
                $0.remoteURL?.absoluteString
            },
            waiting: waiting.map { entry in
                "\(entry.payload.fileName): \(entry.state)" + (entry.lastError.map { ", \($0)" } ?? "")
            },
            uploadFailure: waiting.compactMap {
                app.uploads.statuses.status(of: $0.payload.mediaID).value.failure
            }.first,
            stoppedAt: stoppedAt
        )
    }
}
