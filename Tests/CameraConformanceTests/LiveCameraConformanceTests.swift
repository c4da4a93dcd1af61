import CameraSourceConformance
import Concurrency
import Conformance
import LiveTransport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// Cameras whose calls never return, in real time: a case ends nevertheless.
@Suite("Camera conformance of cameras that hang", .timeLimit(.minutes(5)))
struct HangingCameraTests {
    @Test(
        "a call that ignores its cancellation fails its case, and keeps nobody",
        arguments: [
            (WrongCamera.Flaw.connectHangs, "attempt.cancelled"), (.connectHangs, "attempt.overtaken"),
            (.disconnectHangs, "attempt.next"), (.disconnectHangs, "disconnect.twice"),
        ]
    )
    func hangs(_ flaw: WrongCamera.Flaw, _ name: String) async throws {
        let test = try #require(CameraSourceConformance.cases.first { $0.id == name })
        let harness = WrongCameraHarness(flaw: flaw, promptness: .milliseconds(500))
        await #expect(throws: ConformanceFailure.self) { try await test.run(with: harness) }
    }

    @Test func `a camera that hangs when a case is over keeps nobody either`() async throws {
        let test = try #require(CameraSourceConformance.cases.first { $0.id == "connect.frames" })
        let harness = WrongCameraHarness(flaw: .disconnectHangs, promptness: .milliseconds(500))
        #expect(try await test.run(with: harness) == .passed)
    }
}

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
