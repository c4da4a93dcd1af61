import HTTPTypes
import ScreenKit
import Testing

@testable import Nova

extension NovaFixture {
    /// Picks a picture, and goes on to the caption.
    func compose(_ caption: String = "Fog") async throws {
        let create = screens.create
        await screens.root.send(.select(.create))
        photos.set(try ScriptedPhotos.picture(80, 60))
        await create.send(.pick)
        await create.send(.applyEdit)
        await create.send(.setCaption(caption))
        try #require(create.state.step == .form)
        await settle(.milliseconds(1))
    }

    /// The requests of publications: for a place, to the storage, and for the post.
    var publicationSteps: [NotedHTTP.Sent] {
        http.sent.filter {
            $0.line == "POST /upload/presign" || $0.line == "POST /posts" || $0.request.method == .put
        }
    }

    /// The same by their names: `presign`, `put` and `post`.
    var publicationStepNames: [String] {
        publicationSteps.map {
            $0.request.method == .put ? "put" : $0.line == "POST /posts" ? "post" : "presign"
        }
    }

    /// Whether the phone keeps any picture until it is published.
    func keepsPictures() throws -> Bool {
        let log = try #require(app.session).log
        // Then there is no room for as much as may be kept.
        return try !log.hasRoom(forPicture: NovaLog.mostPictureBytes)
    }
}
