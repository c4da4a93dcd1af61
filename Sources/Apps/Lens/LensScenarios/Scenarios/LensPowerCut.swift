import AppKernel
import Foundation
import Lens
import Probes
public import ScenarioKit
public import Services
import SimulatedDisk
import Simulation
import SupabaseServer

/// Photos are taken and uploaded while the phone loses its power in the middle of writes of its files and its database.
public struct LensPowerCut: LensScenario {
    /// The command-line name.
    public static let name = "lens-power-cut"
    /// One sentence.
    public static let summary =
        "the power goes at any write; a photo that was taken is stored, and none is twice"
    /// What a sweep over it should reach.
    public static let expects = [
        "the power goes while a photo is taken", "the power goes while photos are uploaded",
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
        options.losesUnsyncedWrites = true
        let world = try await LensWorld.start(options)
        let disk = world.base.disk
        try await world.onPhone { try await $0.camera.connect() }
        var captured: Set<UUID> = []
        for _ in 0..<4 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...1500)))
            disk.powerOff(atChange: UInt64.random(in: 1...120))
            do {
                captured.insert(try await world.onPhone { try await $0.capturePhoto() }.id)
            } catch {
                // The power has gone: the photo may exist or not, and no caller was informed that it does.
                guard !world.phone.isAlive else { throw error }
                sometimes("the power goes while a photo is taken")
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...2000)))
            if !world.phone.isAlive {
                sometimes("the power goes while photos are uploaded", !captured.isEmpty)
                if Bool.random() { disk.powerOff(atChange: UInt64.random(in: 1...20)) }
                try await switchOn(world)
            }
        }
        Simulation.current?.heal()
        disk.keepPower()
        if !world.phone.isAlive { try await switchOn(world) }
        try await world.settleUploads()
        let stored = Set(try world.lens.library.items().filter { $0.remoteURL != nil }.map(\.id))
        try check(
            captured.isSubset(of: stored),
            "every photo that was taken is stored",
            "\(captured.subtracting(stored).count) of \(captured.count) are not"
        )
        let created = world.supabase.events.filter { $0.kind == .created }
        try check(
            created.map(\.key).hasNoDuplicates,
            "no photo is created twice at the store",
            "\(created.map(\.key))"
        )
        try world.checkPhotos(captured)
        let waiting = try world.lens.library.items().filter { $0.remoteURL == nil }.count
        try check(waiting == 0, "every photo in the library is stored in the end", "\(waiting) are not")
        let files = disk.names.filter { $0.contains("/photo_") && $0.hasSuffix(".jpg") }.count
        let known = try world.lens.library.items().count
        try check(files == known, "every photo on the disk is in the library", "\(known) of \(files)")
        let stumps = world.supabase.objects(in: LensOptions.bucket).filter {
            !$0.bytes.suffix(2).elementsEqual([0xFF, 0xD9])
        }
        try check(stumps.isEmpty, "no photo is stored in part", "\(stumps.map(\.bytes.count)) bytes")
        try await world.shutdown()
        return ScenarioSummary(["photos": captured.count, "power cuts": world.phone.crashes])
    }

    /// Starts the phone, and once more when the power goes while it starts.
    private func switchOn(_ world: LensWorld) async throws {
        while true {
            do {
                try await world.restartPhone()
                return try await world.onPhone { try await $0.camera.connect() }
            } catch {
                guard !world.phone.isAlive else { throw error }
                sometimes("the power goes while the phone starts")
            }
        }
    }
}
