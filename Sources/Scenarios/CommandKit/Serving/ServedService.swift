package import ArgumentParser

/// A service of an app that `lenssim serve` hosts, with the options that it alone has.
package protocol ServedService: ParsableArguments {
    /// What is typed for it.
    static var name: String { get }
    /// What people call it.
    static var title: String { get }
    /// Rows of the help: a command, two blanks and what it does; all but the first behind two blanks.
    static var example: String { get }

    /// What `--dialect` may be for it, the usual one first; none where it speaks but one.
    static var dialects: [String] { get }

    /// Whether it can keep its state in a folder.
    static var keepsState: Bool { get }

    /// Refuses its options where another service is served.
    ///
    /// - Throws: A validation error, unless none was given.
    func refuseOptions() throws

    /// The server that the options ask for, with such keys.
    ///
    /// - Parameters:
    ///   - keys: Where its keys come from.
    ///   - dialect: One of ``dialects``; `nil` where there are none.
    ///   - folder: Where it keeps its state; `nil` for memory only, and where it does not keep any.
    /// - Throws: What makes the options unusable, such as a file of theirs.
    func server(_ keys: KeySource, dialect: String?, folder: String?) throws -> ServedServer
}
