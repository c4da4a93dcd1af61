internal import AppKernel
public import Concurrency
public import PhotoEditing
public import ScreenKit

/// Picks a picture, edits it, and publishes it; and shows what is being published.
@MainActor
public final class CreateViewModel: Screen {
    /// How far a new post has come.
    public enum Step: String, Codable, Hashable, Sendable {
        /// No picture is picked.
        case entry
        /// The picture is being edited.
        case edit
        /// The caption is being written.
        case form
    }

    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// How far it has come.
        public var step: Step = .entry
        /// Counts changes of ``CreateViewModel/picture``; 0 where there is none.
        public var pictureVersion: Int = 0
        /// What is to be done to the picture.
        public var edit: PhotoEdit = PhotoEdit()
        /// The caption, as it is typed.
        public var caption: String = ""
        /// How far picking, editing or publishing has come.
        public var progress: FormProgress = FormProgress()
        /// Whether publishing can be tried again as it was.
        public var offersRetry: Bool = false
        /// What Nova does not have yet, the oldest first.
        public var uploads: [Upload] = []
    }

    /// A post that Nova does not have yet.
    public struct Upload: Codable, Hashable, Sendable, Identifiable {
        /// What tells it from others.
        public var id: String
        /// Its caption.
        public var caption: String
        /// `Uploading...`, or why it has failed.
        public var text: String
        /// Whether it has failed for good.
        public var isFailed: Bool
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Picks a picture.
        case pick
        /// Leaves a part of the picture.
        case setCrop(PhotoCrop)
        /// Chooses a filter.
        case setFilter(PhotoFilter)
        /// Goes on to the caption with the picture as it is edited.
        case applyEdit
        /// Goes back by a step.
        case back
        case setCaption(String)
        /// Publishes, also again after a failure.
        case publish
        /// Publishes again what has failed for good, by its ``Upload/id``.
        case retryUpload(id: String)
        /// Takes back what was not published yet, by its ``Upload/id``.
        case discardUpload(id: String)
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: NovaApp
    private let navigator: NovaNavigator
    private let model: ScreenModel<State>
    private lazy var form = Form { [weak self] in self?.model.refresh() }
    private var draft = Draft()
    private var drafts = 0

    /// A post that is being made.
    private struct Draft {
        var number = 0
        var step = Step.entry
        var picked: [UInt8]?
        var edited: [UInt8]?
        var version = 0
        var edit = PhotoEdit()
        var caption = ""
        var isUnprepared = false
    }

    init(_ app: NovaApp, _ navigator: NovaNavigator) {
        (self.app, self.navigator) = (app, navigator)
        model = ScreenModel(State(), sources: [app.changes])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    /// The picture as it is picked, and from the caption on as it is edited: a JPEG file.
    public var picture: [UInt8]? { draft.step == .form ? draft.edited : draft.picked }

    private func makeState() -> State {
        guard let session = app.session else { return State() }
        return State(
            step: draft.step,
            pictureVersion: draft.version,
            edit: draft.edit,
            caption: draft.caption,
            progress: form.progress,
            offersRetry: draft.isUnprepared && !form.progress.isLoading,
            uploads: session.store.log.entries.compactMap { entry in
                guard case .publish(_, let caption, _) = entry.work else { return nil }
                return Upload(
                    id: entry.identity,
                    caption: caption,
                    text: entry.isFinal ? entry.reason.map(NovaSession.text) ?? "" : "Uploading...",
                    isFailed: entry.isFinal
                )
            }
        )
    }

    /// The state follows the app.
    public func appear() { model.follow() }
    /// The state stays as it is.
    public func disappear() { model.unfollow() }

    /// Begins from the beginning.
    func reset() {
        drafts += 1
        draft = Draft(number: drafts)
        form = Form { [weak self] in self?.model.refresh() }
        model.refresh()
    }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .pick: await pick()
        case .setCrop(let crop): if draft.step == .edit { draft.edit.crop = crop }
        case .setFilter(let filter): if draft.step == .edit { draft.edit.filter = filter }
        case .applyEdit: await applyEdit()
        case .back: back()
        case .setCaption(let caption): draft.caption = String(caption.prefix(2_000))
        case .publish: await publish()
        case .retryUpload(let id): await form.submit(validate: { [] }) { try app.session?.retry(id) }
        case .discardUpload(let id): await form.submit(validate: { [] }) { try app.session?.discard(id) }
        case .dismissAlert: form.dismissAlert()
        }
        model.refresh()
    }

    private func back() {
        guard !form.progress.isLoading else { return }
        if draft.step == .form {
            (draft.step, draft.edited) = (.edit, nil)
            draft.version += 1
        } else {
            reset()
        }
    }

    private func pick() async {
        guard draft.step == .entry else { return }
        let number = draft.number
        await form.submit(validate: { [] }) {
            guard let picked = try await app.pickPhoto(), number == draft.number else { return }
            (draft.picked, draft.step) = (picked, .edit)
            draft.version += 1
        }
    }

    private func applyEdit() async {
        guard draft.step == .edit, let picked = draft.picked else { return }
        let (number, edit) = (draft.number, draft.edit)
        await form.submit(validate: { [] }) {
            var edited = picked
            if edit != PhotoEdit() {
                do { edited = try await Photo.published(picked, edit: edit) } catch {
                    throw NovaError.noPicture
                }
            }
            guard number == draft.number else { return }
            (draft.edited, draft.step) = (edited, .form)
            draft.version += 1
        }
    }

    /// Publishes, and goes back to the feed when Nova has the post; where that takes longer than one try, or half a minute, the post goes on by itself.
    private func publish() async {
        guard draft.step == .form, let picture = draft.edited, let session = app.session else { return }
        let number = draft.number
        var isPublished = false
        draft.isUnprepared = false
        let isKept = await form.submit(validate: { [] }) {
            do {
                let identity = try await session.publish(picture, draft.caption.trimmed)
                isPublished = await session.settles(identity)
            } catch NovaError.uploadNotPrepared {
                draft.isUnprepared = true
                throw NovaError.uploadNotPrepared
            }
        }
        guard isKept, number == draft.number else { return }
        reset()
        if isPublished, navigator.place.value == NovaNavigator.Place(tab: .create) { navigator.select(.feed) }
    }
}
