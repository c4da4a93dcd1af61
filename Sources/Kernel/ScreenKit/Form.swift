internal import Foundation

/// How far the submission of a form has come, as its screen shows it.
public struct FormProgress: Codable, Hashable, Sendable {
    /// An attempt is under way.
    public var isLoading: Bool = false
    /// What is wrong with fields, by their names; empty where nothing is, or nothing was looked at yet.
    public var validationErrors: [String: String] = [:]
    /// Why the last attempt failed.
    public var errorMessage: String = ""
    /// Whether the failure is to be shown.
    public var showErrorAlert: Bool = false
    /// Whether an attempt has succeeded.
    public var isSubmitted: Bool = false

    /// Nothing was tried yet.
    public init() {}
}

/// What is wrong with a field, for the person who fills it in.
public struct FieldError: Hashable, Sendable {
    /// The field's name, as the state of its screen has it.
    public var field: String
    /// What is wrong, as a sentence.
    public var message: String

    /// Describes what is wrong with a field.
    public init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }
}

/// Submits what a person has filled in: one attempt at a time, and none while fields are wrong.
///
/// ```swift
/// private lazy var form = Form { [weak self] in self?.model.refresh() }
///
/// func submit() async {
///     await form.submit(validate: { input.validate() }) { try await repository.logIn(input) }
/// }
/// ```
@MainActor
public final class Form {
    /// How far it has come.
    public private(set) var progress = FormProgress() {
        didSet { if progress != oldValue { changed() } }
    }

    private let changed: @MainActor () -> Void

    /// Creates a form.
    ///
    /// - Parameter changed: Called after each change of ``progress``.
    public init(changed: @escaping @MainActor () -> Void) { self.changed = changed }

    /// Checks all fields, and does the work where nothing is wrong with them.
    ///
    /// Does nothing while an attempt is under way. A failure becomes ``FormProgress/errorMessage``: its `localizedDescription`.
    ///
    /// - Parameters:
    ///   - validate: What is wrong with fields, all at once; of two errors of one field the first is shown.
    ///   - isDropped: Whether a failure means nothing to the person, such as that of something that was cancelled.
    ///   - work: Sends what was filled in.
    /// - Returns: Whether the work was done, and has succeeded.
    @discardableResult
    public func submit(
        validate: @MainActor () -> [FieldError],
        isDropped: @MainActor (any Error) -> Bool = { $0 is CancellationError },
        _ work: @MainActor () async throws -> Void
    ) async -> Bool {
        guard !progress.isLoading else { return false }
        let errors = validate()
        progress.validationErrors = Dictionary(errors.map { ($0.field, $0.message) }) { first, _ in first }
        guard errors.isEmpty else { return false }
        progress.isLoading = true
        progress.showErrorAlert = false
        defer { progress.isLoading = false }
        do {
            try await work()
            progress.errorMessage = ""
            progress.isSubmitted = true
            return true
        } catch {
            guard !isDropped(error) else { return false }
            progress.errorMessage = error.localizedDescription
            progress.showErrorAlert = true
            return false
        }
    }

    /// Looks at one field again that was wrong, after it was changed.
    public func revalidate(_ field: String, among errors: [FieldError]) {
        guard progress.validationErrors[field] != nil else { return }
        progress.validationErrors[field] = errors.first { $0.field == field }?.message
    }

    /// The failure has been read.
    public func dismissAlert() { progress.showErrorAlert = false }
}
