import PPPP
import Services
import SimulatedTransport
import SimulationTesting
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

// What the landing article of VeepaCamera shows, word for word; a house rule compares them.

func firstFrame(
    of id: DeviceID,
    password: Secret,
    over network: any DatagramNetwork
) async throws -> VideoFrame? {
    let credentials = VeepaCredentials(id: id, user: "admin", password: password)
    let camera = VeepaCamera(network: network) { credentials }
    try await camera.connect()
    let frame = await camera.frames(limit: 1).next()
    await camera.disconnect()
    return frame
}

@Test(.simulated(seeds: 1...3)) func `a camera is asked for one frame`() async throws {
    let world = VeepaWorld()
    let running = try await world.start()
    let frame = try await firstFrame(
        of: VeepaWorld.id,
        password: Secret(VeepaWorld.password),
        over: world.network.host("phone")
    )
    #expect(frame.flatMap { TestFrame.number(of: $0) } != nil)
    await running.stop()
}
