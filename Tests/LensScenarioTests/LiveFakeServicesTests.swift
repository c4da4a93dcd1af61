import FakeCamera
import LensScenarios
import PPPP
import PeerKit
import ScenarioKit
import Services
import SupabaseServer
import SupabaseStorage
import TestSupport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// The fakes of store and camera as programs use them: on sockets, with the real clients unchanged.
@Suite("Fakes of store and camera over real sockets", .timeLimit(.minutes(2)))
struct LiveFakeServicesTests {
    @Test(
        "LENS-252 a fake store in memory or on disk fails and is late by script and has what was uploaded, and a simulated camera gives its pictures to the real client, over real sockets"
    )
    func parts() async throws {
        try await store(in: nil)
        let folder = try TemporaryFolder()
        try await store(in: folder.path)
        // What is on the disk is there for the next one.
        let next = try LensServers(LensOptions(), storeFolder: folder.path)
        #expect(next.supabase.objects(in: LensOptions.bucket).map(\.bytes) == [[1, 2, 3]])
        try await camera()
    }

    private func store(in folder: String?) async throws {
        let servers = try LensServers(LensOptions(), storeFolder: folder)
        let (server, hosted) = (servers.supabase, try await LoopbackPeers.start(servers.peers))
        let addresses = LensAddresses(hosted.authority)
        let store = SupabaseObjectStore(
            SupabaseConfiguration(
                projectURL: addresses.store.place,
                bucket: LensOptions.bucket,
                key: addresses.store.key
            ),
            client: hosted.transport
        )
        let key = ObjectKey("photos/a.jpg")
        try server.faults.arm("supabase.upload.refused", values: ["status": 500], atMost: 1)
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store.put([1, 2, 3], at: key, contentType: "image/jpeg")
        }
        #expect(error?.code == .serverError && server.objects(in: LensOptions.bucket).isEmpty)
        try server.faults.arm("http.slow", values: ["seconds": 0.2], atMost: 1)
        let begun = ContinuousClock.now
        try await store.put([1, 2, 3], at: key, contentType: "image/jpeg")
        #expect(ContinuousClock.now - begun >= .milliseconds(200))
        #expect(server.objects(in: LensOptions.bucket).map(\.bytes) == [[1, 2, 3]])
        #expect(server.events.map(\.kind) == [.created] && server.requestCount == 2)
        #expect(try await store.get(key, upTo: 10) == [1, 2, 3])
        await hosted.stop()
    }

    private func camera() async throws {
        let hosted = try await LoopbackPeers.start([:])
        let id = try #require(DeviceID("VSTK-123456-ABCDE"))
        let drawn = FakeCamera(.init(size: PixelSize(width: 160, height: 96), format: .jpeg(quality: 60)))
        let pictures: [[UInt8]] = (0..<3).compactMap { number in
            if case .jpeg(let file) = drawn.frame(number).content { file } else { nil }
        }
        let simulator = VeepaCameraSimulator(VeepaCameraSettings(id: id, password: "pass&word=1")) {
            pictures[$0 % pictures.count]
        }
        let running = try await simulator.start(on: hosted.transport, at: .loopback())
        var options = VeepaOptions()
        options.localAddress = .loopback()
        options.searchTargets = [running.address]
        let camera = VeepaCamera(network: hosted.transport, options: options) {
            VeepaCredentials(id: id, user: "admin", password: Secret("pass&word=1"))
        }
        try await camera.connect()
        let frame = try #require(await camera.frames(limit: 4).next())
        guard case .jpeg(let file) = frame.content else {
            Issue.record("the picture is no JPEG file")
            return
        }
        #expect(pictures.contains(file))
        await camera.disconnect()
        await running.stop()
        await hosted.stop()
    }
}
