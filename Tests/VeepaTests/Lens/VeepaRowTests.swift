import AppKernel
import Concurrency
import FakeCamera
import Lens
import PPPP
import PeerKit
import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// What Lens expects of a Wi-Fi camera.
@Suite("Veepa camera of Lens", .simulated(seeds: 1...10))
struct VeepaRowTests {
    @Test(
        "LENS-057 the engine is made when it is first needed, once for all, under its name, and no call passes it before it runs"
    )
    func engine() async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let journal = Box<[String]>([])
        let engine = DeviceEngine { () throws(CameraError) in
            journal.append("start")
            try? await Task.sleep(for: .seconds(1))
            journal.append("ready")
            return JournaledCameras(VeepaCameras(network: world.network.host("phone")), journal)
        }
        #expect(DeviceEngine.name == "veepa_camera")
        let (events, told) = (Box<[DeviceEngine.State]>([]), engine.state)
        let watching = Task { for await state in told.values() { events.append(state) } }
        let key = CameraKey(InMemorySecretStore())
        try key.write(
            CameraCredentials(
                device: "\(VeepaWorld.id)",
                user: "admin",
                password: Secret(VeepaWorld.password)
            )
        )
        let camera = NetworkCamera(engine, key)
        let router = CameraRouter(factories: [.local: { _ in FakeCamera() }, .veepaWiFi: camera.make])

        // An app that is used without the camera has no engine.
        try await router.switchTo(.local)
        try await Task.sleep(for: .seconds(5))
        #expect(journal.value == [] && engine.state.value == .absent)

        // Calls at once share it, and wait until it runs.
        let found = Box(0)
        try await withThrowingTaskGroup { group in
            group.addTask { try await router.switchTo(.veepaWiFi) }
            group.addTask { try await camera.search(for: .seconds(3)) { _ in found.increment() } }
            group.addTask { _ = try await engine.cameras() }
            try await Task.sleep(for: .milliseconds(900))
            #expect(journal.value == ["start"] && engine.state.value == .starting)
            #expect(world.simulator.record.searches == 0, "nothing is sent before the engine runs")
            try await group.waitForAll()
        }
        #expect(journal.value.prefix(2) == ["start", "ready"])
        #expect(Set(journal.value.dropFirst(2)) == ["camera", "search"])
        #expect(found.value == 1 && world.simulator.record.searches > 0)
        #expect(router.status.value.state == .connected)

