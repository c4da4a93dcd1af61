import ArgumentParser
import CommandKit
import Foundation
import Services
import V4L2Camera

/// The command `lenssim camera list`.
struct CameraListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the cameras that are plugged in."
    )

    @Flag(help: "Print JSON for machines.")
    var json = false

    private struct JSON: Encodable {
        var cameras: [CameraFacts]
        /// Nodes that could not be opened, with the reason.
        var refused: [String]
    }

    func run() async throws {
        try await reportingFailures { terminal in
            var refused: [V4L2Failure] = []
            let all = try await V4L2Devices().all { refused.append($0) }.filter(\.isCamera)
            if json {
                return try printJSON(
                    JSON(cameras: all.map(CameraFacts.init), refused: refused.map(\.description)),
                    on: terminal
                )
            }
            for failure in refused { terminal.warn("lenssim: \(failure)") }
            guard !all.isEmpty else { return terminal.line("no camera") }
            var table = Table()
            for camera in all {
                let sizes = camera.sizes.prefix(3).map(\.description).joined(separator: ", ")
                table.add(camera.path, "\(camera.card)  \(sizes.isEmpty ? "no usable format" : sizes)")
            }
            table.lines.forEach { terminal.line($0) }
        }
    }
}

/// The command `lenssim camera info`.
struct CameraInfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Shows formats, sizes, rates and controls of a camera."
    )

    @Argument(help: "The device, such as /dev/video0. (default: the first camera)")
    var device: String?

    @Flag(help: "Print JSON for machines.")
    var json = false

    func run() async throws {
        try await reportingFailures { terminal in
            let description = try await CameraChoice.describe(device)
            if json { return try printJSON(CameraFacts(description), on: terminal) }
            terminal.line("\(description.path)  \(description.card)")
            var table = Table()
            table.add("driver", "\(description.driver), \(description.bus)")
            if !description.isCamera { table.add("pictures", "none: it is no camera") }
            for format in description.formats where VideoFormat.captured.contains(format.format) {
                for size in format.sizes {
                    let rates = size.rates.map { String(format: "%g", $0) }.joined(separator: ", ")
                    table.add("\(format.format) \(size.size)", rates.isEmpty ? "" : "\(rates) a second")
                }
            }
            let others = description.formats.map(\.format).filter { !VideoFormat.captured.contains($0) }
            if !others.isEmpty {
                table.add("not used", others.map(\.description).joined(separator: ", "))
            }
            for control in description.controls {
                let value = control.value.map { ", now \($0)" } ?? ""
                table.add(
                    control.key,
                    "\(control.range.lowerBound) to \(control.range.upperBound), at first \(control.usual)\(value)"
                )
            }
            table.lines.forEach { terminal.line($0) }
        }
    }
}

/// The command `lenssim camera watch`.
struct CameraWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watches for cameras being connected and removed, until Ctrl-C."
    )

    @Option(help: "How long to watch. (default: until Ctrl-C)")
    var seconds: Int?

    @Flag(help: "Print a JSON object in each line.")
    var json = false

    private struct JSON: Encodable {
        var change: String
        var device: String
        var name: String?
    }

    func validate() throws {
        if let seconds, !(1...86_400).contains(seconds) {
            throw ValidationError("--seconds must be 1 to 86400.")
        }
    }

    func run() async throws {
        let terminal = Terminal()
        let stop = StopRequest()
        let watching = Task {
            for await change in V4L2Devices().changes() {
                switch change {
                case .added(let camera): show("added", camera.path, camera.card, terminal)
                case .removed(let path): show("removed", path, nil, terminal)
                }
            }
        }
        await withTaskGroup { group in
            group.addTask { await stop.wait() }
            if let seconds { group.addTask { try? await Task.sleep(for: .seconds(seconds)) } }
            await group.next()
            group.cancelAll()
        }
        watching.cancel()
        await watching.value
        if stop.isRequested { throw Exit.interrupted }
    }

    private func show(_ change: String, _ path: String, _ name: String?, _ terminal: Terminal) {
        guard json else {
            return terminal.line([change, path, name].compactMap { $0 }.joined(separator: "  "))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(JSON(change: change, device: path, name: name)) else { return }
        terminal.line(String(decoding: line, as: UTF8.self))
    }
}
