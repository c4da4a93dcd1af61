import AppKernel
internal import Concurrency
import Foundation
import Lens
public import ScenarioKit
public import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import SupabaseServer

/// The store is down: the app tries again as its policy says, then leaves it to the user, and never floods anybody.
public struct LensStoreDown: LensScenario {
    /// The command-line name.
    public static let name = "lens-store-down"
    /// One sentence.
    public static let summary =
        "the store is down, then up; a photo is tried four times, later each time, and then as the user says"
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .seconds(\.seconds), .size(\.size), .prepared(\.usesPreparedFrames),
    ]

    /// How long it streams, in virtual seconds.
    public var seconds = 60
    /// The camera's picture size.
    public var size = PixelSize(width: 320, height: 180)
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames = false

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        options.keepsDatabase = true
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.camera.connect() }
        world.base.arm("http.502")
        let photo = try await world.onPhone { try await $0.capturePhoto() }.id
        try await checkSeries(world, photo)
        // Another four attempts are the user's to ask for.
        _ = try await world.onPhone { try $0.uploads.retry(photo) }
        try await checkSeries(world, photo)
        world.base.disarm("http.502")
        _ = try await world.onPhone { try $0.uploads.retry(photo) }
        try await checkStored(world, [photo], within: .seconds(10))
        try await checkOffline(world, photo)
        try await checkRelaunch(world)
        try await world.shutdown()
        return ScenarioSummary(["requests": world.supabase.requestCount])
    }

    /// One series of attempts: after 1, 2 and 4 seconds, then no more.
    private func checkSeries(_ world: LensWorld, _ photo: UUID) async throws {
        let clock = ContinuousClock()
        let (start, before) = (clock.now, world.supabase.requestCount)
        let begun = world.store.attempts
        let most: KeyValuePairs<Duration, Int> = [
            .milliseconds(950): 1, .milliseconds(2950): 2, .milliseconds(6950): 3, .seconds(seconds): 4,
        ]
        for (time, count) in most {
            try await clock.sleep(until: start + time)
            let tried = world.store.attempts - begun
            try check(
                tried <= count,
                "the app waits longer after each failed upload",
                "\(tried) attempts in \(time)"
            )
            let seen = world.supabase.requestCount - before
            try world.checkUndisturbed(
                seen <= count,
                "an attempt is one request",
                "\(seen) requests in \(time)"
            )
            if case .uploading = world.lens.uploads.statuses.status(of: photo).value {
                try check(
                    time < .seconds(seconds) || world.store.isUploading,
                    "only an upload that is under way is shown as such",
                    "no attempt is"
                )
                try world.checkUndisturbed(
                    time < .seconds(seconds),
                    "a failed upload is shown as failed",
                    "uploading"
                )
            }
        }
        let seen = world.supabase.requestCount - before
        try world.checkUndisturbed(
            seen == 4,
            "a failed upload is tried again three times",
            "\(seen) requests"
        )
        let status = world.lens.uploads.statuses.status(of: photo).value
        guard case .failed(_, _, let retriesItself) = status else {
            return try world.checkUndisturbed(false, "a failed upload is shown as failed", "\(status)")
        }
        try world.checkUndisturbed(
            !retriesItself,
            "an upload that was given up is left to the user",
            "\(status)"
        )
    }

    private func checkStored(
        _ world: LensWorld,
        _ photos: Set<UUID>,
        within time: Duration
    ) async throws {
        try await Task.sleep(for: time)
        let objects = world.supabase.objects(in: LensOptions.bucket)
        try check(
            Set(objects.map(\.key)).count <= photos.count,
            "a photo is stored once",
            "\(objects.map(\.key))"
        )
        try world.checkUndisturbed(
            objects.count == photos.count,
            "a photo is stored at once when the store is there",
            "\(objects.count) of \(photos.count)"
        )
        let statuses = photos.map { world.lens.uploads.statuses.status(of: $0).value }
        let shown = statuses.count { $0 == .completed }
        try check(
            shown <= objects.count,
            "a photo that is shown as stored is stored",
            "\(shown) shown, \(objects.count) stored"
        )
        try world.checkUndisturbed(
            statuses.allSatisfy { $0 == .completed },
            "a photo that is stored is shown as stored",
            "\(statuses)"
        )
    }

    /// Without a network nothing is tried; with it, everything that waits.
    private func checkOffline(_ world: LensWorld, _ first: UUID) async throws {
        world.base.goOffline()
        // The app hears of it in a task of its own.
        try await world.onPhone { _ in try await Task.sleep(for: .seconds(5)) }
        let (before, begun) = (world.supabase.requestCount, world.store.attempts)
        let second = try await world.onPhone { try await $0.capturePhoto() }.id
        try await Task.sleep(for: .seconds(20))
        let tried = world.store.attempts - begun
        try check(tried == 0, "nothing is tried without a network", "\(tried) attempts")
        // What was under way before may still arrive.
        let seen = world.supabase.requestCount - before
        try world.checkUndisturbed(seen == 0, "nothing is sent without a network", "\(seen) requests")
        world.base.goOnline()
        try await checkStored(world, [first, second], within: .seconds(10))
    }

    /// To end the app in good order is no failure of an upload.
    private func checkRelaunch(_ world: LensWorld) async throws {
        world.base.arm("http.slow", values: ["seconds": 5], atMost: 1)
        let third = try await world.onPhone { try await $0.capturePhoto() }.id
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...2000)))
        try await world.shutdown()
        try await world.restartPhone()
        let entry = try world.lens.uploads.entries().first { $0.work.mediaID == third }
        try world.checkUndisturbed(
            entry.map { $0.failures == 0 && $0.state != .failed } ?? true,
            "an upload that the app's end interrupts has not failed",
            "\(entry.map { "\($0.state)" } ?? "")"
        )
        try await Task.sleep(for: .seconds(20))
        let left = try world.lens.uploads.entries().count
        try world.checkUndisturbed(left == 0, "an upload that the app's end interrupts goes on", "\(left)")
    }
}
