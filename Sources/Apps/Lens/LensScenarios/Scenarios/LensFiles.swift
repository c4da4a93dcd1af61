import GeminiREST
import GeminiServer
import Probes
public import ScenarioKit
public import Services
import SimulatedTransport
import Simulation

/// Files are uploaded to the model with the app's own client, asked about and deleted, while connections and the service fail.
public struct LensFiles: LensScenario {
    /// The command-line name.
    public static let name = "lens-files"
    /// One sentence.
    public static let summary =
        "uploads to the model lose their connections and files cannot be processed; a file that can be used is whole"
    /// What breaks connections and files is left out over real sockets.
    public static let needsSimulatedNetwork = false
    /// What a sweep over it should reach.
    public static let expects = [
        "a connection is lost while a file is uploaded", "a file cannot be processed",
        "a video is waited for",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("files", \.files, in: 1...1_000, "How many files are uploaded."), .size(\.size),
    ]

    /// How many files are uploaded.
    public var files = 4
    /// The size of pictures.
    public var size = PixelSize(width: 320, height: 180)
    /// Pictures are files already.
    public var usesPreparedFrames: Bool { true }

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        options.link.latency = .exponential(mean: .milliseconds(Int.random(in: 1...100)))
        options.script.brain = FileBrain()
        let pictures = try PreparedFrames.make(size: size).files
        let world = try await LensWorld.start(options)
        let isSimulated = world.base.isSimulated
        if isSimulated, Bool.random() { world.base.arm("gemini.files.failed", probability: 0.4) }
        var usable = 0
        for _ in 0..<files {
            let (bytes, mediaType): ([UInt8], String) =
                switch Int.random(in: 0..<3) {
                case 0: (pictures[Int.random(in: pictures.indices)], "image/jpeg")
                case 1: ([UInt8](repeating: 7, count: Int.random(in: 1...100_000)), "video/mp4")
                default: ([UInt8](repeating: 65, count: Int.random(in: 1...30_000)), "text/plain")
                }
            let trouble = Task {
                guard isSimulated, Bool.random() else { return }
                do { try await Task.sleep(for: .milliseconds(Int.random(in: 0...500))) } catch { return }
                sometimes("a connection is lost while a file is uploaded")
                world.network.reset("phone", "gemini")
            }
            if try await upload(world, bytes, mediaType) { usable += 1 }
            trouble.cancel()
            await trouble.value
        }
        try await world.shutdown()
        return ScenarioSummary([
            "files": files, "usable": usable, "requests": world.gemini.record.requestCount,
        ])
    }

    /// Uploads a file, asks about it and deletes it.
    ///
    /// - Returns: Whether it could be used.
    private func upload(_ world: LensWorld, _ bytes: [UInt8], _ mediaType: String) async throws -> Bool {
        let client = GeminiFiles(client: world.transport, endpoint: world.addresses.gemini) {
            () throws(SecretStoreError) in Secret(LensOptions.modelKey)
        }
        let file: GeminiFile
        do {
            let uploaded = try await world.onPhone { _ in
                try await client.upload(.bytes(bytes), mediaType: mediaType)
            }
            try check(
                uploaded.byteCount == bytes.count,
                "an upload that succeeds is of the whole file",
                "\(uploaded.byteCount ?? -1) of \(bytes.count) bytes"
            )
            sometimes("a video is waited for", uploaded.state == .processing)
            file = try await world.onPhone { _ in try await client.waitUntilActive(uploaded.name) }
        } catch let error as ChatModelError {
            let isBroken = error.code == .rejected && error.operation == "wait for a file"
            sometimes("a file cannot be processed", isBroken)
            try world.checkUndisturbed(isBroken, "an upload outlives a lost connection", "\(error)")
            return false
        }
        try await ask(world, file, bytes.count)
        do {
            try await world.onPhone { _ in try await client.delete(file.name) }
            let rest = try await world.onPhone { _ in try await client.file(file.name) }
            try check(false, "a file that was deleted is gone", "\(rest.state)")
        } catch let error as ChatModelError {
            try world.checkUndisturbed(
                error.code == .fileUnavailable,
                "a file is deleted over a lost connection too",
                "\(error)"
            )
        }
        return true
    }

    /// A file that can be used is the one that was uploaded.
    private func ask(_ world: LensWorld, _ file: GeminiFile, _ count: Int) async throws {
        let model = GeminiChatModel(client: world.transport, endpoint: world.addresses.gemini) {
            () throws(SecretStoreError) in Secret(LensOptions.modelKey)
        }
        let request = ChatRequest(
            model: FileBrain.model,
            contents: [ChatContent(.user, [file.part, .text("What is it?")])]
        )
        do {
            let answer = try await world.onPhone { _ in try await model.generate(request) }
            try check(
                answer.text == FileBrain.answer(file.name, count),
                "a file that can be used is whole",
                "\(answer.text), and \(count) bytes were uploaded"
            )
        } catch let error as ChatModelError {
            // What may have been sent is not sent again: a connection that is lost now is the asker's to mend.
            try world.checkUndisturbed(
                error.code == .interrupted || error.code == .unreachable,
                "a file that is ready can be asked about",
                "\(error)"
            )
        }
    }
}

/// Names the files that it is asked about.
private struct FileBrain: GeminiBrain {
    static let model = "gemini-2.5-flash"

    static func answer(_ name: String, _ count: Int) -> String { "\(name) of \(count) bytes" }

    func reply(to turn: GeminiTurn) -> GeminiReply {
        let seen = (turn.contents.last?.parts ?? []).compactMap { part -> String? in
            switch part {
            case .picture(_, let count, let file?): Self.answer(file, count)
            case .media(_, let count, let file?): Self.answer(file, count)
            default: nil
            }
        }
        return GeminiReply([.init([seen.joined(separator: ", ")])])
    }
}
