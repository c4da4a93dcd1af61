internal import Foundation
internal import Nova
internal import NovaServer
internal import Probes
internal import ScenarioKit
internal import ScreenKit
internal import Simulation
internal import Synchronization

/// What a person has commented, as far as the screen has confirmed it: what they may expect in the end.
struct NovaRemarks {
    private struct Remark {
        let postID: String
        let text: String
        /// Whether the phone has died before the screen has confirmed it.
        var isOpen = false
        /// Whether it was taken back or repeated, so that its place is open.
        var isTouched = false
        /// Whether it was repeated after more than a day, when Nova may have forgotten its key.
        var isLate = false
    }

    /// How many comments were written.
    var count: Int { remarks.count }
    private var remarks: [Remark] = []

    /// Writes a comment, now and then with words that were used before.
    mutating func write(on postID: String, _ world: NovaWorld) async throws {
        let text = Int.random(in: 0..<5) == 0 ? "Beautiful!!" : "Remark \(remarks.count)"
        let outcome = try await world.attempt("a comment") { phone -> (Int, Int, String?)? in
            let screen = phone.screens.comments
            await phone.screens.root.send(.navigate(.comments(postID: postID)))
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...200)))
            guard screen.state.postID == postID else { return nil }
            await screen.send(.setText(text))
            let before = screen.state.comments.count { $0.text == text }
            await screen.send(.send)
            return (before, screen.state.comments.count { $0.text == text }, screen.state.errorMessage)
        }
        switch outcome {
        case nil: remarks.append(Remark(postID: postID, text: text, isOpen: true))
        case .some(let (before, after, message)?):
            guard message == nil else { return }
            remarks.append(Remark(postID: postID, text: text))
            try world.check(
                after == before + 1,
                "a comment is shown in the step of its sending",
                "“\(text)” was there \(before) times, and is there \(after) times"
            )
        case .some(nil): break
        }
    }

    /// Repeats what has failed, or takes back a comment that Nova does not have yet, on the post that is open.
    mutating func change(_ world: NovaWorld) async throws {
        let takesBack = Bool.random()
        let chosen = Mutex<(String, String)?>(nil)
        _ = try await world.attempt("a change") { phone in
            let screen = phone.screens.comments
            let waiting = screen.state.comments.filter { $0.delivery != .sent }
            guard let row = waiting.randomElement(), let postID = screen.state.postID else { return }
            chosen.withLock { $0 = (postID, row.text) }
            if takesBack {
                await screen.send(.discard(id: row.id))
            } else {
                await screen.send(.retry(id: row.id))
            }
        }
        // Whether a phone that has died had done it before is not known.
        guard let row = chosen.withLock(\.self) else { return }
        sometimes("a comment is taken back", takesBack)
        sometimes("a comment is repeated", !takesBack)
        for index in remarks.indices where (remarks[index].postID, remarks[index].text) == row {
            remarks[index].isTouched = true
            if takesBack { remarks[index].isOpen = true }
        }
    }

    /// Ends the scenario where a comment is listed more often than it was written, or is missing though all are listed; what the others write has
    /// other words.
    func look(_ world: NovaWorld) async throws {
        let shown = try await world.attempt("a look") { phone -> (String, [String], Bool)? in
            try await Task.sleep(for: .milliseconds(100))
            let state = phone.screens.comments.state
            let list = state.list
            let isWhole = !list.isLoading && !list.hasMore && !list.isFull && list.errorMessage == nil
            return state.postID.map { ($0, state.comments.map(\.text), isWhole) }
        }
        guard let (postID, texts, isAll) = shown ?? nil else { return }
        // A list that was never loaded looks the same: then those of the others are missing, too.
        let others = world.nova.post(postID)?.comments.filter { text in !remarks.contains { $0.text == text }
        }
        let isWhole = isAll && others?.isEmpty == false && others?.allSatisfy(texts.contains) == true
        for remark in remarks where remark.postID == postID {
            let written = remarks.filter { $0.postID == postID && $0.text == remark.text }
            let listed = texts.count { $0 == remark.text }
            // What is sent again after Nova has forgotten its key is another comment, and where the clocks of both differ by far Nova's is not
            // known to be the one that waits.
            try world.check(
                listed <= written.count + written.count(where: \.isLate)
                    || world.hasStruck("nova.keysForgotten") || world.hasStruck("clock step"),
                "no comment is listed twice",
                "\(remark.text) in \(texts)"
            )
            let kept = written.count { !$0.isOpen && !$0.isTouched }
            try world.check(
                !isWhole || listed >= kept,
                "a comment that was listed stays listed",
                "“\(remark.text)” was written \(kept) times, and \(texts) are listed"
            )
        }
    }

    /// Has what has failed for good be sent again, on every post that was commented on.
    ///
    /// - Returns: Whether something had failed.
    mutating func repeatAll(_ world: NovaWorld) async throws -> Bool {
        var hasFailed = false
        for postID in Set(remarks.map(\.postID)).sorted() {
            let failed = try await world.attempt("a repetition") { phone in
                await phone.screens.root.send(.navigate(.comments(postID: postID)))
                try await Task.sleep(for: .milliseconds(100))
                let failed = phone.screens.comments.state.comments.filter { $0.delivery == .failed }
                for row in failed { await phone.screens.comments.send(.retry(id: row.id)) }
                return failed
            }
            guard failed?.isEmpty != true else { continue }
            hasFailed = hasFailed || failed != nil
            let late = failed?.filter { Date().timeIntervalSince($0.createdAt) > 86_400 }.map(\.text)
            for index in remarks.indices where remarks[index].postID == postID {
                remarks[index].isTouched = true
                remarks[index].isLate = remarks[index].isLate || late?.contains(remarks[index].text) ?? true
            }
        }
        sometimes("a comment has failed", hasFailed)
        return hasFailed
    }

    /// Ends the scenario where Nova has another number of a comment than was written and not reported as failed, or another order.
    func judge(_ world: NovaWorld) async throws {
        for postID in Set(remarks.map(\.postID)).sorted() {
            guard let post = world.nova.post(postID) else { continue }
            let rows = try await rows(on: postID, world)
            try world.check(
                Self.isWhole(rows, of: post.comments),
                "when all is well the comments are Nova's",
                "\(rows.map { "\($0.text): \($0.delivery)" }) for \(post.comments)"
            )
            for text in Set(remarks.filter { $0.postID == postID }.map(\.text)).sorted() {
                let written = remarks.filter { ($0.postID, $0.text) == (postID, text) }
                let (there, failed) = (
                    post.comments.count { $0 == text },
                    rows.count { $0.text == text && $0.delivery == .failed }
                )
                try world.check(
                    there <= written.count + written.count(where: \.isLate)
                        || world.hasStruck("nova.keysForgotten"),
                    "Nova has no comment twice",
                    "“\(text)” was written \(written.count) times, and is there \(there) times"
                )
                try world.check(
                    there + failed >= written.count { !$0.isOpen },
                    "Nova has every comment, or it is shown as failed",
                    "“\(text)” was written \(written.count) times, is there \(there) times, and has failed \(failed) times"
                )
            }
            try checkOrder(post, world)
        }
    }

    /// Whether all comments are listed, each in its place.
    ///
    /// One that the app shows as failed may be there: then it is listed once.
    private static func isWhole(_ rows: [CommentRow], of comments: [String]) -> Bool {
        var failed = rows.filter { $0.delivery == .failed }.map(\.text)
        var sent = rows.filter { $0.delivery == .sent }.map(\.text)[...]
        for text in comments {
            if sent.first == text {
                sent.removeFirst()
            } else if let place = failed.firstIndex(of: text) {
                failed.remove(at: place)
            } else {
                return false
            }
        }
        return sent.isEmpty
    }

    private func checkOrder(_ post: NovaPostSnapshot, _ world: NovaWorld) throws {
        let own = remarks.filter { $0.postID == post.id }
        let isPlain =
            own.allSatisfy { !$0.isOpen && !$0.isTouched } && Set(own.map(\.text)).count == own.count
        guard isPlain, !world.hasStruck("nova.keysForgotten") else { return }
        let there = post.comments.reversed().filter { text in own.contains { $0.text == text } }
        let written = own.map(\.text).filter { there.contains($0) }
        try world.check(
            there == written,
            "comments on a post are there in their order",
            "\(there) for \(written)"
        )
    }

    private func rows(on postID: String, _ world: NovaWorld) async throws -> [CommentRow] {
        for _ in 0..<3 {
            try await world.signInAgain()
            let rows = try await world.attempt(within: .seconds(1_000), "comments") {
                phone -> [CommentRow]? in
                let screen = phone.screens.comments
                await phone.screens.root.send(.navigate(.comments(postID: postID)))
                // It loads by itself, and the person pulls as well.
                try await Task.sleep(for: .milliseconds(100))
                await screen.send(.load)
                while screen.state.list.goesOn {
                    await screen.send(.loadMore)
                    try await Task.sleep(for: .milliseconds(50))
                }
                guard screen.state.postID == postID else { return nil }
                return screen.state.list.errorMessage == nil ? screen.state.comments : nil
            }
            if let rows = rows ?? nil { return rows }
        }
        try world.check(false, "when all is well comments can be read", "three tries have failed")
        return []
    }
}
