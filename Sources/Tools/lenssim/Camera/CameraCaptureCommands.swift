import ArgumentParser
import CommandKit
import Foundation
import JPEG
import QuickTime
import Services
import V4L2Camera

/// Makes a JPEG file of a frame: the camera's own, or one of good quality.
private struct FrameFile {
    private let encoder: JPEGEncoder

    init() throws { encoder = try JPEGEncoder() }

    func jpeg(of frame: VideoFrame) throws -> [UInt8] {
        switch frame.content {
        case .jpeg(let file): file
        case .pixels(let picture): try encoder.encode(picture, quality: 90)
        }
    }
}

/// The command `lenssim camera snapshot`.
struct CameraSnapshotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Takes a photo."
    )

    @OptionGroup var camera: CameraChoice

    @Option(help: "The file.", completion: .file(extensions: ["jpg"]))
    var out = "photo.jpg"

    @Option(help: "How many pictures are passed over first, while the camera finds its exposure.")
    var skip = 5

    @Flag(help: "Print JSON for machines.")
    var json = false

    private struct JSON: Encodable {
        var file: String
        var device: String
        var format: String
        var size: String
        var bytes: Int
    }

    func validate() throws {
        if !(0...1000).contains(skip) { throw ValidationError("--skip must be 0 to 1000.") }
    }

    func run() async throws {
        try await reportingFailures { terminal in
            let device = try await camera.connect()
            let frames = device.frames(limit: 1)
            var frame: VideoFrame?
            for _ in 0...skip { frame = await frames.next() }
            let mode = device.mode
            let failure = device.lastFailure
            await device.disconnect()
            guard let frame, let mode else { throw failure ?? CameraError.sessionStartFailed }
            let file = try FrameFile().jpeg(of: frame)
            try OutputFile(path: out).write(Data(file))
            if json {
                return try printJSON(
                    JSON(
                        file: out,
                        device: device.path,
                        format: "\(mode.format)",
                        size: mode.size.text,
                        bytes: file.count
                    ),
                    on: terminal
                )
            }
            terminal.line("\(out)  \(mode.size) \(mode.format)  \(grouped(file.count)) bytes")
        }
    }
}

/// The command `lenssim camera record`.
struct CameraRecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records video: Motion-JPEG in a QuickTime file, playable up to the interruption."
    )

    @OptionGroup var camera: CameraChoice

    @Option(help: "The file.", completion: .file(extensions: ["mov"]))
    var out = "film.mov"

    @Option(help: "How long.")
    var seconds = 10

    @Flag(help: "Print JSON for machines.")
    var json = false

    private struct JSON: Encodable {
        var file: String
        var device: String
        var format: String
        var size: String
        var frames: Int
        /// Those that came faster than they could be written.
        var dropped: Int
        /// What the driver counted.
        var captured: CaptureStatistics
        var seconds: Double
        var bytes: Int
    }

    func validate() throws {
        if !(1...86_400).contains(seconds) { throw ValidationError("--seconds must be 1 to 86400.") }
    }

    func run() async throws {
        let stop = StopRequest()
        try await reportingFailures { terminal in
            let device = try await camera.connect()
            guard let mode = device.mode else { throw device.lastFailure ?? CameraError.deviceNotFound }
            let frames = device.frames(limit: 30)
            let ending = Task {
                await withTaskGroup { group in
                    group.addTask { await stop.wait() }
                    group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
                    await group.next()
                    group.cancelAll()
                }
                await device.disconnect()
            }
            defer { ending.cancel() }
            var film = try Film(path: out, size: mode.size)
            var captured = CaptureStatistics()
            while let frame = await frames.next() {
                captured = device.statistics ?? captured
                try film.add(frame)
            }
            try film.finish()
            let failure = device.lastFailure
            await device.disconnect()
            if film.frameCount == 0 { throw failure ?? CameraError.sessionStartFailed }
            if let failure { terminal.warn("lenssim: \(failure)") }
            let facts = JSON(
                file: out,
                device: device.path,
                format: "\(mode.format)",
                size: mode.size.text,
                frames: film.frameCount,
                dropped: frames.dropped,
                captured: captured,
                seconds: film.duration / .seconds(1),
                bytes: film.byteCount
            )
            if json {
                try printJSON(facts, on: terminal)
            } else {
                let length = String(format: "%.1f s", facts.seconds)
                terminal.line(
                    "\(out)  \(mode.size) \(mode.format)  \(facts.frames) frames, \(length), \(grouped(facts.bytes)) bytes"
                )
            }
            if let failure { throw Exit.code(for: failure) }
        }
        if stop.isRequested { throw Exit.interrupted }
    }
}

/// A movie file that grows.
private struct Film {
    private let file: FileHandle
    private let path: String
    private let frameFile: FrameFile
    private var writer: MovieWriter
    private var last = Duration.zero
    private(set) var byteCount = 0

    var frameCount: Int { writer.frameCount }
    var duration: Duration { writer.duration }

    init(path: String, size: PixelSize) throws {
        self.path = path
        frameFile = try FrameFile()
        writer = MovieWriter(size: size)
        do {
            try Data().write(to: URL(filePath: path))
            file = try FileHandle(forWritingTo: URL(filePath: path))
        } catch { throw OutputFailure(path: path, error) }
        try put(writer.begin())
    }

    mutating func add(_ frame: VideoFrame) throws {
        let jpeg = try frameFile.jpeg(of: frame)
        // One that does not come later than the one before is left out.
        guard let piece = try? writer.add(jpeg, at: frame.timestamp) else { return }
        last = frame.timestamp
        try put(piece)
    }

    mutating func finish() throws {
        try put(writer.finish(at: last + .milliseconds(33)))
        try? file.close()
    }

    private mutating func put(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        do { try file.write(contentsOf: Data(bytes)) } catch { throw OutputFailure(path: path, error) }
        byteCount += bytes.count
    }
}
