/// What `lenssim doctor` says about one thing of the machine.
struct Finding: Encodable {
    /// How it is.
    enum State: String, Encodable {
        /// It can be used.
        case usable
        /// It is not there, and what needs it does without or says so.
        case absent
        /// It does not work, and hardly any command can do without it.
        case broken
    }

    /// The group of things it belongs to, such as `programs`.
    var area: String
    /// What was looked at.
    var name: String
    var state: State
    /// What was found.
    var detail: String
    /// What makes it usable; left out where it is.
    var advice: String?

    static func usable(_ area: String, _ name: String, _ detail: String) -> Finding {
        Finding(area: area, name: name, state: .usable, detail: detail)
    }

    static func absent(_ area: String, _ name: String, _ detail: String, advice: String?) -> Finding {
        Finding(area: area, name: name, state: .absent, detail: detail, advice: advice)
    }

    static func broken(_ area: String, _ name: String, _ detail: String, advice: String) -> Finding {
        Finding(area: area, name: name, state: .broken, detail: detail, advice: advice)
    }
}
