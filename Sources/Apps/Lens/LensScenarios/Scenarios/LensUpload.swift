import AppKernel
internal import Concurrency
import FaultPlans
import Foundation
import Lens
import Probes
public import ScenarioKit
public import Services
import SimulatedDisk
import SimulatedTransport
import Simulation
import SupabaseServer

/// Photos are uploaded through a bad network and a failing store, and the app's process is killed meanwhile.
public struct LensUpload: LensScenario {
    /// The command-line name.
    public static let name = "lens-upload"
    /// One sentence.
    public static let summary =
        "photos survive kills, resets and lost answers: each one is stored exactly once"
    /// What a sweep over it should reach.
    public static let expects = [
        "the process is killed with a photo to upload", "the store refuses a second upload of a photo",
        "an upload fails and is tried again",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .size(\.size), .prepared(\.usesPreparedFrames),
    ]

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
        // Each is likely to meet one of the first uploads, and few runs meet all.
        for (point, values) in [
            ("http.429", [:]), ("http.502", [:]), ("http.portal", [:]), ("http.slow", ["seconds": 2]),
            ("supabase.upload.refused", [:]), ("supabase.upload.answerLost", ["silence": 5]),
            ("supabase.upload.answerCut", [:]), ("supabase.download.cut", [:]),
        ] as [(String, [String: Double])] {
            // What takes effect first is met by those requests alone that nothing has refused.
            let probability = point.hasPrefix("supabase") ? 0.25 : 0.1
            world.base.arm(point, probability: probability, values: values, atMost: 3)
        }
        // In one run of eight the store is out of order for so long that the app gives up an upload: four failures in a row.
        if Int.random(in: 0..<8) == 0 { world.base.arm("http.503", atMost: 6) }
        var captured: Set<UUID> = []
        for _ in 0..<4 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...1500)))
            try await checkReading(world, captured)
            captured.insert(try await world.onPhone { try await $0.capturePhoto() }.id)
            switch Int.random(in: 0..<8) {
            case 0: world.network.reset("phone", "supabase")
            case 1:
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
                sometimes(
                    "the process is killed with a photo to upload",
                    (try? world.lens.uploads.entries().isEmpty) == false
                )
                try await world.restartPhone()
                try await world.onPhone { try await $0.camera.connect() }
            case 2:
                // Ended in good order, perhaps in the middle of an upload.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
                try await world.shutdown()
                try await world.restartPhone()
                try await world.onPhone { try await $0.camera.connect() }
            case 3:
                // Two at once.
                let both = try await world.onPhone { app in
                    async let first = app.capturePhoto()
                    async let second = app.capturePhoto()
                    return try await [first.id, second.id]
                }
                captured.formUnion(both)
            case 4:
                // The phone's clock is set, perhaps while a failed upload waits for its time.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...1000)))
                world.base.faults.at(.zero, .clockStep("phone", by: .seconds(Int.random(in: -7200...7200))))
            default: break
            }
        }
        Simulation.current?.heal()
        try await world.settleUploads()
        let objects = world.supabase.objects(in: LensOptions.bucket)
        try check(
            objects.count == captured.count,
            "every photo is stored exactly once",
            "\(objects.count) objects of \(captured.count) photos"
        )
        let created = world.supabase.events.filter { $0.kind == .created }
        try check(
            created.map(\.key).hasNoDuplicates,
            "no photo is created twice at the store",
            "\(created.map(\.key))"
        )
        try check(
            !world.supabase.events.contains { $0.kind == .replaced },
            "no photo is stored over another",
            "\(world.supabase.events.filter { $0.kind == .replaced }.map(\.key))"
        )
        let items = try world.lens.library.items()
        try check(
            Set(items.filter { $0.remoteURL != nil }.map(\.id)) == captured,
            "every photo knows its public address",
            "\(items.filter { $0.remoteURL != nil }.count) of \(captured.count)"
        )
        try world.checkPhotos(captured)
        let statuses = captured.map { world.lens.uploads.statuses.status(of: $0).value }
        try check(
            statuses.allSatisfy { $0 == .completed },
            "a photo that is stored is shown as stored",
            "\(statuses)"
        )
        try await checkRest(world)
        let refused = world.supabase.events.filter { $0.kind == .refusedDuplicate }.count
        sometimes("the store refuses a second upload of a photo", refused > 0)
        try await world.shutdown()
        return ScenarioSummary([
            "photos": captured.count, "duplicates refused": refused, "kills": world.phone.crashes,
        ])
    }
}

extension LensUpload {
    /// A photo that is stored is read as it was taken, or not at all.
    private func checkReading(_ world: LensWorld, _ captured: Set<UUID>) async throws {
        let stored = try world.lens.library.items().last { captured.contains($0.id) && $0.remoteURL != nil }
        guard let stored else { return }
        let store = world.store
        let key = ObjectKey("photos/\(stored.id.uuidString.lowercased()).jpg")
        do {
            let bytes = try await world.phone.run { try await store.get(key, upTo: 16 << 20) }
            let file = try world.base.disk.read(stored.url.path)
            try check(
                bytes == file,
                "a stored photo is read as it was taken",
                "\(bytes.count) bytes of \(file.count)"
            )
        } catch let error as ObjectStoreError {
            sometimes("a stored photo cannot be read")
            try check(error.code != .notFound, "a stored photo stays stored", "\(error)")
        }
    }

    /// A queue that is done asks for nothing more, also after the app was started again.
    private func checkRest(_ world: LensWorld) async throws {
        let (before, begun) = (world.supabase.requestCount, world.store.attempts)
        try await Task.sleep(for: .seconds(20))
        var more = world.store.attempts - begun
        try await world.restartPhone()
        try await Task.sleep(for: .seconds(20))
        more += world.store.attempts
        try check(more == 0, "a photo that is stored is left alone", "\(more) attempts")
        // What a slow network kept from an attempt that was given up may still arrive.
        let late = world.supabase.requestCount - before
        try world.checkUndisturbed(late == 0, "the store is left alone", "\(late) requests")
    }
}

extension LensWorld {
    /// Waits until no upload is left, trying those again that have failed for good, as a user would: what an outage has made fail is the
    /// app's own affair.
    ///
    /// Two minutes, and six hours more: a store may ask to be left alone for an hour, more than once while faults last.
    func settleUploads() async throws {
        for step in 0..<480 {
            let entries = try lens.uploads.entries()
            if entries.isEmpty { return }
            for entry in entries where entry.state == .failed && entry.due == nil {
                sometimes("an upload fails and is tried again")
                if entry.isFinal { _ = try await onPhone { try $0.uploads.retry(entry.work.mediaID) } }
            }
            try await Task.sleep(for: .seconds(step < 120 ? 1 : 60))
        }
        try check(
            false,
            "uploads end once the faults have ended",
            "\((try? lens.uploads.entries().map(\.state)) ?? [])"
        )
    }

    /// What is stored is what was taken.
    func checkPhotos(_ captured: Set<UUID>) throws {
        for item in try lens.library.items() where captured.contains(item.id) {
            let name = "photos/\(item.id.uuidString.lowercased()).jpg"
            guard let object = supabase.objects(in: LensOptions.bucket).first(where: { $0.key == name })
            else { continue }
            let file = try base.disk.read(item.url.path)
            try check(
                !file.isEmpty && object.bytes == file,
                "what is stored is what was taken",
                "\(object.bytes.count) bytes of \(file.count)"
            )
        }
    }
}
