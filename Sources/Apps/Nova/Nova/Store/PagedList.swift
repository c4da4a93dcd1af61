/// A list that Nova gives in pages, as names of what is in the store.
///
/// A loading of the first page begins another generation: what earlier ones still answer is dropped. No page is asked for twice at once, and the number of the page moves
/// with an answer alone.
@MainActor
final class PagedList {
    /// What one page brings.
    struct Found {
        var ids: [String]
        var hasMore: Bool
        /// Keeps the page for later; called where no later loading has taken its place.
        var keep: @MainActor () -> Void = {}
    }

    /// How many pages a list has at most, so that what is shown stays bounded; where it ends for that, its state says so.
    static let mostPages = 50

    /// What is loaded, the first first, each once.
    private(set) var ids: [String] = []
    /// The number of the last page that is there; -1 where none is.
    private(set) var page = -1
    private(set) var hasMore = false
    /// Whether Nova has further pages and this list has as many as it takes.
    private(set) var isFull = false
    private(set) var isLoading = false
    private(set) var isLoadingMore = false
    /// Why the last loading failed; `nil` where it did not.
    private(set) var error: NovaError?

    private var generation = 0
    private let fetch: @MainActor (_ page: Int) async throws -> Found
    private let changed: @MainActor () -> Void

    /// - Parameters:
    ///   - changed: Called after each change.
    ///   - fetch: Asks for a page, and puts what is in it into the store.
    init(
        changed: @escaping @MainActor () -> Void,
        _ fetch: @escaping @MainActor (_ page: Int) async throws -> Found
    ) {
        (self.changed, self.fetch) = (changed, fetch)
    }

    /// What is shown of the first and further pages.
    var state: ListState {
        ListState(
            isLoading: isLoading,
            isLoadingMore: isLoadingMore,
            hasMore: hasMore,
            isFull: isFull,
            errorMessage: error?.text
        )
    }

    /// Whether nothing was loaded, is being loaded, or has failed.
    var isUntouched: Bool { page < 0 && !isLoading && error == nil }

    /// Shows a first page that is known.
    func show(_ found: Found) {
        generation += 1
        (isLoading, isLoadingMore, error) = (false, false, nil)
        take(found, page: 0)
        changed()
    }

    /// Puts something before what is there, once.
    func putFirst(_ id: String) {
        guard !ids.contains(id) else { return }
        ids.insert(id, at: 0)
    }

    /// Loads the first page in the place of all; a failure leaves what was there.
    func load() async {
        generation += 1
        let begun = generation
        (isLoading, isLoadingMore, error) = (true, false, nil)
        changed()
        let outcome = await outcome(of: 0)
        guard begun == generation else { return }
        isLoading = false
        settle(outcome, page: 0)
    }

    /// Loads the next page, where there is one and nothing is being loaded.
    func loadMore() async {
        guard !isLoading, !isLoadingMore, hasMore else { return }
        let (begun, next) = (generation, page + 1)
        (isLoadingMore, error) = (true, nil)
        changed()
        let outcome = await outcome(of: next)
        guard begun == generation else { return }
        isLoadingMore = false
        settle(outcome, page: next)
    }

    private func outcome(of page: Int) async -> Result<Found, any Error> {
        do { return .success(try await fetch(page)) } catch { return .failure(error) }
    }

    private func settle(_ outcome: Result<Found, any Error>, page: Int) {
        switch outcome {
        case .success(let found):
            take(found, page: page)
            found.keep()
        case .failure(let failure): error = failure as? NovaError
        }
        changed()
    }

    /// Posts that came meanwhile have moved others to later pages: those are there already.
    private func take(_ found: Found, page: Int) {
        if page == 0 { ids = [] }
        var known = Set(ids)
        ids += found.ids.filter { known.insert($0).inserted }
        self.page = page
        isFull = found.hasMore && page + 1 >= Self.mostPages
        hasMore = found.hasMore && !isFull
    }
}

/// How far the loading of a list has come.
public struct ListState: Codable, Hashable, Sendable {
    /// Whether the first page is being loaded.
    public var isLoading: Bool = false
    /// Whether a further page is being loaded.
    public var isLoadingMore: Bool = false
    /// Whether there may be further pages.
    public var hasMore: Bool = false
    /// Whether Nova has further pages and this list has as many as it takes: it begins again when it is loaded.
    public var isFull: Bool = false
    /// Why the last loading failed; `nil` where it did not.
    public var errorMessage: String?
}
