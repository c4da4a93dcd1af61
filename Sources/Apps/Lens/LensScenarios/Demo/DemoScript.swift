import AppKernel
import Concurrency
import Foundation
import JPEG
import Lens
import LensScreens
import ScenarioKit
import ScreenKit
import Services
import SessionRecording
import SimulatedDevice

/// What happens in a demonstration: a user's actions on the screens, the same when it is shown and when it is replayed.
@MainActor
final class DemoScript {
    private let phone: LensPhone
    private let settings: DemoSettings
    private let clock: SessionClock
    private let stopRequest: @Sendable () async -> Void
    private let tell: @Sendable (DemoEvent) -> Void
    private let screenLog: any ScreenLog
    private let stop = StopMoment()
    private let screens: LensScreens

    /// Prepares it.
    ///
    /// - Parameters:
    ///   - phone: The app, which is not launched.
    ///   - settings: What is done.
    ///   - clock: Time since the session's start.
    ///   - screenLog: Where the states and actions of the screens go.
    ///   - stopRequest: Returns when the user wants to stop, or when cancelled.
    ///   - tell: Shows what happens.
    init(
        phone: LensPhone,
        settings: DemoSettings,
        clock: SessionClock,
        screenLog: any ScreenLog,
        stopRequest: @escaping @Sendable () async -> Void,
        tell: @escaping @Sendable (DemoEvent) -> Void
    ) {
        self.phone = phone
        self.settings = settings
        self.clock = clock
        self.screenLog = screenLog
        self.stopRequest = stopRequest
        self.tell = tell
        screens = phone.app.makeScreens()
    }

    /// The longest wait for a spoken answer.
    private static let answerPatience = Duration.seconds(60)
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
        screens.appear()
        let user = ObservedScreens(screens.encoded, log: screenLog)
        try await user.send(SettingsScreen.Action.setFrameRate(settings.streamRate), to: "settings")
        try await user.send(SettingsScreen.Action.setAutoUpload(true), to: "settings")
        try await retryFailedUploads(user)
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
            try await startStreaming(user)
            tell(.streaming)
            stoppedAt = try await act(user)
            try await user.send(StreamScreen.Action.stop, to: "stream")
            if stoppedAt == nil { stoppedAt = try await awaitUploads() }
        } catch {
            telling.cancel()
            user.stop()
            screens.disappear()
            await phone.shutdown()
            throw error
        }
        let result = try await result(uploadedBefore: before, stoppedAt: stoppedAt)
        user.stop()
        screens.disappear()
        await phone.shutdown()
        return result
    }

    /// Starting the demonstration again means that the cause was fixed and that the photos should be uploaded.
    private func retryFailedUploads(_ user: ObservedScreens) async throws {
        try await user.send(NavigationScreen.Action.selectTab(.gallery), to: "navigation")
        for item in phone.app.gallery.content.value.items where item.uploadStatus.offersRetry {
            try await user.send(GalleryScreen.Action.upload(item.id), to: "gallery")
        }
        try await user.send(NavigationScreen.Action.selectTab(.camera), to: "navigation")
    }

    /// Starts to stream.
    ///
    /// - Throws: What the alert of the screen is about.
    private func startStreaming(_ user: ObservedScreens) async throws {
        try await user.send(StreamScreen.Action.start, to: "stream")
        guard !screens.stream.state.isStreaming else { return }
        if let error = phone.app.stream.state.value.error { throw error }
        if let error = phone.app.camera.status.value.error { throw error }
        throw DemoFailure(alert: screens.stream.state.alert)
    }

    /// Streams, and takes a photo half way.
    ///
    /// Returns when the user stopped it.
    private func act(_ user: ObservedScreens) async throws -> Int64? {
        let half = Duration.milliseconds(settings.seconds * 500)
        if let stopped = try await pause(half) { return stopped }
        try await user.send(CameraScreen.Action.capturePhoto, to: "camera")
        guard let photo = screens.camera.state.lastPhoto else {
            throw DemoFailure(alert: screens.camera.state.alert)
        }
        tell(.photo(name: MediaLibrary.fileName(of: photo, kind: .photo)))
        if settings.speaks, let stopped = try await ask(user) { return stopped }
        return try await pause(half)
    }

    /// Asks aloud, waits for the answer and listens to its first sentence: the next reply takes the place of what is not said
    /// by then.
    ///
    /// Returns when the user stopped it.
    private func ask(_ user: ObservedScreens) async throws -> Int64? {
        let before = phone.app.conversation.content.value.messages.last { $0.role == .user }?.id
        tell(.asking)
        // Whatever the assistant is saying ends here, so that the next sentence is one of the answer.
        try await user.send(ChatScreen.Action.startListening, to: "chat")
        if let alert = screens.chat.state.alert { throw DemoFailure(alert: alert) }
        let said = phone.app.conversation.content.value.messages.last { $0.role == .user }
        guard let said, said.id != before, case .text(let text) = said.content else {
            tell(.heard(""))
            return nil
        }
        tell(.heard(text))
        let spoken = phone.app.voice.spoken.value
        let app = phone.app
        return try await race(Self.answerPatience) {
            for await content in app.conversation.content.values() {
                let later = content.messages.drop { $0.id != said.id }
                // What was interrupted is no answer.
                if later.contains(where: { $0.role == .assistant && !$0.isPartial }) { break }
            }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await count in app.voice.spoken.values() where count > spoken { return } }
                group.addTask {
                    // The voice gets the last sentence a moment after the conversation has the answer.
                    try? await Task.sleep(for: .seconds(1))
                    for await speaks in app.voice.isSpeaking.values() where !speaks { return }
                }
                await group.next()
                group.cancelAll()
            }
        }
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
        for await content in phone.app.conversation.content.values() {
            if Task.isCancelled { return }
            let text = content.streamingResponse
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
            sentences: phone.synthesizer.utterances.count,
            uploaded: items.filter { !uploadedBefore.contains($0.id) }.compactMap {
                $0.remoteURL?.absoluteString
            },
            waiting: waiting.map { entry in
                "\(entry.work.fileName): \(entry.state)" + (entry.reason.map { ", \($0)" } ?? "")
            },
            uploadFailure: waiting.compactMap {
                app.uploads.statuses.status(of: $0.work.mediaID).value.failure
            }.first,
            stoppedAt: stoppedAt
        )
    }
}

/// The app showed an alert that ends the demonstration.
struct DemoFailure: Error, CustomStringConvertible {
    /// What was shown; `nil` where nothing was.
    var alert: ScreenAlert?

    /// What was shown.
    var description: String {
        guard let alert else { return "the app did not do what was asked, and did not say why" }
        return [alert.title + ":", alert.text, alert.advice].compactMap(\.self).joined(separator: " ")
    }
}
