import Services
import SimulationTesting
import Testing
import Transport
import VeepaCamera

@Suite("Veepa camera: answers that come at once", .simulated(seeds: 1...10))
struct PromptCameraTests {
    @Test func `a camera that answers at once is asked to log in, whoever is scheduled first`() async throws {
        var options = VeepaOptions()
        options.searchTargets = [Endpoint(.broadcast, port: VeepaOptions.searchPort)]
        options.loginTimeout = .seconds(1)
        let camera = VeepaCamera(network: PromptCamera(), options: options) { VeepaWorld.credentials }
        let states = camera.connectionStates()
        let error = await #expect(throws: CameraError.self) { try await camera.connect() }
        #expect(error?.veepa?.code == .timedOut)
        var seen: [VeepaConnectionState] = []
        for await state in states {
            seen.append(state)
            if case .disconnected(_?) = state { break }
        }
        #expect(seen.dropLast() == [.disconnected(nil), .searching, .handshaking, .loggingIn])
    }
}
