public import Nova

/// The photos that a page sends: whoever picks in the task of a page's request gets its file, and everybody else has cancelled.
public struct OfferedPhotos: PhotoSource {
    /// The file of the request that this task answers.
    @TaskLocal private static var file: [UInt8]?

    /// Creates the source; one is as good as another.
    public init() {}

    /// The file of the page's request; `nil` where the page has sent none.
    public func pick() async -> [UInt8]? { Self.file }

    /// Does something in which a file is picked.
    @MainActor
    static func offer<Outcome>(_ file: [UInt8], to work: @MainActor () async -> Outcome) async -> Outcome {
        await $file.withValue(file) { await work() }
    }
}
