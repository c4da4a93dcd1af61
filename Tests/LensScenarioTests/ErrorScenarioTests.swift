import AppKernel
import Concurrency
import Foundation
import HTTPTypes
import Lens
import LensScenarios
import LensScreens
import ScenarioKit
import Services
import SimulatedDevice
import SimulatedDisk
import SimulatedTransport
import Simulation
import SimulationTesting
import SupabaseStorage
import Testing
import Transport
import VeepaCamera

@Suite("Errors of the services, as the app meets them", .timeLimit(.minutes(10)))
struct ErrorScenarioTests {
    /// An error of a row of the checklist: the kind that is proposed, what it is here, and how the app comes to it.
    struct Proposed: Sendable, CustomTestStringConvertible {
        typealias Reach = @Sendable (LensWorld) async throws -> (any Error)?

        var kind: String
        var code: String
        var hasStore = true
        var reach: Reach

        init(_ kind: String, _ code: String, hasStore: Bool = true, _ reach: @escaping Reach) {
            (self.kind, self.code, self.hasStore, self.reach) = (kind, code, hasStore, reach)
        }

        var testDescription: String { "\(kind): \(code)" }
    }

    /// The type and the case of an error.
    private static func name(_ error: (any Error)?) -> String {
        switch error {
        case let error as LiveModelError: "LiveModelError.\(error.code)"
        case let error as ChatModelError: "ChatModelError.\(error.code)"
        case let error as UploadError: "UploadError.\(error.code)"
        case let error as CameraError where error.needsSetUp: "CameraNotSetUp"
        case let error as CameraError: error.veepa.map { "VeepaConnectionError.\($0.code)" } ?? "\(error)"
        default: "\(String(describing: error))"
        }
    }

    @Test(
        """
        LENS-238 errors of the assistant, of uploads and of the Wi-Fi camera are typed; each proposed case is reached, and reads as \
        a sentence for people and as one for developers
        """,
        .simulated(seeds: 1...2),
        arguments: assistant + chat + uploads + cameras
    )
    func typed(proposed: Proposed) async throws {
        var options = LensOptions()
        options.networkCamera = .simulated(isSetUp: true)
        options.autoUpload = false
        options.scene = .prepared(try PreparedFrames.make(size: options.size))
        if !proposed.hasStore {
            options.adjust = {
                let none = SupabaseConfiguration(projectURL: nil, bucket: LensOptions.bucket, key: nil)
                $0.objects = SupabaseObjectStore(none, client: NoNetwork())
            }
        }
        let world = try await LensWorld.start(options)
        let error = try await proposed.reach(world)
        #expect(Self.name(error) == proposed.code)
        let found = try #require(error)
        for text in [found.localizedDescription, "\(found)"] {
            #expect(text.count(where: \.isLetter) > 10 && text.contains(" "), "\(text)")
            #expect(!text.contains("could not be completed") && !text.contains("unexpected"), "\(text)")
        }
        #expect(found.localizedDescription.first?.isUppercase == true, "\(found.localizedDescription)")
        #expect(!"\(found) \(found.localizedDescription)".contains(LensOptions.modelKey))
        world.network.heal()
        try await world.shutdown()
    }

    // MARK: Reaching errors

