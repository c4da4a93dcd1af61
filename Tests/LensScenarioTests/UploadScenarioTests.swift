import AppKernel
import Concurrency
import Exploration
import Foundation
import Lens
import LensScenarios
import ScenarioKit
import Services
import SimulatedDisk
import SimulatedTransport
import Simulation
import SimulationTesting
import SupabaseServer
import SupabaseStorage
import Testing

@Suite("Photos and uploads in the whole world", .simulated(seeds: 1...10))
struct UploadScenarioTests {
    private func start(autoUpload: Bool = true) async throws -> LensWorld {
        var options = LensOptions()
        options.autoUpload = autoUpload
        options.keepsDatabase = true
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.camera.connect() }
        try await Task.sleep(for: .milliseconds(100))
        return world
    }

    private func status(_ item: MediaItem, in world: LensWorld) -> UploadStatus {
        world.lens.uploads.statuses.all.value[item.id] ?? .none
    }

    @Test("LENS-165 LENS-178 LENS-180 a photo is stored byte for byte, and its address is kept")
    func stored() async throws {
        let world = try await start()
        let item = try await world.onPhone { try await $0.capturePhoto() }
        let disk = world.base.disk
        let file = try disk.read(item.url.path)
        try await Task.sleep(for: .seconds(10))
        let objects = world.supabase.objects(in: LensOptions.bucket)
        #expect(objects.map(\.bytes) == [file])
        #expect(objects.map(\.contentType) == ["image/jpeg"])
        #expect(status(item, in: world) == .completed)
        #expect(try world.lens.uploads.entries().isEmpty)
        let address = try world.lens.library.items().first?.remoteURL?.absoluteString
        let key = try #require(objects.first?.key)
        #expect(address == "http://supabase:80/storage/v1/object/public/\(LensOptions.bucket)/\(key)")
    }

    @Test(
        "LENS-182 the app reads the store's address and key from the secret store; without one of them an item fails as not configured and nothing is sent, and with it the item is uploaded",
        arguments: [SupabaseConfiguration.projectURLName, SupabaseConfiguration.keyName]
    )
    func kept(_ name: String) async throws {
        let kept = CurrentValue<(any SecretStore)?>(nil)
        var options = LensOptions()
        options.adjust = { kept.set($0.secrets) }
        let world = try await LensWorld.start(options)
        let secrets = try #require(kept.value)
        let secret = try #require(try secrets.secret(named: name))
        try secrets.set(nil, named: name)
        let item = try await world.onPhone { app in
            try await app.camera.connect()
            try await Task.sleep(for: .milliseconds(100))
            return try await app.capturePhoto()
        }
        try await Task.sleep(for: .seconds(30))
        #expect(status(item, in: world).failure?.code == .notConfigured)
        #expect(world.supabase.requestCount == 0 && world.supabase.objects(in: LensOptions.bucket).isEmpty)
        try secrets.set(secret, named: name)
        try await world.onPhone { _ = try await $0.gallery.retry(item.id) }
        try await Task.sleep(for: .seconds(10))
        #expect(status(item, in: world) == .completed)
        #expect(world.supabase.objects(in: LensOptions.bucket).count == 1)
    }

    @Test func `without automatic uploads nothing is sent until the user asks`() async throws {
        let world = try await start(autoUpload: false)
        let item = try await world.onPhone { try await $0.capturePhoto() }
        try await Task.sleep(for: .seconds(20))
        #expect(world.supabase.objects(in: LensOptions.bucket).isEmpty)
        _ = try await world.onPhone { try $0.uploads.add(item) }
        try await Task.sleep(for: .seconds(10))
        #expect(world.supabase.objects(in: LensOptions.bucket).count == 1)
    }

    @Test("LENS-166 LENS-169 LENS-170 failures are counted and retried with growing waits, and then by hand")
    func retries() async throws {
        let world = try await start()
        world.base.arm("supabase.upload.refused", atMost: 4)
        let item = try await world.onPhone { try await $0.capturePhoto() }
        try await Task.sleep(for: .seconds(30))
        guard case .failed(let error, let retries, let retriesItself) = status(item, in: world) else {
            Issue.record("not failed: \(status(item, in: world))")
            return
        }
        #expect(error.code == .server)
        #expect(retries == 4)
        #expect(!retriesItself)
        let entry = try #require(try world.lens.uploads.entries().first)
        #expect(entry.reason == .failed(error))
        #expect(try await world.onPhone { try $0.uploads.retry(item.id) })
        try await Task.sleep(for: .seconds(10))
        #expect(status(item, in: world) == .completed)
        #expect(world.supabase.objects(in: LensOptions.bucket).count == 1)
    }

    @Test func `a store that is asked too often is left alone for as long as it says`() async throws {
        let world = try await start()
        try #require(Simulation.current).arm(
            faultPoint: "http.429",
            values: ["retryAfter": 120],
            atMost: 1
        )
        let item = try await world.onPhone { try await $0.capturePhoto() }
        let later = try await world.onPhone { try await $0.capturePhoto() }
        try await Task.sleep(for: .seconds(110))
        // The refused request, and no other, of either photo.
        #expect(world.supabase.requestCount == 1)
        guard case .failed(let error, 1, true) = status(item, in: world) else {
            Issue.record("not refused: \(status(item, in: world))")
            return
        }
        #expect(error.code == .server)
        try await Task.sleep(for: .seconds(40))
        #expect(status(item, in: world) == .completed && status(later, in: world) == .completed)
    }

    @Test("LENS-162 LENS-171 LENS-172 what was accepted survives a kill at any moment, and is stored once")
    func killed() async throws {
        let world = try await start()
        _ = try await world.onPhone { try await $0.capturePhoto() }
        try await Task.sleep(for: .milliseconds(.random(in: 0...150)))
        try await world.restartPhone()
        try await Task.sleep(for: .seconds(20))
        #expect(world.supabase.objects(in: LensOptions.bucket).count == 1)
        #expect(world.supabase.events.filter { $0.kind == .created }.count == 1)
        #expect(try world.lens.library.items().allSatisfy { $0.remoteURL != nil })
    }

    @Test("LENS-172 LENS-181 an answer that is lost after the effect leads to no second object")
    func lostAnswer() async throws {
        let world = try await start()
        world.base.arm("supabase.upload.answerLost", atMost: 1)
        let item = try await world.onPhone { try await $0.capturePhoto() }
        try await Task.sleep(for: .seconds(30))
        #expect(status(item, in: world) == .completed)
        #expect(world.supabase.events.map(\.kind) == [.created, .refusedDuplicate])
    }

    @Test("LENS-175 a failing photo does not hold up the next")
    func independent() async throws {
        let world = try await start()
        world.base.arm("supabase.upload.refused", values: ["status": 403], atMost: 1)
        let first = try await world.onPhone { try await $0.capturePhoto() }
        try await Task.sleep(for: .seconds(1))
        let second = try await world.onPhone { try await $0.capturePhoto() }
        try await Task.sleep(for: .seconds(20))
        #expect(status(second, in: world) == .completed)
        guard case .failed = status(first, in: world) else {
            Issue.record("not failed: \(status(first, in: world))")
            return
        }
    }

    @Test("LENS-174 a photo whose file is gone fails with a typed error")
    func missingFile() async throws {
        let world = try await start(autoUpload: false)
        let item = try await world.onPhone { try await $0.capturePhoto() }
        let disk = world.base.disk
        try disk.remove(item.url.path)
        _ = try await world.onPhone { try $0.uploads.add(item) }
        try await Task.sleep(for: .seconds(5))
        guard case .failed(let error, _, _) = status(item, in: world) else {
            Issue.record("not failed: \(status(item, in: world))")
            return
        }
        #expect(error.code == .fileMissing)
        #expect(world.supabase.events.isEmpty)
    }

    @Test("LENS-231 LENS-232 settings have their defaults, and changes survive a kill")
    func settings() async throws {
        let world = try await start()
        let defaults = LensSettings()
        #expect(defaults.videoResolution == .hd1080)
        #expect(!defaults.autoUpload)
        #expect(defaults.framesPerSecond == 5)
        world.lens.settings.update { $0.videoResolution = .hd720 }
        try await world.restartPhone()
        #expect(world.lens.settings.current.value.videoResolution == .hd720)
    }

    @Test("LENS-233 the model's key is kept in the secret store, and an empty one deletes it")
    func key() async throws {
        let world = try await start()
        #expect(try await world.lens.modelKey.read()?.reveal() == LensOptions.modelKey)
        try await world.lens.modelKey.write("")
        #expect(try await world.lens.modelKey.read() == nil)
        let error = await #expect(throws: LiveModelError.self) {
            try await world.onPhone { try await $0.startStreaming() }
        }
        #expect(error?.code == .missingKey)
    }
}

