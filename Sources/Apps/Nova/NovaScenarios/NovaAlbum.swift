internal import Nova
internal import NovaServer
internal import PhotoEditing
internal import Probes
internal import S3Server
internal import ScenarioKit
internal import ScreenKit
internal import Simulation
internal import Synchronization

/// What a person has published, as far as the screen has confirmed it: what they may expect in the end.
struct NovaAlbum {
    private enum Fate { case kept, notKept, open }

    private struct Picture {
        let caption: String
        let bytes: [UInt8]
        var fate: Fate
    }

    /// How long a person may have to wait for the form: for the place, and half a minute for the post.
    private static let limit = NovaWorld.callLimit + .seconds(31)

    /// How many pictures were published.
    var count: Int { pictures.count }
    private var pictures: [Picture] = []

    /// Picks a picture, edits it, and publishes it.
    mutating func publish(_ world: NovaWorld) async throws {
        let caption = "Picture \(pictures.count)"
        let edited = try await world.attempt("a picture") { phone -> [UInt8]? in
            let create = phone.screens.create
            await phone.screens.root.send(.select(.create))
            try await Task.sleep(for: .milliseconds(20))
            while create.state.step != .entry { await create.send(.back) }
            await create.send(.pick)
            await create.send(.setFilter(PhotoFilter.allCases.randomElement() ?? .original))
            await create.send(.applyEdit)
            await create.send(.setCaption(caption))
            return create.state.step == .form ? create.picture : nil
        }
        guard let bytes = edited ?? nil else { return }
        pictures.append(Picture(caption: caption, bytes: bytes, fate: .open))
        let isKept = try await world.attempt(within: Self.limit, "a publication") { phone -> Bool? in
            let create = phone.screens.create
            await create.send(.publish)
            if create.state.step == .form { return false }
            // A session that has ended meanwhile takes the form with it; states follow the app in turns of their own.
            try await Task.sleep(for: .milliseconds(50))
            return phone.screens.root.state.root == .main ? true : nil
        }
        guard let isKept = isKept ?? nil else { return }
        sometimes("a publication is not prepared", !isKept)
        pictures[pictures.count - 1].fate = isKept ? .kept : .notKept
    }

    /// Has what has failed for good be published again, or takes one back.
    mutating func change(_ world: NovaWorld) async throws {
        let takesBack = Int.random(in: 0..<4) == 0
        let chosen = Mutex<String?>(nil)
        _ = try await world.attempt("a change") { phone in
            let create = phone.screens.create
            await phone.screens.root.send(.select(.create))
            try await Task.sleep(for: .milliseconds(20))
            let uploads = create.state.uploads.filter { takesBack || $0.isFailed }
            guard let upload = uploads.randomElement() else { return }
            chosen.withLock { $0 = upload.caption }
            if takesBack {
                await create.send(.discardUpload(id: upload.id))
            } else {
                await create.send(.retryUpload(id: upload.id))
            }
        }
        // Whether a phone that has died had done it before is not known.
        guard let caption = chosen.withLock(\.self) else { return }
        sometimes("a publication is repeated", !takesBack)
        for index in pictures.indices
        where takesBack && pictures[index].caption == caption && pictures[index].fate != .notKept {
            pictures[index].fate = .open
        }
    }

    /// Ends the scenario where Nova has a publication twice, not at all, or with another picture, and the person was not told.
    func judge(_ world: NovaWorld) async throws {
        try await world.signInAgain()
        let failed = try await world.attempt("a look") { phone in
            await phone.screens.root.send(.select(.create))
            try await Task.sleep(for: .milliseconds(100))
            return phone.screens.create.state.uploads.map(\.caption)
        }
        for picture in pictures {
            let there = world.nova.posts.filter { $0.caption == picture.caption }
            let hasFailed = failed?.contains(picture.caption) == true
            try world.check(
                there.count <= 1 || world.hasStruck("nova.keysForgotten"),
                "Nova has no post twice",
                "\(picture.caption) is there \(there.count) times"
            )
            try world.check(
                picture.fate != .kept || there.count >= 1 || hasFailed || isGone(picture, world),
                "Nova has every post, or it is shown as failed",
                "\(picture.caption) is not there"
            )
            try world.check(
                picture.fate != .notKept || there.isEmpty,
                "what was not prepared is not published",
                "\(picture.caption) is there"
            )
            for post in there {
                let bytes = world.nova.storage.object(post.imageKey ?? "", in: world.nova.project.bucket)?
                    .bytes
                try world.check(
                    bytes == picture.bytes,
                    "a post has the picture that was edited",
                    picture.caption
                )
            }
        }
        let keys = world.nova.posts.compactMap(\.imageKey)
        try world.check(
            keys.hasNoDuplicates || world.hasStruck("nova.keysForgotten"),
            "no two posts have one picture",
            "\(keys)"
        )
    }

    /// Whether its post was there, and was removed.
    private func isGone(_ picture: Picture, _ world: NovaWorld) -> Bool {
        world.hasStruck("nova.post.gone") || world.hasStruck("nova.feed.shrinks")
    }
}
