import Foundation
import JPEG
import Services
import V4L2Camera

/// Checks V4L2Camera on drivers of the kernel, in the virtual machine of scripts/v4l2-rig.
///
/// Each check is a line; the first one that fails ends the program with 1. Arguments name the groups that are run; without any, all are.
/// The folder has v4l2-ctl in its path, vivid as
/// /dev/video0 and v4l2loopback as /dev/video9, and the user is root.
@main
struct V4L2Check {
    static func main() async {
        let groups: [(name: String, run: () async throws -> Void)] = [
            ("captures", Captures().run), ("refusals", Refusals().run), ("trouble", Trouble().run),
            ("plugging", Plugging().run), ("motion-jpeg", MotionJPEG().run),
        ]
        let wanted = CommandLine.arguments.dropFirst()
        do {
            for group in groups where wanted.isEmpty || wanted.contains(group.name) { try await group.run() }
        } catch {
            say("FAILED \(error)")
            exit(1)
        }
        say("all checks passed")
    }
}

/// Writes a line at once, also into a pipe.
func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }

/// What did not hold.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

func hold(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Broken(description: what()) }
}

/// Runs a check, says how long it took, and sees that it leaves nothing open or mapped.
func check(_ name: String, _ body: () async throws -> Void) async throws {
    let (before, beginning) = (Held.now, ContinuousClock.now)
    do { try await body() } catch { throw Broken(description: "\(name): \(error)") }
    // The thread of a device ends by itself after its last work.
    var after = Held.now
    for _ in 0..<50 where after != before {
        try await Task.sleep(for: .milliseconds(20))
        after = Held.now
    }
    try hold(after == before, "\(name): left \(after), was \(before)")
    let seconds = String(format: "%.1f", (ContinuousClock.now - beginning) / .seconds(1))
    say("ok \(name), \(seconds) s")
}

/// What the process holds of the system's that belongs to video devices.
struct Held: Equatable {
    var devices: Int
    var mappings: Int

    static var now: Held {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let targets = files.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        return Held(
            devices: targets.count { $0.hasPrefix("/dev/video") },
            mappings: maps.components(separatedBy: "/dev/video").count - 1
        )
    }
}

/// Runs a command of the shell.
func shell(_ command: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    try process.run()
    process.waitUntilExit()
    try hold(process.terminationStatus == 0, "\(command): status \(process.terminationStatus)")
}

/// Sets controls of vivid's, such as those that inject errors.
func vivid(_ controls: String) throws { try shell("v4l2-ctl -d /dev/video0 -c \(controls)") }

func camera(
    _ path: String = "/dev/video0",
    _ width: Int = 640,
    _ height: Int = 480,
    format: VideoFormat? = .yuyv,
    rate: Double = 25,
    patience: Duration = .seconds(2)
) -> V4L2Camera {
    V4L2Camera(
        path: path,
        options: .init(
            size: PixelSize(width: width, height: height),
            framesPerSecond: rate,
            format: format,
            patience: patience
        )
    )
}

/// Connects, hands over the camera and its frames, and disconnects.
@discardableResult
func streaming<Value>(
    _ camera: V4L2Camera,
    _ body: (V4L2Camera, any FrameStream) async throws -> Value
) async throws -> Value {
    do { try await camera.connect() } catch { throw camera.lastFailure ?? error }
    let frames = camera.frames(limit: 30)
    let outcome: Result<Value, any Error>
    do { outcome = .success(try await body(camera, frames)) } catch { outcome = .failure(error) }
    await camera.disconnect()
    try hold(await camera.latestFrame() == nil, "a frame after disconnect")
    return try outcome.get()
}

/// Reads frames in order: their numbers are strictly increasing, and times never decrease.
@discardableResult
func read(_ count: Int, of frames: any FrameStream) async throws -> [VideoFrame] {
    var last: VideoFrame?
    var all: [VideoFrame] = []
    for number in 0..<count {
        guard let frame = await frames.next() else { throw Broken(description: "no frame \(number)") }
        if let last {
            try hold(frame.sequence > last.sequence, "frame \(frame.sequence) after \(last.sequence)")
            try hold(frame.timestamp >= last.timestamp, "\(frame.timestamp) after \(last.timestamp)")
        }
        last = frame
        // Pictures are looked at one by one; only few are kept.
        all.append(frame)
        if all.count > 8 { all.removeFirst() }
    }
    return all
}