@Suite("Uploads under plans of faults")
struct UploadPlanTests {
    @Test func `photos survive whatever a drawn plan does to the network`() {
        let program = LensUpload().program
        for seed in 1...15 as ClosedRange<UInt64> {
            let run = program.run(Recipe(seed: seed, strategy: .portfolio, plan: "swarm"))
            #expect(run.failure == nil, "seed \(seed): \(run.failure?.message ?? "")")
        }
    }

    @Test func `a plan that cuts the phone off forever is noticed until it is healed`() throws {
        let plan = """
            version: 1
            events:
              - { at: 0, do: isolate, on: [phone] }
            """
        let run = LensUpload().program.run(
            Recipe(seed: 3, plan: plan),
            recording: .everything
        )
        #expect(run.failure == nil)
        #expect(run.report?.firings.contains { $0.source == "plan 1 isolate" } == true)
    }
}

@Suite("Streams under plans of faults")
struct StreamPlanTests {
    // Under this seed's swarm nothing is said in half a minute.
    @Test func `a stream whose model has said nothing is checked like any other`() {
        let run = LensStreaming().program.run(Recipe(seed: 104, strategy: .portfolio, plan: "swarm"))
        #expect(run.failure == nil)
    }
}

@Suite("Uploads under power cuts")
struct PowerCutScenarioTests {
    @Test func `a photo that was taken survives a power cut at any write of the database`() {
        let program = LensPowerCut().program
        var cuts = 0
        for seed in 1...25 as ClosedRange<UInt64> {
            let run = program.run(Recipe(seed: seed, strategy: .portfolio), recording: .everything)
            #expect(run.failure == nil, "seed \(seed): \(run.failure?.message ?? "")")
            cuts += run.trace?.events.count { $0.kind == "fault" && $0.detail == "power off phone" } ?? 0
        }
        #expect(cuts > 25, "the power goes more than once in a run")
    }

    @Test func `when the power goes while the phone starts, it is started again`() {
        let program = LensPowerCut().program
        let hits = (1...25 as ClosedRange<UInt64>).map { seed in
            let run = program.run(Recipe(seed: seed, strategy: .portfolio))
            #expect(run.failure == nil, "seed \(seed): \(run.failure?.message ?? "")")
            return run.report?.checks.first { $0.name == "the power goes while the phone starts" }?.hits ?? 0
        }
        #expect(hits.contains { $0 > 0 })
    }

    @Test func `on a disk that ignores syncs the scenario fails, and the same way each time`() {
        let program = LensPowerCut().program
        let lie =
            "{version: 1, disks: [{node: phone, faults: {ignored sync: 1, lost write: 0.5, torn write: 0.2}}]}"
        var failures = 0
        for seed in 1...12 as ClosedRange<UInt64> {
            let recipe = Recipe(seed: seed, strategy: .portfolio, plan: lie)
            let (one, other) = (program.run(recipe), program.run(recipe))
            if one.failure != nil { failures += 1 }
            #expect(one.failure == other.failure)
            #expect(one.hash == other.hash)
        }
        #expect(failures > 6)
    }
}
