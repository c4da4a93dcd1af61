import PPPP
import Services
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

@Suite("Veepa camera: connecting", .simulated(seeds: 1...10))
struct ConnectionTests {
    @Test(
        "LENS-062 a camera is found, shakes hands, logs in and is connected, in this order, streams, and hears when it is over"
    )
    func connects() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        let states = Box<[VeepaConnectionState]>([])
        let watched = camera.connectionStates()
        let watching = Task { for await state in watched { states.append(state) } }
        #expect(await camera.latestFrame() == nil)
        try await camera.connect()
        await #expect(throws: CameraError.sessionAlreadyRunning) { try await camera.connect() }
        let frames = await camera.frames(20)
        #expect(frames.count == 20)
        #expect(
            frames.allSatisfy {
                TestFrame.number(of: $0) != nil && $0.size == PixelSize(width: 640, height: 480)
            }
        )
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $1.sequence == $0.sequence + 1 })
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $1.timestamp > $0.timestamp })
        await camera.disconnect()
        await camera.disconnect()
        #expect(await camera.latestFrame() == nil)
        try await Task.sleep(for: .seconds(1))
        watching.cancel()
        await watching.value
        #expect(
            states.value == [
                .disconnected(nil), .searching, .handshaking, .loggingIn, .connected, .disconnected(nil),
            ]
        )
        let record = world.simulator.record
        #expect(record.sessions == 1 && record.openSessions == 0 && record.closes == 1 && record.logins == 1)
        // The request to stop may be lost behind the close, which says the same.
        #expect(record.requests.prefix(2) == ["get_status.cgi", "livestream.cgi"])
        await running.stop()
    }

    @Test func `the outcome of the first attempt is reported once, whatever becomes of the connection`()
        async throws
    {
        let world = VeepaWorld()
        let running = try await world.start()
        func outcomes(_ password: String, cancelledAfter life: Duration) async -> [Bool] {
            let engine = VeepaEngine(world.network.host("phone"), VeepaOptions())
            let told = Box<[Bool]>([])
            var credentials = VeepaWorld.credentials
            credentials.password = Secret(password)
            let running = Task { [credentials] in
                await engine.run(credentials) { result in told.append((try? result.get()) != nil) }
            }
            try? await Task.sleep(for: life)
            running.cancel()
            await running.value
            return told.value
        }
        #expect(await outcomes(VeepaWorld.password, cancelledAfter: .seconds(20)) == [true])
        #expect(await outcomes("wrong", cancelledAfter: .seconds(20)) == [false])
        #expect(await outcomes(VeepaWorld.password, cancelledAfter: .zero) == [false])
        await running.stop()
        // Lost, and cancelled while it is tried again.
        let engine = VeepaEngine(world.network.host("phone"), VeepaOptions())
        let second = try await world.start()
        let told = Box<[Bool]>([])
        let life = Task { await engine.run(VeepaWorld.credentials) { told.append((try? $0.get()) != nil) } }
        try await Task.sleep(for: .seconds(10))
        await second.stop()
        try await Task.sleep(for: .seconds(60))
        life.cancel()
        await life.value
        #expect(told.value == [true])
    }

    @Test("LENS-078 once a camera is connected its video is started once, and frames come")
    func startsOnce() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        #expect(world.simulator.record.requests == ["get_status.cgi", "livestream.cgi"])
        #expect(await camera.frames(30).count == 30)
        #expect(world.simulator.record.requests == ["get_status.cgi", "livestream.cgi"])
        await camera.disconnect()
        await running.stop()
    }

    @Test("LENS-081 the newest frame is there at once, and none before the first")
    func newest() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        #expect(await camera.latestFrame() == nil)
        try await camera.connect()
        let frames = camera.frames(limit: 32)
        for _ in 0..<5 {
            let next = try #require(await frames.next())
            let latest = try #require(await camera.latestFrame())
            #expect(
                TestFrame.number(of: latest) == TestFrame.number(of: next) && latest.sequence == next.sequence
            )
            #expect(TestFrame.number(of: latest) != nil)
        }
        await camera.disconnect()
        await running.stop()
    }

    @Test("LENS-083 no frame comes after a disconnect, not even one that was waiting, and none is kept")
    func noFrameAfterwards() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        let frames = camera.frames(limit: 32)
        _ = await camera.frames(5)
        await camera.disconnect()
        #expect(await frames.next() == nil, "a frame after the disconnect")
        #expect(await camera.frames(limit: 1).next() == nil, "a frame without a connection")
        #expect(await camera.latestFrame() == nil, "a frame that was kept")
        await running.stop()
    }

    @Test(
        "LENS-079 LENS-080 two readers see the newest frame each for itself; one that is slow misses the oldest, and delays nobody"
    )
    func readers() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        let slow = camera.frames(limit: 3)
        let start = ContinuousClock.now
        let quick = await camera.frames(30)
        #expect(ContinuousClock.now - start < .milliseconds(3_200), "ten frames a second")
        let newest = try #require(await camera.latestFrame())
        var late: [Int] = []
        while late.count < 3, let frame = await slow.next() { late.append(frame.sequence) }
        #expect(slow.dropped == newest.sequence - 2)
        #expect(quick.map(\.sequence) == Array(quick[0].sequence..<quick[0].sequence + 30))
        #expect(late == Array(newest.sequence - 2...newest.sequence))
        await camera.disconnect()
        await running.stop()
    }

    @Test(arguments: [nil, "vstarcam2019", "veepai2024"] as [String?], [false, true])
    func `packets take the form that the camera understands, whatever its ID suggests`(
        key: String?,
        takesClear: Bool
    ) async throws {
        let world = VeepaWorld {
            $0.cipher = key.map { PacketCipher(key: $0) }
            $0.takesClearPackets = takesClear
        }
        let running = try await world.start()
        // Without a key for the product line, all keys that are known are tried.
        var credentials = VeepaWorld.credentials
        if let key { credentials.service = ServiceParameter(servers: [], key: key) }
        let camera = world.client(credentials: credentials)
        try await camera.connect()
        #expect(await camera.frames(3).count == 3)
        await camera.disconnect()
        await running.stop()
    }

    // MARK: What goes wrong

    @Test func `without credentials nobody is asked`() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client(credentials: nil)
        #expect(await camera.connectionFailure()?.code == .credentialsMissing)
        #expect(world.simulator.record.searches == 0)
        await running.stop()
    }

    @Test(
        "why the credentials cannot be read is what connecting throws",
        arguments: [
            CameraError.unknown(SecretStoreError.busy(path: "keys")), .deviceNotFound,
            .unknown(CancellationError()),
        ]
    )
    func unreadable(_ error: CameraError) async throws {
        let world = VeepaWorld()
        for thrown in [error, (error.cause ?? error)] as [any Error] {
            let camera = VeepaCamera(network: world.network.host("phone")) { throw thrown }
            await #expect(throws: error) { try await camera.connect() }
            // The next call is a new attempt.
            await #expect(throws: error) { try await camera.connect() }
        }
    }

    @Test func `a camera that is not there is not found, within the time for it`() async throws {
        let world = VeepaWorld()
        let camera = world.client()
        let start = ContinuousClock.now
        let failure = await camera.connectionFailure()
        #expect(failure?.code == .notFound && failure?.camera == "VSTK-123456-ABCDE")
        #expect((.seconds(14) ..< .seconds(17)).contains(start.duration(to: .now)))
        #expect(camera.connectionState == .disconnected(failure))
        #expect(await camera.latestFrame() == nil)
    }

    @Test func `a camera with another ID is not used, and not told the password`() async throws {
        let world = VeepaWorld { $0.id = DeviceID("VSTK-123457-ABCDE") ?? $0.id }
        let running = try await world.start()
        let camera = world.client()
        #expect(await camera.connectionFailure()?.code == .notFound)
        let record = world.simulator.record
        #expect(record.searches > 5 && record.sessions == 0 && record.requests == [])
        #expect(await camera.statistics.foreign > 5)
        await running.stop()
    }

    @Test(
        "LENS-063 a handshake that is never answered times out: the camera is not connected, and has no frame"
    )
    func neverReady() async throws {
        let world = VeepaWorld()
        world.arm("veepa.ready.mute")
        let running = try await world.start()
        let camera = world.client()
        let failure = await camera.connectionFailure()
        #expect(failure?.code == .timedOut)
        #expect(camera.connectionState == .disconnected(failure))
        #expect(await camera.latestFrame() == nil)
        await running.stop()
    }

    @Test(
        "LENS-064 a wrong password is an error of its own, told from silence, and the camera is not connected",
        arguments: [false, true]
    )
    func wrongPassword(isSilent: Bool) async throws {
        let world = VeepaWorld { $0.isSilentToStrangers = isSilent }
        let running = try await world.start()
        let wrong = VeepaCredentials(id: VeepaWorld.id, user: "admin", password: Secret("not-the-word"))
        let camera = world.client(credentials: wrong)
        let failure = await camera.connectionFailure()
        #expect(failure?.code == (isSilent ? .timedOut : .authenticationRejected))
        #expect(camera.connectionState == .disconnected(failure))
        #expect(!"\(String(describing: failure))".contains("not-the-word"))
        #expect(world.simulator.record.logins == 0 && world.simulator.record.rejections > 0)
        // It is not tried again: the user has to say something else.
        let requests = world.simulator.record.requests.count
        try await Task.sleep(for: .seconds(60))
        #expect(world.simulator.record.requests.count == requests)
        await running.stop()
    }

    @Test func `a camera that has as many users as it takes says so`() async throws {
        let world = VeepaWorld { $0.mostUsers = 1 }
        let running = try await world.start()
        let (one, other) = (world.client(), world.client())
        try await one.connect()
        #expect(await other.connectionFailure()?.code == .busy)
        await one.disconnect()
        try await Task.sleep(for: .seconds(1))
        try await other.connect()
        await other.disconnect()
        await running.stop()
    }

    // MARK: Giving up

    @Test func `an attempt can be given up at any moment`() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        for delay in [0, 1, 3, 5, 9, 13, 20, 40, 60, 90] {
            let start = ContinuousClock.now
            let attempt = Task { () async -> CameraError? in
                do throws(CameraError) { try await camera.connect() } catch { return error }
                return nil
            }
            try await Task.sleep(for: .milliseconds(delay))
            if delay.isMultiple(of: 2) { attempt.cancel() } else { await camera.disconnect() }
            // What had succeeded before stays so.
            if let failure = await attempt.value {
                #expect(failure == .unknown(CancellationError()))
            } else {
                await camera.disconnect()
            }
            #expect(start.duration(to: .now) < .seconds(1))
            #expect(camera.connectionState == .disconnected(nil))
            #expect(await camera.latestFrame() == nil)
        }
        try await camera.connect()
        #expect(await camera.frames(3).count == 3)
        await camera.disconnect()
        try await Task.sleep(for: .seconds(10))
        #expect(world.simulator.record.openSessions == 0)
        await running.stop()
    }

    @Test func `who connects while another call still disconnects gets frames`() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        for _ in 0..<4 {
            try await camera.connect()
            let ending = Task { await camera.disconnect() }
            await Task.yield()
            // The end may come before this, or after it.
            let failure = await camera.connectionFailure()
            await ending.value
            if failure == nil, camera.connectionState == .connected {
                #expect(await camera.frames(2).count == 2)
            }
            await camera.disconnect()
            #expect(camera.connectionState == .disconnected(nil))
        }
        await running.stop()
    }

    @Test func `a failure is that of one attempt, and the next call tries again`() async throws {
        let world = VeepaWorld()
        world.arm("veepa.login.rejected", atMost: 1)
        let running = try await world.start()
        let camera = world.client()
        #expect(await camera.connectionFailure()?.code == .authenticationRejected)
        try await camera.connect()
        #expect(await camera.frames(2).count == 2)
        await camera.disconnect()
        await running.stop()
    }

    @Test func `a camera object that is released ends its session`() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        do {
            let camera = world.client()
            try await camera.connect()
            #expect(await camera.frames(2).count == 2)
        }
        try await Task.sleep(for: .seconds(10))
        #expect(world.simulator.record.openSessions == 0 && world.simulator.record.closes == 1)
        await running.stop()
    }

    // MARK: Commands

    @Test func `status, pictures and Wi-Fi networks are asked for while frames come`() async throws {
        let world = VeepaWorld {
            $0.networks = [
                .init(name: "Home; \"5G\" & more", password: "secret=&word"),
                .init(name: "Café", password: "x"),
            ]
        }
        let running = try await world.start()
        let camera = world.client()
        await #expect(throws: VeepaConnectionError.self) { try await camera.readStatus() }
        try await camera.connect()
        #expect(try await camera.readStatus().mostUsers == 4)
        let picture = try await camera.takeSnapshot()
        #expect(picture.starts(with: [0xFF, 0xD8]) && picture.suffix(2) == [0xFF, 0xD9])
        let networks = try await camera.scanWiFi()
        #expect(networks.map(\.name) == ["Home; \"5G\" & more", "Café"])
        #expect(networks.map(\.security) == [4, 4] && networks.map(\.channel) == [6, 6])
        do throws(VeepaConnectionError) {
            try await camera.join(networks[0], password: Secret("wrong"))
            Issue.record("a wrong password of a network is taken")
        } catch { #expect(error.code == .refused) }
        do throws(VeepaConnectionError) {
            try await camera.join(networks[0], password: Secret("x/reboot.cgi?"))
            Issue.record("a password that names a program is sent")
        } catch { #expect(error.code == .invalidValue && !"\(error)".contains("reboot")) }
        try await camera.join(networks[0], password: Secret("secret=&word"))
        #expect(world.simulator.record.joinedNetwork == networks[0].name)
        await camera.disconnect()
        await running.stop()
    }
}

@Suite("Veepa camera: hard networks", .simulated(seeds: 1...10))
struct HardNetworkTests {
    @Test func `with loss, duplicates and disorder every frame that comes is whole, and most come`()
        async throws
    {
        let world = VeepaWorld(conditions: VeepaWorld.hardship)
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        let frames = await camera.frames(60)
        #expect(frames.count == 60)
        #expect(frames.allSatisfy { TestFrame.number(of: $0) != nil })
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $1.sequence > $0.sequence })
        let statistics = await camera.statistics
        #expect(statistics.badFrames == 0 && statistics.malformed == 0)
        await camera.disconnect()
        try await Task.sleep(for: .seconds(15))
        #expect(world.simulator.record.openSessions == 0)
        await running.stop()
    }

    @Test func `a camera that restarts is found again, at another port, with the same credentials`()
        async throws
    {
        let world = VeepaWorld(conditions: VeepaWorld.hardship)
        let running = try await world.start()
        let loads = Box(0)
        let camera = VeepaCamera(network: world.network.host("phone")) {
            loads.set(loads.value + 1)
            return VeepaWorld.credentials
        }
        let (states, watched) = (Box<[CameraState]>([]), camera.states())
        let watching = Task { for await state in watched { states.append(state) } }
        try await camera.connect()
        #expect(await camera.frames(5).count == 5)
        await running.stop()
        #expect(await camera.reaches { if case .reconnecting = $0 { true } else { false } })
        #expect(await camera.latestFrame() == nil)
        if case .reconnecting(let reason, let attempt) = camera.connectionState {
            #expect(reason.code == .linkLost && attempt == 1)
        }
        try await Task.sleep(for: .seconds(20))
        let again = try await world.start()
        #expect(again.sessionAddress != running.sessionAddress)
        #expect(await camera.reaches { $0 == .connected })
        #expect(await camera.frames(5).count == 5)
        #expect(loads.value == 1)
        await camera.disconnect()
        try await Task.sleep(for: .seconds(1))
        watching.cancel()
        await watching.value
        #expect(states.value.count == 5)
        if case .lost(let error) = states.value[2] { #expect(error.veepa?.code == .linkLost) }
        #expect(
            [states.value[0], states.value[1], states.value[3], states.value[4]]
                == [.disconnected, .connected, .connected, .disconnected]
        )
        await again.stop()
    }

    @Test func `a password that is changed meanwhile ends the attempts`() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        await running.stop()
        world.simulator.reconfigure { $0.password = "another" }
        let again = try await world.start()
        #expect(
            await camera.reaches {
                if case .disconnected(let reason?) = $0 {
                    reason.code == .authenticationRejected
                } else {
                    false
                }
            }
        )
        await again.stop()
    }

    @Test func `a network that is cut for a while is got over`() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        world.network.partition(["phone"], ["camera"])
        try await Task.sleep(for: .seconds(5))
        world.network.heal()
        #expect(await camera.frames(20).count == 20)
        #expect(world.simulator.record.sessions == 1)
        world.network.partition(["phone"], ["camera"])
        try await Task.sleep(for: .seconds(30))
        #expect(await camera.latestFrame() == nil)
        world.network.heal()
        #expect(await camera.reaches { $0 == .connected })
        #expect(await camera.frames(5).count == 5)
        await camera.disconnect()
        await running.stop()
    }
}

extension CameraError {
    /// What it is about, where that is something else.
    fileprivate var cause: (any Error)? { if case .unknown(let cause) = self { cause } else { nil } }
}
