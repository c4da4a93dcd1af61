import Concurrency
import Foundation
import LiveTransport
import Nova
import ScreenKit
import ServiceClient
import Services
import SimulatedDevice

/// The app of Nova on real sockets, for services that share no code with it.
///
/// Arguments: the address of the service, and a folder for what waits for it. Reads commands from standard input, one a line: a JSON array of texts. Prints a JSON
/// object for each, once the work is done and nothing waits for the service any more, for ten seconds at most:
///
/// - `signUp NAME EMAIL PASSWORD`, `signIn EMAIL PASSWORD`, `apple`, `signOut`;
/// - `feed` loads the feed, `refresh` in the place of all that is known, `more` a further page;
/// - `like POST`, `comment POST TEXT`, `comments POST`, `publish FILE CAPTION`, `profile FILE NAME BIO`;
/// - `background` hands over what was tracked, `foreground` has what waits tried, `relaunch` starts the app again on what it has kept.
@main
@MainActor
struct NovaVisitor {
    /// What is printed after a command.
    struct Line: Encodable {
        var command: String
        var root: RootViewModel.Root = .launching
        var pending: Int = 0
        var user: User?
        var posts: [Post] = []
        var comments: [CommentRow] = []
        var hasMore = false
        var errors: [String] = []
    }

    private static let patience: Duration = .seconds(10)

    private let environment: NovaEnvironment
    private var app: NovaApp
    private var screens: NovaScreens

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let address = ServiceAddress(arguments[1]) else {
            FileHandle.standardError.write(Data("usage: NovaVisitor ADDRESS FOLDER\n".utf8))
            exit(64)
        }
        let transport = try LiveTransport()
        var visitor = try await NovaVisitor(
            NovaEnvironment(
                http: transport,
                secrets: InMemorySecretStore(),
                databasePath: arguments[2] + "/nova.sqlite",
                identities: AskedIdentity(client: ServiceClient(transport, policy: .interactive) { address }),
                photos: NamedPhoto()
            ) { address }
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        while let line = readLine() {
            let words = try JSONDecoder().decode([String].self, from: Data(line.utf8))
            let answer = try await visitor.obey(words[0], Array(words.dropFirst()))
            try FileHandle.standardOutput.write(contentsOf: try encoder.encode(answer) + Data("\n".utf8))
        }
        await visitor.app.shutdown()
        await transport.shutdown()
    }

    private init(_ environment: NovaEnvironment) async throws {
        self.environment = environment
        app = try NovaApp(environment)
        screens = app.makeScreens()
        screens.appear()
        await app.launch()
    }

    private mutating func obey(_ command: String, _ words: [String]) async throws -> Line {
        switch command {
        case "relaunch":
            screens.disappear()
            await app.shutdown()
            self = try await NovaVisitor(environment)
        case "background": await app.enterBackground()
        case "foreground": await app.enterForeground()
        case "signUp", "signIn", "apple", "signOut": await enter(command, words)
        case "feed": await screens.feed.send(.load)
        case "refresh": await screens.feed.send(.refresh)
        case "more": await screens.feed.send(.loadMore)
        case "like": await screens.feed.send(.toggleLike(postID: words[0]))
        case "comments", "comment": await comment(words)
        case "publish": await publish(words[0], words[1])
        case "profile": await profile(words[0], words[1], words[2])
        default: throw CocoaError(.featureUnsupported)
        }
        let end = ContinuousClock.now + Self.patience
        repeat { try await Task.sleep(for: .milliseconds(20)) } while isWaiting && .now < end
        return line(of: command)
    }

    private var isWaiting: Bool {
        screens.root.state.pendingCount > 0 || screens.comments.state.list.isLoading
            || screens.feed.state.list.isLoading
    }

    private func line(of command: String) -> Line {
        let (root, feed, comments) = (screens.root.state, screens.feed.state, screens.comments.state)
        return Line(
            command: command,
            root: root.root,
            pending: root.pendingCount,
            user: root.user,
            posts: feed.posts.map(\.post),
            comments: comments.comments,
            hasMore: feed.list.hasMore,
            errors: root.notices.map(\.text)
                + [
                    screens.signIn.state.progress.errorMessage, screens.create.state.progress.errorMessage,
                    screens.editProfile.state.progress.errorMessage, feed.errorMessage,
                    feed.list.errorMessage,
                    comments.errorMessage, comments.list.errorMessage,
                ].compactMap(\.self).filter { !$0.isEmpty }
        )
    }

    private func enter(_ command: String, _ words: [String]) async {
        let screen = screens.signIn
        switch command {
        case "apple": await screen.send(.signInWithApple)
        case "signOut": await screens.root.send(.signOut)
        default:
            await screen.send(.setMode(command == "signUp" ? .signUp : .signIn))
            if command == "signUp" { await screen.send(.setUsername(words[0])) }
            await screen.send(.setEmail(words[words.count - 2]))
            await screen.send(.setPassword(EnteredSecret(words[words.count - 1])))
            await screen.send(.submit)
        }
    }

    private func comment(_ words: [String]) async {
        await screens.root.send(.select(.feed))
        await screens.feed.send(.openComments(postID: words[0]))
        await screens.comments.send(.load)
        guard words.count > 1 else { return }
        await screens.comments.send(.setText(words[1]))
        await screens.comments.send(.send)
    }

    private func publish(_ file: String, _ caption: String) async {
        await screens.root.send(.select(.create))
        await NamedPhoto.$path.withValue(file) { await screens.create.send(.pick) }
        await screens.create.send(.applyEdit)
        await screens.create.send(.setCaption(caption))
        await screens.create.send(.publish)
    }

    private func profile(_ file: String, _ name: String, _ bio: String) async {
        await screens.root.send(.navigate(.editProfile))
        await screens.editProfile.send(.setDisplayName(name))
        await screens.editProfile.send(.setBio(bio))
        await NamedPhoto.$path.withValue(file) { await screens.editProfile.send(.pickAvatar) }
        await screens.editProfile.send(.save)
    }
}

/// Picks the file that the task names.
private struct NamedPhoto: PhotoSource {
    @TaskLocal static var path = ""

    func pick() async throws(NovaError) -> [UInt8]? {
        do { return Array(try Data(contentsOf: URL(filePath: Self.path))) } catch { throw .noPicture }
    }
}

/// Asks the service for the identity token, with a call that is no part of Nova's.
private struct AskedIdentity: IdentityTokenProvider {
    let client: ServiceClient

    private struct Answer: Decodable {
        var identity_token: String
        var user: String
    }

    func authorize(nonce: String) async throws(NovaError) -> AppleAuthorization? {
        do throws(ServiceFailure) {
            var call = try Call.post("/issuer/token", ["nonce": nonce])
            call.isAuthorized = false
            let answer: Answer = try await client.send(call)
            return AppleAuthorization(
                identityToken: Secret(answer.identity_token),
                user: answer.user,
                email: "zoe@example.org",
                fullName: "Zoë"
            )
        } catch { throw .unavailable("\(error)") }
    }
}