    /// What an action fails with on the phone.
    private static func failure(
        _ world: LensWorld,
        _ action: @escaping @Sendable (LensApp) async throws -> Void
    ) async throws -> (any Error)? {
        try await world.onPhone { lens in
            do {
                try await action(lens)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Why a question gets no answer.
    private static func unanswered(_ world: LensWorld) async throws -> (any Error)? {
        try await world.onPhone { try await $0.say("What is it?") }
        while world.lens.chat.state.value.isAnswering { try await Task.sleep(for: .milliseconds(100)) }
        guard case .model(let error)? = world.lens.chat.state.value.failure else { return nil }
        return error
    }

    private static func refusedStream(_ world: LensWorld) async throws -> (any Error)? {
        try await failure(world) { try await $0.startStreaming() }
    }

    /// Why the upload of a photo failed.
    private static func failedUpload(_ world: LensWorld) async throws -> (any Error)? {
        let item = try await world.onPhone { lens in
            try await lens.camera.connect()
            return try await lens.capturePhoto()
        }
        return try await failedUpload(of: item, world)
    }

    private static func failedUpload(of item: MediaItem, _ world: LensWorld) async throws -> (any Error)? {
        try await world.onPhone { _ = try $0.uploads.add(item) }
        for _ in 0..<600 {
            try await Task.sleep(for: .seconds(1))
            let status = world.lens.uploads.statuses.all.value[item.id]
            if case .failed(let error, _, _)? = status { return error }
        }
        return nil
    }

    /// Why the Wi-Fi camera cannot be used.
    private static func refusedCamera(_ world: LensWorld) async throws -> (any Error)? {
        try await failure(world) { try await $0.camera.switchTo(.veepaWiFi) }
    }

    // MARK: The row

    static let assistant: [Proposed] = [
        Proposed("missing key", "LiveModelError.missingKey") { world in
            try await world.onPhone { try await $0.modelKey.write(nil) }
            return try await refusedStream(world)
        },
        Proposed("invalid key", "LiveModelError.invalidKey") { world in
            try await world.onPhone { try await $0.modelKey.write("another") }
            return try await refusedStream(world)
        },
        Proposed("not connected", "LiveModelError.closed") { world in
            try await failure(world) { try await $0.stream.say("Hello?") }
        },
        Proposed("handshake", "LiveModelError.unavailable") { world in
            world.base.arm("gemini.handshake.refused", values: ["status": 503])
            return try await refusedStream(world)
        },
        Proposed("cancelled", "LiveModelError.cancelled") { world in
            try await failure(world) { lens in
                let starting = Task { try await lens.startStreaming() }
                try await Task.sleep(for: .milliseconds(1))
                await lens.stopStreaming()
                try await starting.value
            }
        },
    ]

    static let chat: [Proposed] = [
        Proposed("missing key", "ChatModelError.missingKey") { world in
            try await world.onPhone { try await $0.modelKey.write(nil) }
            return try await unanswered(world)
        },
        Proposed("invalid key", "ChatModelError.invalidKey") { world in
            try await world.onPhone { try await $0.modelKey.write("another") }
            return try await unanswered(world)
        },
        Proposed("not connected", "ChatModelError.unreachable") { world in
            world.base.goOffline()
            return try await unanswered(world)
        },
        Proposed("rate limited", "ChatModelError.quotaExceeded") { world in
            world.base.arm("gemini.generate.quota", values: ["retryDelay": 3600])
            return try await unanswered(world)
        },
        Proposed("server(503)", "ChatModelError.unavailable") { world in
            world.base.arm("gemini.generate.overloaded")
            let error = try await unanswered(world)
            #expect((error as? ChatModelError)?.status == 503)
            return error
        },
        Proposed("decode", "ChatModelError.malformed") { world in
            world.base.arm("gemini.generate.malformed")
            return try await unanswered(world)
        },
    ]

    static let uploads: [Proposed] = [
        Proposed("not configured", "UploadError.notConfigured", hasStore: false) { world in
            try await failedUpload(world)
        },
        Proposed("file missing", "UploadError.fileMissing") { world in
            let item = try await world.onPhone { lens in
                try await lens.camera.connect()
                return try await lens.capturePhoto()
            }
            try world.base.disk.remove(item.url.path)
            return try await failedUpload(of: item, world)
        },
        Proposed("too large", "UploadError.tooLarge") { world in
            world.base.arm("supabase.upload.refused", values: ["status": 413])
            return try await failedUpload(world)
        },
        Proposed("auth", "UploadError.unauthorized") { world in
            world.base.arm("supabase.upload.refused", values: ["status": 401])
            return try await failedUpload(world)
        },
        Proposed("network", "UploadError.network") { world in
            world.network.partition(["phone"], ["supabase"])
            return try await failedUpload(world)
        },
        Proposed("server", "UploadError.server") { world in
            world.base.arm("supabase.upload.refused", values: ["status": 500])
            return try await failedUpload(world)
        },
    ]

    static let cameras: [Proposed] = [
        Proposed("credentials missing", "CameraNotSetUp") { world in
            try await world.onPhone { try await $0.forgetNetworkCamera() }
            return try await refusedCamera(world)
        },
        // The app asks for them before; another one may not.
        Proposed("credentials missing", "VeepaConnectionError.credentialsMissing") { world in
            let camera = VeepaCamera(network: world.network.host("phone")) { nil }
            return try await failure(world) { _ in try await camera.connect() }
        },
        Proposed("peer not found", "VeepaConnectionError.notFound") { world in
            await world.wifiCamera?.turnOff()
            return try await refusedCamera(world)
        },
        Proposed("auth rejected", "VeepaConnectionError.authenticationRejected") { world in
            await world.wifiCamera?.turnOff()
            world.wifiCamera?.changePassword(to: "another")
            try await world.wifiCamera?.turnOn()
            return try await refusedCamera(world)
        },
        Proposed("timeout", "VeepaConnectionError.timedOut") { world in
            world.base.arm("veepa.reply.mute")
            return try await refusedCamera(world)
        },
        Proposed("link lost", "VeepaConnectionError.linkLost") { world in
            try await world.onPhone { lens in
                try await lens.camera.switchTo(.veepaWiFi)
                let source = try #require(await lens.camera.currentSource)
                world.base.arm("veepa.session.close")
                for await state in source.states() {
                    if case .lost(let error) = state { return error }
                }
                return nil
            }
        },
    ]
}

/// A client that must not be used.
private struct NoNetwork: HTTPClient {
    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        Issue.record("\(request.path ?? "") is asked for")
        throw TransportError(.unreachable, operation: "send", peer: "nobody")
    }
}
