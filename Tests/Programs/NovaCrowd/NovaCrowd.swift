import Foundation
import Nova
import NovaServer
import ScreenKit
import ServiceClient
import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import Synchronization
import Transport

/// An hour of many people with an app each, and one Nova, in one simulation: what that costs.
///
/// Arguments: how many people, and how many simulated minutes. Each person looks at something, likes, comments or searches every minute on the average. Prints a JSON object
/// with the processor time of the run in seconds, the requests that Nova has answered, and what people did. Exits with 1 where something that was done is not at
/// Nova in the end.
@main
struct NovaCrowd {
    struct Figures: Encodable {
        var people: Int
        var minutes: Int
        var coreSeconds: Double
        var requests: Int
        var deeds: Int
        var residentMiB: Int
    }

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard arguments.count == 2, (1...10_000).contains(arguments[0]), (1...1_440).contains(arguments[1])
        else {
            FileHandle.standardError.write(Data("usage: NovaCrowd PEOPLE MINUTES\n".utf8))
            exit(64)
        }
        let (people, minutes) = (arguments[0], arguments[1])
        let begun = processorSeconds()
        let found = try Simulation(seed: 1).run { @MainActor in
            try await hour(of: people, .seconds(60 * minutes))
        }
        let figures = Figures(
            people: people,
            minutes: minutes,
            coreSeconds: processorSeconds() - begun,
            requests: found.requests,
            deeds: found.deeds,
            residentMiB: residentBytes() >> 20
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        print(String(decoding: try encoder.encode(figures), as: UTF8.self))
        guard found.waiting == 0, found.signedIn == people else {
            FileHandle.standardError.write(Data("\(found) of \(people) people\n".utf8))
            exit(1)
        }
    }

    /// What has come of an hour.
    struct Outcome: Sendable {
        var requests = 0
        var deeds = 0
        /// What waits for Nova in the end.
        var waiting = 0
        /// People who are signed in in the end.
        var signedIn = 0
    }

    @MainActor
    private static func hour(of people: Int, _ time: Duration) async throws -> Outcome {
        let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(20))))
        var project = NovaProject.seeded(users: people, posts: 500)
        // So many people behind one feed are not one person who calls often.
        project.rates = .none
        let nova = NovaServer(project)
        _ = try await network.host("nova").listen(nova, at: SocketAddress(host: "nova", port: 8080))
        var outcome = Outcome()
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for (number, user) in project.users.enumerated() {
                let person = try Person(user, on: network.host("phone \(number)"))
                group.addTask { try await person.use(for: time) }
            }
            for try await one in group {
                outcome.deeds += one.deeds
                outcome.waiting += one.waiting
                outcome.signedIn += one.signedIn
            }
        }
        outcome.requests = nova.requestCount
        return outcome
    }

    /// User and system time of this process.
    private static func processorSeconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func residentBytes() -> Int {
        let fields =
            (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(getpagesize())
    }
}

/// Somebody with an app.
@MainActor
private final class Person {
    private let user: NovaUser
    private let app: NovaApp
    private let screens: NovaScreens
    private var deeds = 0

    init(_ user: NovaUser, on phone: any HTTPClient) throws {
        self.user = user
        app = try NovaApp(
            NovaEnvironment(
                http: phone,
                secrets: InMemorySecretStore(),
                databasePath: ":memory:",
                photos: NoPhotos()
            ) { ServiceAddress("http://nova:8080") }
        )
        screens = app.makeScreens()
    }

    /// Signs in, does something every minute on the average, and stops when the time is over.
    func use(for time: Duration) async throws -> NovaCrowd.Outcome {
        let end = ContinuousClock.now + time
        // Not all at once.
        try await Task.sleep(for: .seconds(Double.random(in: 0...30)))
        screens.appear()
        await app.launch()
        await screens.signIn.send(.setEmail(user.email))
        await screens.signIn.send(.setPassword(EnteredSecret(user.password)))
        await screens.signIn.send(.submit)
        while .now < end {
            try await Task.sleep(for: .seconds(Double.random(in: 1...119)))
            await act()
            deeds += 1
        }
        try await Task.sleep(for: .seconds(5))
        let root = screens.root.state
        let outcome = NovaCrowd.Outcome(
            deeds: deeds,
            waiting: root.pendingCount,
            signedIn: root.root == .main ? 1 : 0
        )
        screens.disappear()
        await app.shutdown()
        return outcome
    }

    private func act() async {
        let post = screens.feed.state.posts.randomElement()?.id
        switch Int.random(in: 0..<10) {
        case 0: await screens.feed.send(.refresh)
        case 1, 2: await screens.feed.send(.loadMore)
        case 3...5: if let post { await screens.feed.send(.toggleLike(postID: post)) }
        case 6:
            if let post {
                await screens.feed.send(.open(postID: post))
                await screens.root.send(.back)
            }
        case 7:
            if let post {
                await screens.feed.send(.openComments(postID: post))
                await screens.comments.send(.setText("Seen."))
                await screens.comments.send(.send)
                await screens.root.send(.back)
            }
        case 8:
            await screens.root.send(.select(.notifications))
            await screens.root.send(.select(.feed))
        default:
            await screens.root.send(.select(.profile))
            await screens.root.send(.select(.feed))
        }
    }
}

/// A device without photos.
private struct NoPhotos: PhotoSource {
    func pick() async throws(NovaError) -> [UInt8]? { nil }
}
