import AppKernel
import Foundation
import Lens
import Probes
import Services
import SimulatedTransport
import Simulation
import SupabaseServer

extension Scenario {
    /// Photos are uploaded through a bad network and a failing store, and the app's process is killed meanwhile.
    public static let lensUpload = Scenario(
        name: "lens-upload",
        summary: "photos survive kills, resets and lost answers: each one is stored exactly once",
        settings: ScenarioSettings(seconds: 20),
        expects: [
            "the process is killed with a photo to upload", "the store refuses a second upload of a photo",
            "an upload fails and is tried again",
        ]
    ) { settings in
        var options = try LensOptions(settings)
        options.keepsDatabase = true
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.camera.connect() }
        world.supabase.script(.randomTrouble())
        var captured: Set<UUID> = []
        for _ in 0..<4 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...1500)))
            captured.insert(try await world.onPhone { try await $0.capturePhoto() }.id)
            switch Int.random(in: 0..<4) {
            case 0: world.network.reset("phone", "supabase")
            case 1:
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
                sometimes(
                    "the process is killed with a photo to upload",
                    (try? world.lens.uploads.entries().isEmpty) == false
                )
                try await world.restartPhone()
                try await world.onPhone { try await $0.camera.connect() }
            default: break
            }
        }
        world.supabase.heal()
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
            Set(created.map(\.key)).count == created.count,
            "no photo is created twice at the store",
            "\(created.map(\.key))"
        )
        let items = try world.lens.library.items()
        try check(
            Set(items.filter { $0.remoteURL != nil }.map(\.id)) == captured,
            "every photo knows its public address",
            "\(items.filter { $0.remoteURL != nil }.count) of \(captured.count)"
        )
        let refused = world.supabase.events.filter { $0.kind == .refusedDuplicate }.count
        sometimes("the store refuses a second upload of a photo", refused > 0)
        try await world.shutdown()
        return Summary([
            "photos": captured.count, "duplicates refused": refused, "kills": world.phone.crashes,
        ])
    }
}

extension LensWorld {
    /// Waits until no upload is left, trying failed ones again as a user would.
    func settleUploads() async throws {
        for _ in 0..<120 {
            let entries = try lens.uploads.entries()
            if entries.isEmpty { return }
            for entry in entries where entry.state == .failed {
                sometimes("an upload fails and is tried again")
                _ = try await onPhone { try $0.uploads.retry(entry.payload.mediaID) }
            }
            try await Task.sleep(for: .seconds(1))
        }
        try check(
            false,
            "uploads end once the faults have ended",
            "\((try? lens.uploads.entries().map(\.state)) ?? [])"
        )
    }
}
