import AppKernel
import Foundation
import GRDB
import HTTPTypes
import LensReplay
import LensScenarios
import LensScreens
import PageKit
import ScenarioKit
import ScreenKit
import SessionPage
import SessionRecording
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

/// A session of a user of the screens, in a file.
struct RecordedUser {
    let folder: TemporaryFolder
    let network: SimulatedNetwork
    /// The photo that was taken and uploaded.
    let photo: UUID

    /// A picture that was sent in a message, and one that was uploaded.
    static let still: [UInt8] = [0xff, 0xd8, 0xff, 1, 2, 3]
    static let upload: [UInt8] = [0xff, 0xd8, 0xff, 4, 5, 6]
    /// What stands in the recording, and is not for the page.
    static let input = "/home/somebody/pictures"

    var path: String { folder.file("user.lenssession") }

    /// Streams, takes a photo, looks at the gallery and the chat.
    @MainActor
    static func record() async throws -> RecordedUser {
        let folder = try TemporaryFolder()
        let world = try await LensWorld.start()
        let clock = SessionClock()
        let writer = try SessionWriter(
            path: folder.file("user.lenssession"),
            manifest: SessionManifest(
                scenario: "demo",
                fidelity: .simulated,
                seed: .max,
                parameters: ["input": input],
                startOfTime: 1_700_000_000_000_000_000,
                recordedBy: "0.1.0"
            )
        )
        let transport = RecordingTransport(world.network.host("phone"), writer: writer, clock: clock)
        let log = ScreenRecorder(writer: writer, clock: clock)
        let photo = try await world.lens.makeScreens().use(log) { photo in
            try await send(photo, over: transport, in: world)
        }
        try writer.finish(
            SessionOutcome(steps: 1, nanoseconds: clock.nanoseconds, hash: 0, failure: "\(input) is full")
        )
        return RecordedUser(folder: folder, network: world.network, photo: photo)
    }

    private static func send(
        _ photo: UUID,
        over transport: RecordingTransport<SimulatedHost>,
        in world: LensWorld
    ) async throws {
        let address = SocketAddress(host: "sink", port: 80)
        let sink = try await world.network.host("sink").listen(ScriptedServer.echo(), at: address)
        let socket = try await transport.connect(
            HTTPRequest(method: .get, scheme: "ws", authority: "sink:80", path: "/"),
            limits: WebSocketLimits(),
            timeout: .seconds(5)
        )
        try await socket.send(
            text: #"{"realtimeInput":{"video":{"data":"\#(Data(still).base64EncodedString())"}}}"#
        )
        await socket.close(.normal)
        let name = "/store/\(photo.uuidString.lowercased()).jpg"
        let answer = try await transport.send(
            HTTPRequest(method: .post, scheme: "http", authority: "sink:80", path: name),
            body: .bytes(upload),
            timeout: .seconds(5)
        )
        _ = try await answer.body.collect(upTo: 1000)
        await sink.stop()
    }

    /// Changes the file.
    func change(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// What the recording says that each screen showed at an event, read in the plainest way.
    func states(at event: Int) throws -> [String: String] {
        let all = try SessionReader(path: path).screens()
        var shown: [String: String] = [:]
        for screen in all.reversed() where screen.kind == .state { shown[screen.screen] = screen.json }
        for screen in all.prefix(event) where screen.kind == .state { shown[screen.screen] = screen.json }
        return shown
    }

    /// Serves the recording.
    func show() async throws -> ReplayWorld {
        let token = PageToken()
        let server = try ReplayPageServer(.lens, SessionReader(path: path), token: token, hosts: ["phone"])
        _ = try await network.host("phone").listen(server, at: SocketAddress(host: "phone", port: 8080))
        return ReplayWorld(server: server, token: token, pages: network.host("browser"))
    }
}

extension LensScreens {
    /// Does what the user of ``RecordedUser`` does, and returns the photo.
    fileprivate func use(
        _ log: ScreenRecorder,
        sent: @MainActor (UUID) async throws -> Void
    ) async throws -> UUID {
        appear()
        let user = ObservedScreens(encoded, log: log)
        try await user.send(SettingsScreen.Action.setFrameRate(7), to: "settings")
        try await user.send(StreamScreen.Action.start, to: "stream")
        try await Task.sleep(for: .seconds(2))
        try await user.send(CameraScreen.Action.capturePhoto, to: "camera")
        let photo = try #require(camera.state.lastPhoto)
        try await sent(photo)
        try await Task.sleep(for: .seconds(1))
        try await user.send(NavigationScreen.Action.selectTab(.gallery), to: "navigation")
        try await user.send(GalleryScreen.Action.selectAll, to: "gallery")
        try await user.send(NavigationScreen.Action.selectTab(.chat), to: "navigation")
        try await user.send(ChatScreen.Action.setInput("What colour is it?"), to: "chat")
        try await user.send(StreamScreen.Action.stop, to: "stream")
        user.stop()
        disappear()
        return photo
    }
}

/// A page's server that shows a recording, and a host for scripted pages.
struct ReplayWorld: PageVisit {
    let server: ReplayPageServer
    let token: PageToken
    let pages: SimulatedHost

    /// What comes as the body of an answer.
    func body(_ path: String) async throws -> [UInt8] {
        let answer = try await pages.send(request(path), body: .empty, timeout: .seconds(30))
        return try await answer.body.collect(upTo: 1_000_000)
    }
}

extension ScriptedPage {
    /// Goes to an event, and returns the server's answer.
    @discardableResult
    func step(_ event: Int) async throws -> Frame {
        try await act("recording", #"{"step":{"_0":\#(event)}}"#)
    }

    /// Goes to a time in seconds.
    @discardableResult
    func seek(_ seconds: Double) async throws -> Frame {
        try await act("recording", #"{"seek":{"_0":\#(seconds)}}"#)
    }

    /// What the page shows of the app's screens, as it stands in the messages.
    var shown: [String: String] {
        var shown: [String: String] = [:]
        for frame in frames {
            guard let screen = frame.screen,
                !["recording", "place", "marks", "actions", "lanes", "entries", "entry"].contains(screen),
                let start = frame.text.firstRange(of: #""state":"#),
                let end = frame.text.ranges(of: ",\"version\":").last
            else { continue }
            shown[screen] = String(frame.text[start.upperBound..<end.lowerBound])
        }
        return shown
    }
}
