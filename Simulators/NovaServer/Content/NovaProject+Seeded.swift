import PeerKit

extension NovaProject {
    /// A service with content of any size, the same for the same numbers.
    ///
    /// The first person is Ada, with `ada@nova.example` and `nova-password-1`.
    ///
    /// - Parameters:
    ///   - users: How many people there are; one at least.
    ///   - posts: How many posts there are, one about each ten minutes; of all people in turn by chance.
    ///   - seed: What chance follows.
    public static func seeded(users: Int = 8, posts: Int = 45, seed: UInt64 = 1) -> NovaProject {
        precondition(
            users > 0 && posts >= 0,
            "a service has one person at least, and no negative number of posts"
        )
        var numbers = SeededNumbers(seed: seed)
        let people = (0..<users).map { person($0, &numbers) }
        let ids = people.map(\.id)
        let made = (0..<posts).map { post($0, by: ids, &numbers) }
        let follows = ids.flatMap { follower in
            (0..<4).map { _ in
                let user = ids[Int.random(in: 0..<ids.count, using: &numbers)]
                let age = Int.random(in: 60...2_592_000, using: &numbers)
                return NovaFollow(followerID: follower, userID: user, age: age)
            }
        }
        return NovaProject(users: people, posts: made, follows: follows)
    }

    private static let names = [
        "Ada", "Grace", "Alan", "Barbara", "Edsger", "Frances", "Donald", "Radia", "Niklaus", "Karen", "Tony",
        "Margaret",
    ]
    private static let bios: [String?] = [
        "Light, mostly.", nil, "Mountains & film.\nPrints on request.", "🌊 north sea", "",
        "Cooks, then takes pictures.",
    ]
    private static let captions: [String?] = [
        "Morning above the fog.", "The last ferry.", nil, "Same hill, another day", "Nobody on the beach ☀️",
        "First frost.\nIt will not stay.", "Süden – endlich!", "Look up.", "",
        "Found on the way home. \"Wow\"",
    ]
    private static let remarks = [
        "Beautiful!", "Where is this?", "❤️", "The colours…", "I was there last year.",
        "More of these, please.",
    ]

    private static func person(_ index: Int, _ numbers: inout SeededNumbers) -> NovaUser {
        let (name, round) = (names[index % names.count], index / names.count)
        let username = name.lowercased() + (round == 0 ? "" : "\(round + 1)")
        return NovaUser(
            id: OpaqueID.text("user", index + 1),
            username: username,
            email: "\(username)@nova.example",
            password: "nova-password-\(index + 1)",
            displayName: round == 0 ? name : "\(name) \(round + 1)",
            bio: index == 0 ? bios[0] : bios.randomElement(using: &numbers) ?? nil,
            hasAvatar: index == 0 || Int.random(in: 0..<4, using: &numbers) > 0
        )
    }

    /// The one with index 0 is the newest.
    private static func post(_ index: Int, by ids: [String], _ numbers: inout SeededNumbers) -> NovaPost {
        let age = 600 * (index + 1) + Int.random(in: 0..<300, using: &numbers)
        func someone() -> String { ids[Int.random(in: 0..<ids.count, using: &numbers)] }
        let likers = Set((0..<Int.random(in: 0...min(20, ids.count), using: &numbers)).map { _ in someone() })
        let comments = (0..<max(0, Int.random(in: -2...4, using: &numbers))).map { _ in
            NovaComment(
                authorID: someone(),
                text: remarks[Int.random(in: 0..<remarks.count, using: &numbers)],
                age: Int.random(in: 1..<age, using: &numbers)
            )
        }
        return NovaPost(
            id: OpaqueID.text("post", index + 1),
            authorID: someone(),
            caption: captions[Int.random(in: 0..<captions.count, using: &numbers)],
            age: age,
            hasPicture: Int.random(in: 0..<30, using: &numbers) > 0,
            likerIDs: likers.sorted(),
            comments: comments.sorted { $0.age > $1.age }
        )
    }
}
