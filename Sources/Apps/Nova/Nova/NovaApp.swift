public import AppKernel
internal import Concurrency
internal import Foundation
public import ServiceClient
internal import Services

/// A feed of pictures, with all that the person does kept until Nova has it: what there is one of in each app.
@MainActor
public final class NovaApp {
    /// Counts changes of all that screens show.
    nonisolated let changes: Published<Int>
    nonisolated let auth: AuthService
    nonisolated let api: APIClient
    let analytics: Analytics
    nonisolated let photos: any PhotoSource
    /// Whether the launch has found out if somebody is signed in.
    private(set) var isChecked = false
    /// All of the signed-in person; `nil` where nobody is.
    private(set) var session: NovaSession?

    /// The session that Nova has ended, until somebody signs in: what waits in it is for the same person, unless they sign out after all.
    private var expired: NovaSession?

    /// Counts sessions, to tell one from the next.
    private(set) var sessions = 0

    /// Why the last sign-out has not forgotten everything; `nil` where it has, and when the person has read it.
    private(set) var signOutFailure: NovaError?

    private let environment: NovaEnvironment
    private nonisolated let place: @Sendable () -> ServiceAddress?
    private let database: AppDatabase
    private let counted = CurrentValue(0, backlog: 1)
    private let following = OwnedTasks()
    private let leaving = OwnedTasks()
    /// The end of a session that is under way, or was the last one.
    private var ending: Task<Void, Never>?

    /// Makes the app; nothing is sent before ``launch()``.
    ///
    /// - Throws: `DatabaseFailure`, where the database cannot be opened.
    public init(_ environment: NovaEnvironment) throws(DatabaseFailure) {
        (self.environment, place) = (environment, environment.address)
        changes = counted.published
        photos = environment.photos
        database = try AppDatabase(path: environment.databasePath)
        let repository = AuthRepository(environment.http, address: environment.address)
        auth = AuthService(
            repository,
            secrets: environment.secrets,
            identities: environment.identities
        )
        api = APIClient(environment.http, tokens: auth.tokens, address: environment.address)
        analytics = Analytics(
            api,
            device: Analytics.Device(
                id: Self.deviceID(in: environment.secrets),
                platform: environment.platform,
                appVersion: environment.appVersion
            ),
            network: environment.network
        )
    }

    /// The name under which ``NovaEnvironment/secrets`` keeps what this device is called.
    public nonisolated static let deviceName = "nova.deviceID"

    /// What this device is called: made once; where it cannot be kept, once for each process.
    private static func deviceID(in secrets: any SecretStore) -> String {
        if let kept = (try? secrets.secret(named: deviceName)) ?? nil { return kept.reveal() }
        let id = UUID().uuidString.lowercased()
        try? secrets.set(Secret(id), named: deviceName)
        return id
    }

    /// Something that screens show has changed.
    func changed() { counted.update { $0 += 1 } }

    // MARK: Life

    /// Finds out whether somebody is signed in, and goes on with what waits for them; Nova is not asked.
    public func launch() async {
        guard !isChecked else { return }
        if let userID = await auth.keptUserID() {
            // Without its database the app shows the sign-in, which fails and says why.
            session = try? open(userID)
        }
        isChecked = true
        analytics.track(.appOpen)
        analytics.start()
        let values = auth.isAuthenticated.values(backlog: 1)
        following.replace(with: [
            Task { [weak self] in for await _ in values { await self?.noteAuthentication() } }
        ])
        changed()
    }

    /// The app is in the foreground again: what waits is tried.
    public func enterForeground() async {
        analytics.track(.appForeground)
        await session?.processQueue()
    }

    /// The app goes to the background; returns within five seconds, whatever the network does.
    public func enterBackground() async {
        analytics.track(.appBackground)
        await analytics.flushForBackground()
    }

    /// Ends what is under way; nothing is changed afterwards, and what waits is kept for the next launch.
    public func shutdown() async {
        await following.cancelAndWait()
        await leaving.cancelAndWait()
        await ending?.value
        await session?.stop()
        session = nil
        await analytics.stop()
        try? database.close()
    }

    /// Where Nova is; `nil` where none is configured.
    public nonisolated var address: ServiceAddress? { place() }

    /// The screens of one window.
    public func makeScreens() -> NovaScreens { NovaScreens(self) }

    // MARK: Sessions

    private func open(_ userID: String) throws(DatabaseFailure) -> NovaSession {
        let session = try NovaSession(
            of: userID,
            api,
            in: database,
            network: environment.network,
            analytics: analytics,
            changes: counted
        )
        sessions += 1
        analytics.userID = userID
        session.start()
        return session
    }

    /// Signs somebody in, once an earlier session has ended whole, and begins their session.
    ///
    /// - Parameter signIn: Returns `nil` where the person has changed their mind.
    /// - Returns: Whether somebody is signed in.
    /// - Throws: ``NovaError``, `CancellationError`.
    func signIn(_ signIn: (AuthService) async throws -> User?) async throws -> Bool {
        await ending?.value
        guard let user = try await signIn(auth) else { return false }
        let earlier = session
        (session, expired, signOutFailure) = (nil, nil, nil)
        await earlier?.stop()
        do { session = try open(user.id) } catch {
            _ = await auth.signOut()
            throw NovaError.notKept
        }
        session?.take(me: user)
        return true
    }

    /// Nova does not take the tokens any more: the person has to sign in again, and what waits for them stays.
    private func noteAuthentication() async {
        guard !auth.isAuthenticated.value, let ended = session else { return }
        (session, expired) = (nil, ended)
        analytics.userID = nil
        changed()
        await end { await ended.stop() }
    }

    /// Ends a session, which the next sign-in waits for.
    private func end(_ work: @escaping @MainActor () async -> Void) async {
        let task = Task { [before = ending] in
            await before?.value
            await work()
        }
        ending = task
        await task.value
    }

    /// Ends the session, and forgets all of the person; for a few seconds after this has returned, Nova is asked to end it too.
    ///
    /// So does a wish that comes when Nova has just ended the session.
    public func signOut() async {
        guard let ended = session ?? expired else { return }
        (session, expired) = (nil, nil)
        analytics.track(.signOut)
        analytics.userID = nil
        changed()
        await end { [self] in
            var isForgotten = true
            do { try await ended.forget() } catch { isForgotten = false }
            let end = await auth.signOut()
            leaving.replace(with: [Task { await end.tell() }])
            signOutFailure = isForgotten && end.isForgotten ? nil : .notForgotten
        }
        changed()
    }

    /// The person has read why not everything was forgotten.
    func dismissSignOutFailure() {
        signOutFailure = nil
        changed()
    }
}
