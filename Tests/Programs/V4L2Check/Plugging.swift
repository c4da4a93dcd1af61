import Services
import V4L2Camera

/// Unplugged while it streams, and back.
struct Plugging {
    func run() async throws {
        try await check("a device that dies is lost at once, and connects again") {
            let camera = camera()
            try await streaming(camera) { camera, frames in
                try await read(3, of: frames)
                try vivid("disconnect=1")
                let beginning = ContinuousClock.now
                try await lost(camera) { $0 == .deviceNotFound }
                try hold(
                    ContinuousClock.now - beginning < .seconds(1),
                    "after \(ContinuousClock.now - beginning)"
                )
            }
            try await connectsAgain(camera)
        }
        try await check("a device whose node goes is lost, is seen to go and to come, and connects again") {
            let camera = camera()
            var changes = V4L2Devices().changes(every: .milliseconds(50)).makeAsyncIterator()
            while case .added(let device) = await changes.next(), device.path != camera.path {}
            try await streaming(camera) { camera, frames in
                try await read(3, of: frames)
                try shell("echo vivid.0 > /sys/bus/platform/drivers/vivid/unbind")
                try await lost(camera) { $0 == .deviceNotFound }
            }
            try hold(await changes.next() == .removed(path: camera.path), "it is not seen to go")
            do {
                try await camera.connect()
                throw Broken(description: "it connects without a node")
            } catch CameraError.deviceNotFound {}
            try shell("echo vivid.0 > /sys/bus/platform/drivers/vivid/bind")
            guard case .added(let device)? = await changes.next() else {
                throw Broken(description: "it is not seen")
            }
            try hold(device.path == camera.path, device.path)
            try await connectsAgain(camera)
        }
    }

    private func connectsAgain(_ camera: V4L2Camera) async throws {
        for _ in 0..<50 {
            do throws(CameraError) { try await camera.connect() } catch {
                try await Task.sleep(for: .milliseconds(100))
                continue
            }
            try await read(5, of: camera.frames(limit: 10))
            return await camera.disconnect()
        }
        throw Broken(description: "it does not connect again: \(String(describing: camera.lastFailure))")
    }
}