        // It stays, whichever camera is chosen, and is never made again.
        try await router.switchTo(.local)
        #expect(engine.state.value == .running)
        try await router.switchTo(.veepaWiFi)
        try await camera.search(for: .seconds(1)) { _ in }
        #expect(journal.value.filter { $0 == "start" }.count == 1)
        watching.cancel()
        await watching.value
        #expect(events.value == [.absent, .starting, .running])
        await router.disconnect()
        await running.stop()
    }

    /// Why nobody answers for an ID, in the same network or from afar.
    enum Absence: CaseIterable {
        case cameraIsOff, anotherID
    }

    @Test(
        "LENS-065 a camera that is off, and an ID that no camera has, are an error of their own",
        arguments: Absence.allCases
    )
    func notFound(_ absence: Absence) async throws {
        let world = VeepaWorld { if absence == .anotherID { $0.id = DeviceID("VSTK-123457-ABCDE") ?? $0.id } }
        let running = try await world.start()
        if absence == .cameraIsOff { await running.stop() }
        let camera = world.client()
        let failure = try #require(await camera.connectionFailure())
        #expect(failure.code == .notFound && failure.camera == "\(VeepaWorld.id)")
        #expect(failure.isTransient && "\(failure)".contains("\(VeepaWorld.id)"))
        #expect(camera.connectionState == .disconnected(failure))
        #expect(await camera.latestFrame() == nil)
        // A camera that answers, and then does not do what it should, is distinguished from one that is not there.
        for point in [
            "veepa.ready.mute", "veepa.login.rejected", "veepa.login.full", "veepa.login.otherCamera",
        ] {
            let other = VeepaWorld()
            other.arm(point)
            let answering = try await other.start()
            let code = await other.client().connectionFailure()?.code
            #expect(code != nil && code != .notFound, "\(point)")
            Simulation.current?.disarm(faultPoint: point)
            await answering.stop()
        }
        if absence == .anotherID { await running.stop() }
    }

    @Test(
        "from afar a camera that is off, and an ID that no camera has, are told apart by what the directory says",
        arguments: zip(Absence.allCases, [Packet.Verdict.offline, .unknown])
    )
    func notFoundFromAfar(_ absence: Absence, verdict: Packet.Verdict) async throws {
        let other = DeviceID("VSTK-123457-ABCDE") ?? VeepaWorld.id
        let world = try await RemoteWorld(
            phone: .fullCone,
            home: .fullCone,
            id: absence == .anotherID ? other : VeepaWorld.id
        )
        let running = try await world.simulator.start(on: world.home)
        try await Task.sleep(for: .seconds(5))
        if absence == .cameraIsOff {
            await running.stop()
            // The directory waits this long for one that logs in again and again.
            try await Task.sleep(for: .seconds(40))
        }
        let camera = world.client()
        let failure = try #require(await camera.connectionFailure())
        #expect(failure.code == .notFound && failure.camera == "\(VeepaWorld.id)")
        #expect(failure.detail == "a directory says that it is \(verdict)")
        #expect(failure.isTransient && camera.connectionState == .disconnected(failure))
        #expect(await camera.latestFrame() == nil && world.simulator.record.sessions == 0)
        if absence == .anotherID { await running.stop() }
        await world.directory.stop()
    }

    /// What happens to packets on their way.
    enum Damage: String, CaseIterable {
        case corrupt, truncated, duplicate, late, swapped
        case corruptFrame, truncatedFrame
        // In whole packets.
        case magic, kind, tooLong, tooShort
        case beginning, marker, segment, height, ending

        /// What it makes of the stream's piece with a whole frame's beginning, or with its end.
        func damage(_ piece: inout [UInt8], isEnd: Bool) -> Bool {
            // The media header has 32 bytes; the picture's tables begin 2 behind it, its size 10.
            let change: (place: Int, byte: UInt8)? =
                switch self {
                case .magic: (3, 0xA9)
                case .kind: (4, 0x55)
                case .tooLong: (17, 0xFF)
                case .tooShort: (17, 0x01)
                case .beginning: (33, 0)
                case .marker: (35, 0)
                case .segment: (36, 0xFF)
                case .height: (32 + 15, 0xFF)
                case .ending: nil
                default: nil
                }
            if self == .ending, isEnd {
                piece[piece.count - 1] ^= 0xFF
                return true
            }
            guard let change, !isEnd else { return false }
            piece[change.place] = change.byte
            return true
        }

        /// Whether it is of whole packets.
        var isInside: Bool {
            switch self {
            case .corrupt, .truncated, .duplicate, .late, .swapped, .corruptFrame, .truncatedFrame: false
            default: true
            }
        }
    }

    @Test(
        "LENS-084 what of broken, doubled and disordered packets no whole frame can be made is dropped and counted, and the stream goes on",
        arguments: Damage.allCases
    )
    func damage(_ damage: Damage) async throws {
        let world = VeepaWorld()
        let running = try await world.start()
        let phone = DamagingNetwork(world.network.host("phone"), damage)
        let camera = VeepaCamera(network: phone) { VeepaWorld.credentials }
        try await camera.connect()
        let sound = await camera.frames(10)
        let before = await camera.statistics
        #expect(before.malformed == 0 && before.badFrames == 0 && before.duplicates == 0)
        phone.isOn.set(true)
        if damage == .corruptFrame { world.arm("veepa.frame.malformed", skipping: 2, atMost: 3) }
        if damage == .truncatedFrame {
            world.arm("veepa.frame.truncated", ["bytes": 900], skipping: 2, atMost: 3)
        }
        let frames = await camera.frames(40)
        let after = await camera.statistics
        #expect(sound.count == 10 && frames.count == 40, "the stream goes on")
        #expect(frames.allSatisfy { TestFrame.number(of: $0) != nil }, "no bad frame is shown")
        let numbers = frames.compactMap { TestFrame.number(of: $0) }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "in order, and each once")
        switch damage {
        case .corrupt, .truncated: #expect(after.malformed > 10)
        case .duplicate: #expect(after.duplicates > 10)
        // By then they have been sent again.
        case .late: #expect(after.duplicates > 10 && after.disordered - before.disordered > 10)
        case .swapped: #expect(after.disordered - before.disordered > 10 && after.badFrames == 0)
        // Without its first bytes a frame is none: its pieces are what was dropped.
        case .magic: #expect(after.badFrames == 0 && after.malformed == 3 * 6)
        // What is left of a frame that ended too early belongs to none.
        case .tooShort: #expect(after.badFrames == 3 && after.malformed > 0)
        case .corruptFrame, .truncatedFrame, .kind, .tooLong, .beginning, .marker, .segment, .height, .ending:
            #expect(after.badFrames == 3 && after.malformed == 0)
        }
        // Frames that were dropped leave a gap, and nothing else does.
        let missing = (numbers.last ?? 0) - (numbers.first ?? 0) + 1 - numbers.count
        let drops = damage.isInside || damage == .corruptFrame || damage == .truncatedFrame
        #expect(missing == (drops ? 3 : 0))
        // It is the same connection: none had to be made again.
        #expect(camera.connectionState == .connected && world.simulator.record.sessions == 1)
        await camera.disconnect()
        await running.stop()
    }
}

