internal import Nova
internal import PageKit

/// A tab that picks photos, and knows what it shows.
@MainActor
protocol PhotoWindow: PageWindow {
    /// Picks a file, in whatever form it is; what becomes of it is in the state of a screen.
    func pick(_ file: [UInt8], for use: PhotoUse) async
    /// A picture that was picked, as it is now: a JPEG file; `nil` where there is none.
    func picture(for use: PhotoUse) async -> [UInt8]?
    /// Whether something that is shown has its picture at an address.
    func shows(_ address: String) -> Bool
}

extension NovaWindow: PhotoWindow {
    func pick(_ file: [UInt8], for use: PhotoUse) async {
        await OfferedPhotos.offer(file) {
            switch use {
            case .post: await app.create.send(.pick)
            case .avatar: await app.editProfile.send(.pickAvatar)
            }
        }
    }

    func picture(for use: PhotoUse) -> [UInt8]? {
        switch use {
        case .post: app.create.picture
        case .avatar: app.editProfile.avatar
        }
    }

    func shows(_ address: String) -> Bool { ShownPictures(app).contains(address) }
}
