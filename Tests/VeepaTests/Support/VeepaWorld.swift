import AppKernel
import PPPP
import Services
import SimulatedTransport
import Simulation
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// Pictures that tell their number, and show any damage.
enum TestFrame {
    /// The headers of a JPEG of 640×480, bytes that depend on the number, and its end.
    static func jpeg(_ number: Int, bytes: Int = 6_000) -> [UInt8] {
        var file: [UInt8] = [
            0xFF, 0xD8, 0xFF, 0xDB, 0, 6, UInt8(number >> 8 & 0x7F), UInt8(number & 0xFF), 0, 0,
        ]
        file += [0xFF, 0xC0, 0, 11, 8, 1, 0xE0, 2, 0x80, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 3, 0]
        // Each 128 bytes are the numbers from `number` in steps of seven.
        let period = (0..<128).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) & 0x7F }
        for _ in 0..<bytes / period.count { file += period }
        file += period.prefix(bytes % period.count)
        return file + [0xFF, 0xD9]
    }

    /// The number of a picture; `nil` when it is not one of ours, byte for byte.
    static func number(of frame: VideoFrame) -> Int? {
        guard case .jpeg(let bytes) = frame.content, bytes.count > 8 else { return nil }
        let number = Int(bytes[6]) << 8 | Int(bytes[7])
        return bytes == jpeg(number, bytes: bytes.count - jpeg(0, bytes: 0).count) ? number : nil
    }
}

/// A simulated camera and a client of it, on a simulated network.
struct VeepaWorld {
    static let id = ["VSTK-123456-ABCDE"].compactMap { DeviceID($0) }[0]
    static let password = "pass&word=1"

    let network: SimulatedNetwork
    let simulator: VeepaCameraSimulator

    /// - Precondition: In a simulation.
    init(
        conditions: LinkConditions = LinkConditions(latency: .constant(.milliseconds(4))),
        frameBytes: Int = 6_000,
        _ change: (inout VeepaCameraSettings) -> Void = { _ in }
    ) {
        network = SimulatedNetwork(defaults: conditions)
        var settings = VeepaCameraSettings(id: Self.id, password: Self.password)
        change(&settings)
        simulator = VeepaCameraSimulator(settings) { TestFrame.jpeg($0, bytes: frameBytes) }
        network.host("phone")
        network.host("camera")
    }

    /// A network of the worst kind that people have at home.
    static let hardship: LinkConditions = {
        var conditions = LinkConditions(latency: .uniform(.milliseconds(1) ... .milliseconds(60)), loss: 0.15)
        conditions.duplication = 0.1
        conditions.reordering = 0.1
        return conditions
    }()

    func start() async throws(TransportError) -> RunningVeepaCamera {
        try await simulator.start(on: network.host("camera"))
    }

    func client(
        credentials: VeepaCredentials? = VeepaWorld.credentials,
        _ change: (inout VeepaOptions) -> Void = { _ in }
    ) -> VeepaCamera {
        var options = VeepaOptions()
        change(&options)
        return VeepaCamera(network: network.host("phone"), options: options) { credentials }
    }

    static let credentials = VeepaCredentials(id: id, user: "admin", password: Secret(password))

    /// Arms a fault point of the camera.
    func arm(
        _ point: String,
        _ values: [String: Double] = [:],
        probability: Double = 1,
        skipping: Int = 0,
        atMost: Int = .max
    ) {
        Simulation.current?.arm(
            faultPoint: point,
            probability: probability,
            values: values,
            skipping: skipping,
            atMost: atMost
        )
    }
}

extension VeepaCamera {
    /// The error with which connecting fails; `nil` when it does not.
    func connectionFailure() async -> VeepaConnectionError? {
        do throws(CameraError) { try await connect() } catch { return error.veepa }
        return nil
    }

    /// Waits for a state, for a minute at most.
    func reaches(_ isIt: @escaping @Sendable (VeepaConnectionState) -> Bool) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await state in self.connectionStates() where isIt(state) { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(60))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// The next so many frames, for a minute at most.
    func frames(_ count: Int) async -> [VideoFrame] {
        await withTaskGroup(of: [VideoFrame].self) { group in
            group.addTask {
                var frames: [VideoFrame] = []
                let stream = self.frames(limit: 32)
                while frames.count < count, let frame = await stream.next() { frames.append(frame) }
                return frames
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(60))
                return []
            }
            defer { group.cancelAll() }
            return await group.next() ?? []
        }
    }
}
