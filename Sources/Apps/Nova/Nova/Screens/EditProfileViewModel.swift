public import Concurrency
internal import Foundation
internal import PhotoEditing
public import ScreenKit

/// The form of one's own profile.
@MainActor
public final class EditProfileViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// Whether the form is open.
        public var isOpen: Bool = false
        /// The name, as it is typed.
        public var displayName: String = ""
        /// What the person says of themselves, as it is typed.
        public var bio: String = ""
        /// Counts the portraits that were picked for this form; 0 where the present one stays.
        public var avatarVersion: Int = 0
        /// How far saving has come; the fields are `displayName` and `bio`.
        public var progress: FormProgress = FormProgress()
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        case setDisplayName(String)
        case setBio(String)
        /// Picks another portrait.
        case pickAvatar
        /// Saves, and goes back.
        case save
        /// Goes back.
        case cancel
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>
    /// The portrait that was picked, as a JPEG file; `nil` where the present one stays.
    public private(set) var avatar: [UInt8]?

    private let app: NovaApp
    private let navigator: NovaNavigator
    private let model: ScreenModel<State>
    private let following = OwnedTasks()
    private lazy var form = Form { [weak self] in self?.model.refresh() }
    private var isOpen = false
    private var displayName = ""
    private var bio = ""
    private var avatarVersion = 0
    /// What was sent last, to be sent again as it is while nothing is changed.
    private var sent: (form: MultipartForm, key: String)?

    init(_ app: NovaApp, _ navigator: NovaNavigator) {
        (self.app, self.navigator) = (app, navigator)
        model = ScreenModel(State(), sources: [])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        State(
            isOpen: isOpen,
            displayName: displayName,
            bio: bio,
            avatarVersion: avatarVersion,
            progress: form.progress
        )
    }

    /// The state follows the window: the form begins with what is known when it is opened.
    public func appear() {
        model.follow()
        following.replace(with: [navigator.place.onChange { [weak self] in self?.follow() }])
    }

    /// The state stays as it is.
    public func disappear() {
        following.cancelAll()
        model.unfollow()
    }

    private func follow() {
        let isWanted = app.session != nil && navigator.place.value.path.last == .editProfile
        guard isWanted != isOpen else { return }
        isOpen = isWanted
        let user = isWanted ? app.session?.user : nil
        (displayName, bio) = (user?.displayName ?? "", user?.bio ?? "")
        (avatar, avatarVersion, sent) = (nil, 0, nil)
        form = Form { [weak self] in self?.model.refresh() }
        model.refresh()
    }

    /// Does what the user wants; a failure is in the state, and leaves the profile as it is.
    public func send(_ action: Action) async {
        // The form may have been opened in this step.
        follow()
        switch action {
        case .setDisplayName(let name): (displayName, sent) = (String(name.prefix(100)), nil)
        case .setBio(let bio): (self.bio, sent) = (String(bio.prefix(1_000)), nil)
        case .pickAvatar: await pickAvatar()
        case .save: await save()
        case .cancel: if isOpen { navigator.back() }
        case .dismissAlert: form.dismissAlert()
        }
        model.refresh()
    }

    private func pickAvatar() async {
        var picked: [UInt8]?
        await form.submit(validate: { [] }) { picked = try await app.pickPhoto() }
        guard isOpen, let picked else { return }
        (avatar, sent) = (picked, nil)
        avatarVersion += 1
    }

    private func save() async {
        guard isOpen, let session = app.session else { return }
        await form.submit(validate: errors) {
            let (multipart, key) = sent ?? (makeForm(), UUID().uuidString.lowercased())
            sent = (multipart, key)
            let user = try await session.api.update(session.userID, with: multipart, key: key)
            guard session === app.session else { throw CancellationError() }
            session.take(me: user)
            app.analytics.track(.profileUpdate)
            if isOpen { navigator.back() }
        }
    }

    private func makeForm() -> MultipartForm {
        var form = MultipartForm()
        form.add(displayName.trimmed, as: "display_name")
        form.add(bio.trimmed, as: "bio")
        if let avatar { form.add(jpeg: avatar, as: "avatar") }
        return form
    }

    private func errors() -> [FieldError] {
        displayName.trimmed.isEmpty ? [FieldError("displayName", "Enter a name.")] : []
    }
}

extension NovaApp {
    /// Has the person pick a picture, and makes of it what is published: a JPEG file of quality 85 within 2048 × 2048 pixels.
    ///
    /// - Returns: `nil` where the person has cancelled.
    /// - Throws: ``NovaError/noPicture``.
    func pickPhoto() async throws -> [UInt8]? {
        guard let file = try await photos.pick() else { return nil }
        do { return try await Photo.published(file, edit: PhotoEdit()) } catch { throw NovaError.noPicture }
    }
}
