internal import Foundation
internal import HTTPTypes
internal import PageKit
internal import PhotoEditing
internal import Transport

/// Further routes of Nova: pictures, and photos that are picked.
struct NovaRoutes<Window: PhotoWindow>: Sendable {
    let pictures: RemotePictures
    let world: (any SurroundingsControls)?
    /// For photos that are being received.
    private let uploads = PageSeats(4)

    /// How long a photo may take to come.
    private static var patience: Duration { .seconds(120) }
    /// The side of what shows a filter, in pixels.
    private static var previewSide: Int { 240 }

    init(pictures: RemotePictures, world: (any SurroundingsControls)?) {
        (self.pictures, self.world) = (pictures, world)
    }

    /// The answer to a request; `nil` where there is nothing.
    func answer(_ request: PageRequest<Window>) async -> PageAnswer? {
        switch (request.head.method, request.path) {
        case (.post, "/photos"): return await pick(request, for: .post)
        case (.post, "/avatar"): return await pick(request, for: .avatar)
        default: break
        }
        guard request.isReading else { return nil }
        let parts = request.path.split(separator: "/")
        switch parts.first {
        case "pictures" where parts.count == 1: return await picture(request)
        case "drafts" where parts.count == 1: return await draft(request)
        case "avatar" where parts.count == 1:
            return await picked(request, .avatar).map(Self.jpeg)
        case "library" where parts.count == 2:
            return Int(parts[1]).flatMap { world?.photo($0) }.map(Self.jpeg)
        default: return nil
        }
    }

    /// Picks the file that is sent in the window of a page; what becomes of it is in the state of a screen.
    private func pick(
        _ request: PageRequest<Window>,
        for use: PhotoUse
    ) async -> PageAnswer {
        guard let seat = uploads.take() else {
            return .text(.serviceUnavailable, "Too many photos are being sent.")
        }
        defer { seat.leave() }
        guard let file = try? await request.body.collect(upTo: Photo.mostBytes, within: Self.patience) else {
            return .text(.contentTooLarge, "The photo is too large, or did not come whole.")
        }
        return await request.inWindow { window in
            await window.pick(file, for: use)
            return PageAnswer(status: .noContent)
        } ?? .unknownPage
    }

    /// A picture that some tab shows, `/pictures?at=<address>`, so that nobody has other addresses asked for.
    private func picture(_ request: PageRequest<Window>) async -> PageAnswer? {
        guard let address = request.query["at"].flatMap({ String($0).removingPercentEncoding }),
            await shows(address, request), let picture = await pictures.picture(at: address)
        else { return nil }
        return PageAnswer(status: .ok, type: picture.type, body: .bytes(picture.bytes))
    }

    @MainActor
    private func shows(_ address: String, _ request: PageRequest<Window>) -> Bool {
        request.windows.contains { $0.shows(address) }
    }

    /// The picture of a new post, `/drafts?page=<page>`, or small as a filter makes it, with `&filter=<filter>`.
    private func draft(_ request: PageRequest<Window>) async -> PageAnswer? {
        guard let picture = await picked(request, .post) else { return nil }
        guard let name = request.query["filter"] else { return Self.jpeg(picture) }
        guard let filter = PhotoFilter(rawValue: String(name)),
            let preview = try? await Self.preview(of: picture, filter)
        else { return nil }
        return Self.jpeg(preview)
    }

    private func picked(_ request: PageRequest<Window>, _ use: PhotoUse) async -> [UInt8]? {
        await request.inWindow { await $0.picture(for: use) } ?? nil
    }

    @concurrent
    private static func preview(
        of file: [UInt8],
        _ filter: PhotoFilter
    ) async throws(PhotoError) -> [UInt8] {
        try Photo(decoding: file).fitted(within: previewSide).edited(PhotoEdit(filter: filter)).jpeg()
    }

    /// No cache keeps it: it belongs to a person.
    private static func jpeg(_ file: [UInt8]) -> PageAnswer {
        PageAnswer(status: .ok, type: "image/jpeg", body: .bytes(file))
    }
}
