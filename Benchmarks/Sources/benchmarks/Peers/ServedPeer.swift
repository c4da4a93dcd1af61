import EchoServer
import Foundation
import GeminiServer
import LiveTransport
import Transport

/// A server that a benchmark runs in a process of its own; see ``PeerProcess``.
enum ServedPeer: String {
    /// `EchoServer` behind `LoopbackHost`.
    case echo
    /// `GeminiServer` behind `LoopbackHost`, for a key `benchmark`.
    case gemini
    /// ``ServedGemini/frames()`` behind `LoopbackHost`.
    case geminiFrames
    /// ``ServedGemini/words()`` behind `LoopbackHost`.
    case geminiWords
    /// The server of ``LargeUpload`` behind `LoopbackHost`.
    case s3
    /// ``ServedPage`` behind `LoopbackHost`.
    case page
    /// A TCP echo with blocking calls.
    case rawEcho
    /// A socket of `LoopbackHost` that takes datagrams.
    case datagrams
    /// A plain socket that takes datagrams, with blocking calls.
    case rawDatagrams
    /// A Wi-Fi camera that speaks clear packets; see ``PPPPReceiving``.
    case ppppCamera
    /// One that speaks obfuscated packets.
    case ppppHiddenCamera
    /// A client of such a camera, which says what it cost.
    case ppppClient
    case ppppHiddenClient

    private struct NoPictures: Error {}

    /// Says where it is reached, and serves until standard input ends.
    ///
    /// - Parameter other: Where a client connects to.
    func serve(_ other: String?) async throws {
        switch self {
        case .echo: try await listen(EchoServer())
        case .gemini:
            try await listen(
                GeminiServer(GeminiServerSettings(keys: ["benchmark"])) { _ in throw NoPictures() }
            )
        case .geminiFrames: try await listen(ServedGemini.frames())
        case .geminiWords: try await listen(ServedGemini.words())
        case .s3:
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "lenssim-benchmark-\(ProcessInfo.processInfo.processIdentifier)")
            try await listen(LargeUpload.server(folder))
            await Self.endOfInput()
            return try FileManager.default.removeItem(at: folder)
        case .page:
            let (address, kept) = try await ServedPage.start(on: LoopbackHost())
            announce(address)
            await Self.endOfInput()
            return withExtendedLifetime(kept) {}
        case .ppppCamera, .ppppHiddenCamera:
            let (address, kept) = try await PPPPReceiving.serve(isHidden: self == .ppppHiddenCamera)
            announce(address)
            await Self.endOfInput()
            return withExtendedLifetime(kept) {}
        case .ppppClient, .ppppHiddenClient:
            announce(try await PPPPReceiving.receive(from: other, isHidden: self == .ppppHiddenClient))
        case .rawEcho: announce("\(try RawEcho.serve())")
        case .datagrams:
            let socket = try await LoopbackHost().bind(.loopback(), options: DatagramBurst.options)
            announce("\(socket.localAddress)")
            Task { try await DatagramBurst.take(from: socket) }
        case .rawDatagrams:
            let socket = try RawSocket(.datagram)
            announce("\(try socket.bind())")
            Thread.detachNewThread { RawDatagrams.take(from: socket) }
        }
        await Self.endOfInput()
    }

    private func listen(_ server: any Server) async throws {
        let host = try LoopbackHost(limits: .init(connections: IdleSessions.count + 100))
        let listener = try await host.listen(server, at: .loopback())
        announce("\(listener.address)")
    }

    private func announce(_ address: String) { FileHandle.standardOutput.write(Data("\(address)\n".utf8)) }

    private static func endOfInput() async {
        await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                _ = FileHandle.standardInput.readDataToEndOfFile()
                ended.resume()
            }
        }
    }
}
