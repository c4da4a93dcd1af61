import Files
import Foundation
import Lens
import LensPage
import LensScenarios
import PageKit
import SimulatedTransport
import Simulation
import Synchronization
import Testing
import Transport

/// A world with the page's server on the phone, and a host on which scripted pages run.
struct PageWorld: PageVisit {
    let world: LensWorld
    let server: LensPageServer
    let speech: BrowserSpeech
    let hearing: BrowserHearing
    let encoder: SharedFrameEncoder
    let documents: FileFolder
    let token: PageToken
    let pages: SimulatedHost

    static func start(_ options: LensOptions = LensOptions()) async throws -> PageWorld {
        var options = options
        let adjust = options.adjust
        let (speech, hearing) = (BrowserSpeech(), BrowserHearing())
        let shared = Parts()
        options.adjust = { environment in
            let encoder = SharedFrameEncoder(environment.streamEncoder)
            environment.streamEncoder = encoder
            environment.synthesizer = speech
            (environment.recognizer, environment.microphone) = (hearing, hearing)
            adjust(&environment)
            shared.value.withLock { $0 = (encoder, environment.documents) }
        }
        let world = try await LensWorld.start(options)
        let (encoder, documents) = try #require(shared.value.withLock { $0 })
        let token = PageToken()
        let server = LensPageServer(
            app: world.lens,
            documents: documents,
            encoder: encoder,
            speech: speech,
            hearing: hearing,
            token: token,
            hosts: ["phone"]
        )
        _ = try await world.network.host("phone").listen(server, at: SocketAddress(host: "phone", port: 8080))
        return PageWorld(
            world: world,
            server: server,
            speech: speech,
            hearing: hearing,
            encoder: encoder,
            documents: documents,
            token: token,
            pages: world.network.host("browser")
        )
    }

    /// The same server, visited from another host.
    func visiting(from host: String) -> PageWorld {
        PageWorld(
            world: world,
            server: server,
            speech: speech,
            hearing: hearing,
            encoder: encoder,
            documents: documents,
            token: token,
            pages: world.network.host(host)
        )
    }

    private final class Parts: Sendable {
        let value = Mutex<(SharedFrameEncoder, FileFolder)?>(nil)
    }
}
