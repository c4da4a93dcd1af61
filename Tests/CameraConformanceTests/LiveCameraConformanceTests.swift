import AppKernel
import CameraSourceConformance
import LiveTransport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// The suite over datagrams of this machine.
@Suite("Camera conformance over real sockets", .timeLimit(.minutes(4)))
struct LiveCameraConformanceTests {
    @Test(
        "a Wi-Fi camera meets every requirement over real sockets",
        arguments: CameraSourceConformance.cases
    )
    func wifi(_ test: CameraSourceConformance.Case) async throws {
        try await expect(
            test,
            VeepaHarness(place: {
                let host = try LoopbackHost()
                return VeepaHarness.Place(camera: host, client: host, address: .loopback()) { running in
                    var options = VeepaOptions()
                    options.localAddress = .loopback()
                    options.searchTargets = [running.address]
                    options.framesKept = 256
                    (options.findTimeout, options.frameSilence) = (.seconds(2), .seconds(1))
                    options.reconnect = RetryPolicy(
                        retries: 1000,
                        first: .milliseconds(200),
                        longest: .seconds(1)
                    )
                    return options
                }
            })
        )
    }
}
