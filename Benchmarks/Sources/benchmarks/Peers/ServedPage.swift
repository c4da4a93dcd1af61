import Files
import Foundation
import GeminiAPI
import HTTPTypes
import Lens
import LensPage
import LensScenarios
import LiveTransport
import PageKit
import Services
import Transport

/// Lens in a browser as the program `lens` runs it, with a simulated assistant in the same process.
///
/// Besides, `/encodings` says how often a picture was encoded, and how many pictures these were.
struct ServedPage: Server {
    static let size = PixelSize(width: 1280, height: 720)

    private let page: LensPageServer
    private let encoder: CountingEncoder

    /// Starts the app, and serves its page.
    ///
    /// - Returns: The address of the page, with its token, and what must be kept while it is served.
    static func start(on host: LoopbackHost) async throws -> (address: String, kept: [any Sendable]) {
        var options = LensOptions()
        options.size = size
        options.autoUpload = false
        let gemini = try await host.listen(LensServers(options).gemini, at: .loopback())
        let speech = BrowserSpeech()
        let counting = CountingEncoder(try JPEGFrameEncoder())
        let encoder = SharedFrameEncoder(counting)
        options.adjust = { environment in
            environment.streamEncoder = encoder
            environment.synthesizer = speech
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)").path
        let phone = try LensPhone(
            options,
            addresses: LensAddresses(
                gemini: GeminiEndpoint(authority: "\(gemini.address)", isSecure: false),
                geminiKey: Secret(LensOptions.modelKey),
                store: .supabase(address: nil, key: nil)
            ),
            transport: try LiveTransport(),
            camera: LensPhone.camera(options, seed: 1),
            folder: folder,
            databasePath: ":memory:"
        )
        _ = await phone.app.launch()
        let page = LensPageServer(
            app: phone.app,
            documents: FileFolder(path: folder + "/Documents"),
            encoder: encoder,
            speech: speech,
            hearing: BrowserHearing(),
            token: PageToken()
        )
        let listener = try await host.listen(ServedPage(page: page, encoder: counting), at: .loopback())
        return (page.address(at: "\(listener.address)"), [phone, gemini, listener])
    }

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        guard request.path == "/encodings" else { return await page.respond(to: request, body: body) }
        let counts = await encoder.counts
        return (HTTPResponse(status: .ok), .text("\(counts.encodings) \(counts.pictures)"))
    }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade { await page.upgrade(request) }
}

/// Counts the pictures that it encodes, and how often it does.
private actor CountingEncoder: FrameEncoder {
    private(set) var counts = (encodings: 0, pictures: 0)
    private var seen: Set<Int> = []
    private let base: any FrameEncoder

    init(_ base: any FrameEncoder) { self.base = base }

    func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        counts.encodings += 1
        if seen.insert(frame.sequence).inserted { counts.pictures += 1 }
        return try await base.encode(frame)
    }
}