/// Writes down which calls reach it.
private struct JournaledCameras: WirelessCameras {
    let cameras: any WirelessCameras
    let journal: Box<[String]>

    init(_ cameras: any WirelessCameras, _ journal: Box<[String]>) {
        (self.cameras, self.journal) = (cameras, journal)
    }

    func camera(
        size: PixelSize,
        credentials: @escaping @Sendable () async throws -> CameraCredentials?
    ) -> any CameraSource {
        journal.append("camera")
        return cameras.camera(size: size, credentials: credentials)
    }

    func search(
        for window: Duration,
        found: @escaping @Sendable (DiscoveredCamera) async -> Void
    ) async throws(CameraError) {
        journal.append("search")
        try await cameras.search(for: window, found: found)
    }
}

/// A network whose every fifth datagram arrives damaged.
private struct DamagingNetwork: DatagramNetwork {
    let base: any DatagramNetwork
    let damage: VeepaRowTests.Damage
    let isOn = Box(false)

    init(_ base: any DatagramNetwork, _ damage: VeepaRowTests.Damage) {
        (self.base, self.damage) = (base, damage)
    }

    func bind(_ address: SocketAddress, options: DatagramOptions) async throws(TransportError)
        -> any DatagramSocket
    {
        DamagingSocket(try await base.bind(address, options: options), damage, isOn)
    }

    func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        try await base.resolve(address)
    }
    func interfaces() async throws(TransportError) -> [NetworkInterface] { try await base.interfaces() }
}

private final class DamagingSocket: DatagramSocket {
    private let base: any DatagramSocket
    private let damage: VeepaRowTests.Damage
    private let isOn: Box<Bool>
    private let count = Box(0)
    private let held = Box<[(Datagram, at: Int)]>([])
    /// Frames that were damaged, and pieces of the stream that were seen.
    private let damaged = Box(0)
    private let seen = Box<Set<UInt16>>([])

    init(_ base: any DatagramSocket, _ damage: VeepaRowTests.Damage, _ isOn: Box<Bool>) {
        (self.base, self.damage, self.isOn) = (base, damage, isOn)
    }

    var localAddress: Endpoint { base.localAddress }
    func send(_ bytes: [UInt8], to destination: Endpoint) async throws(TransportError) {
        try await base.send(bytes, to: destination)
    }
    func send(_ bytes: [UInt8], to destination: SocketAddress) async throws(TransportError) {
        try await base.send(bytes, to: destination)
    }
    func join(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        try await base.join(group, on: interface)
    }
    func leave(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        try await base.leave(group, on: interface)
    }
    func close() async { await base.close() }

    func receive(atMost limit: Int) async throws(TransportError) -> [Datagram] {
        try await base.receive(atMost: limit).flatMap { arrive($0) }
    }

    /// What arrives in the place of a datagram.
    private func arrive(_ datagram: Datagram) -> [Datagram] {
        guard isOn.value else { return [datagram] }
        if damage.isInside { return [inside(datagram)] }
        let number = count.add(1)
        // Those that are late come when the camera has long sent them again.
        let late = held.value.filter { $0.at <= number }.map(\.0)
        held.set(held.value.filter { $0.at > number })
        guard number.isMultiple(of: 5) else { return [datagram] + late }
        var other = datagram
        switch damage {
        case .corrupt:
            for index in other.bytes.indices { other.bytes[index] ^= 0x5A }
            return [other] + late
        case .truncated:
            other.bytes.removeLast(other.bytes.count / 2 + 1)
            return [other] + late
        case .duplicate: return [datagram, datagram] + late
        case .late:
            held.append((datagram, at: number + 40))
            return late
        case .swapped:
            held.append((datagram, at: number + 1))
            return late
        default: return [datagram] + late
        }
    }

    /// A datagram with damage in what its packet carries, which the camera does not send again; three frames have it.
    private func inside(_ datagram: Datagram) -> Datagram {
        var other = datagram
        guard damaged.value < 3, let clear = PPPPDatagrams().open(datagram.bytes), let place = clear.place,
            place.stream == 1, !seen.value.contains(place.number)
        else { return datagram }
        seen.set(seen.value.union([place.number]))
        let isBeginning = clear.bytes[place.start...].starts(with: [0x55, 0xAA, 0x15, 0xA8])
        let isEnd = !isBeginning && clear.bytes.suffix(2) == [0xFF, 0xD9]
        var piece = Array(clear.bytes[place.start...])
        // Every other frame at most, so that each is dropped alone.
        if isBeginning { count.increment() }
        guard isBeginning || isEnd, count.value.isMultiple(of: 3), damage.damage(&piece, isEnd: isEnd) else {
            return datagram
        }
        damaged.increment()
        other.bytes = clear.close(Array(clear.bytes[..<place.start]) + piece)
        return other
    }
}
