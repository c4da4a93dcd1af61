internal import Files
internal import Foundation
internal import HTTPTypes
internal import Lens
internal import LensScreens
internal import PageKit
internal import ScreenKit
internal import Services
internal import Transport

/// Further routes of Lens: pictures, codes, and files that are attached.
struct LensRoutes: Sendable {
    let app: LensApp
    let pictures: PictureRoutes
    /// For pictures and videos that are being received.
    private let uploads = PageSeats(4)
    /// Videos take long: pictures do not wait behind them.
    private let videoUploads = PageSeats(2)

    /// The most bytes of a picture that is attached to a message.
    static let pictureLimit = 8 * 1024 * 1024
    /// How long a picture may take to come.
    private static let picturePatience = Duration.seconds(120)
    /// How long a video may take to come.
    private static let videoPatience = Duration.seconds(600)

    init(app: LensApp, documents: FileFolder, encoder: SharedFrameEncoder) {
        self.app = app
        let preview = PreviewStream(
            latestFrame: { await app.camera.latestFrame() },
            encode: { try await encoder.encode($0) }
        )
        pictures = PictureRoutes(documents: documents, preview: preview)
    }

    /// The answer to a request; `nil` where there is nothing.
    func answer(_ request: PageRequest<LensWindow>) async -> PageAnswer? {
        if request.head.method == .post, request.path == "/attachments" { return await attach(request) }
        guard request.isReading else { return nil }
        if let answer = await code(request) { return answer }
        return request.path == "/frames" ? pictures.frames() : await picture(request)
    }

    /// A code that the page itself shows, `/codes/<which>/<number>`: it says a password, so that no cache may keep it, and no other page
    /// gets it.
    private func code(_ request: PageRequest<LensWindow>) async -> PageAnswer? {
        let parts = request.path.split(separator: "/")
        guard parts.count == 3, parts[0] == "codes", let codes = Int(parts[1]), let number = Int(parts[2]),
            let picture = await request.inWindow({ await $0.app.setup.codePNG(number, of: codes) }) ?? nil
        else { return nil }
        // Without a field of its own the answer is not to be stored.
        return PageAnswer(status: .ok, type: "image/png", body: .bytes(picture))
    }

    /// Attaches a picture or video to the next message of a page.
    private func attach(_ request: PageRequest<LensWindow>) async -> PageAnswer {
        let isVideo = request.head.headerFields[.contentType]?.lowercased().hasPrefix("video/") == true
        guard let seat = (isVideo ? videoUploads : uploads).take() else {
            return .text(.serviceUnavailable, "Too many files are being sent.")
        }
        defer { seat.leave() }
        return await request.inWindow { window in
            if isVideo { return await attachVideo(request.body, to: window.app.chat) }
            guard
                let file = try? await request.body.collect(
                    upTo: Self.pictureLimit,
                    within: Self.picturePatience
                )
            else {
                return .text(.contentTooLarge, "The picture is too large, or did not come whole.")
            }
            return Self.answer(await window.app.chat.attach(file))
        } ?? .unknownPage
    }

    /// Attaches a video, which goes to the disk as it comes.
    private func attachVideo(_ body: HTTPBody, to chat: ChatScreen) async -> PageAnswer {
        guard (body.length ?? 0) <= ChatClips.byteLimit else {
            return .text(.contentTooLarge, "The video is too large.")
        }
        do throws(TransportError) {
            let alert = try await finishing(within: Self.videoPatience, "read body", of: "page") {
                () async throws(TransportError) in
                await chat.attachVideo(try await body.chunks())
            }
            return Self.answer(alert)
        } catch {
            return .text(.contentTooLarge, "The video did not come whole.")
        }
    }

    /// The answer to what could be done, and to what could not.
    private static func answer(_ alert: ScreenAlert?) -> PageAnswer {
        guard let alert else { return PageAnswer(status: .noContent) }
        return .text(
            .unprocessableContent,
            [alert.text, alert.advice].compactMap(\.self).joined(separator: " ")
        )
    }
}
