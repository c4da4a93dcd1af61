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

    /// Refuses its options where another service is served.
    ///
    /// - Throws: A validation error, unless none was given.
    func refuseOptions() throws

    /// The server that the options ask for, with such keys.
    ///
    /// - Parameter dialect: One of ``dialects``; `nil` where there are none.
    /// - Throws: What makes the options unusable, such as a file of theirs.
    func server(_ keys: KeySource, dialect: String?) throws -> ServedServer
}
