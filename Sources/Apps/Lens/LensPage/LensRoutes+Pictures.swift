internal import Foundation
internal import Lens
internal import LensScreens
internal import PageKit
internal import Transport

extension LensRoutes {
    /// A file of the gallery, `/media/<id>`, small as `/thumbnails/<id>`, of a video the picture that is seen at a time in
    /// milliseconds, `/videos/<id>?at=<time>`,
    /// the picture of a message, `/pictures/<id>`, or a file that is attached to the next one, `/attachments/<id>`; `nil` where
    /// there is none.
    func picture(_ request: PageRequest<LensWindow>) async -> PageAnswer? {
        let (parts, time) = (request.path.split(separator: "/"), request.query["at"])
        guard parts.count == 2, let id = UUID(uuidString: String(parts[1])) else { return nil }
        switch parts[0] {
        case "media": return pictures.media(id)
        case "thumbnails":
            if let item = app.gallery.item(id), let small = await app.thumbnails.illustrated(item).thumbnail {
                return .unchanging("image/jpeg", .bytes(Array(small)))
            }
            return pictures.photo(id)
        case "videos":
            // Browsers do not play Motion-JPEG: the page shows one picture after the other.
            guard let milliseconds = time.flatMap({ Int32($0) }),
                let frame = await app.videos.picture(of: id, at: .milliseconds(milliseconds))
            else { return nil }
            return .unchanging("image/jpeg", .bytes(frame))
        case "attachments":
            return await attachedFile(id, request).map { .unchanging("image/jpeg", .bytes($0)) }
        case "pictures":
            guard let bytes = try? app.conversation.picture(of: id), !bytes.isEmpty else { return nil }
            return .unchanging("image/jpeg", .bytes(Array(bytes)))
        default: return nil
        }
    }

    /// A picture that is attached on any page.
    @MainActor
    private func attachedFile(_ id: UUID, _ request: PageRequest<LensWindow>) -> [UInt8]? {
        request.windows.lazy.compactMap { $0.app.chat.attachedFile(id) }.first
    }
}
