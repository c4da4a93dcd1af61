/// Code that the model has written and the service runs; a ``LiveCodeResult`` follows.
public struct LiveCode: Sendable, Hashable {
    /// The language in the service's own word; empty where it does not say.
    public var language: String
    /// The code.
    public var text: String

    /// Makes a value of its parts.
    public init(language: String = "", _ text: String) {
        self.language = language
        self.text = text
    }
}

/// What code of the model has done at the service.
public struct LiveCodeResult: Sendable, Hashable {
    /// How it ended.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// To its end.
        case finished
        /// With an error.
        case failed
        /// It ran for too long and was stopped.
        case timedOut
        /// In a way that is not known here.
        case unknown
    }

    /// How it ended.
    public var outcome: Outcome
    /// What it has printed, errors too.
    public var output: String

    /// Makes a value of its parts.
    public init(_ outcome: Outcome, output: String = "") {
        self.outcome = outcome
        self.output = output
    }
}

/// What an answer rests on that was searched for.
public struct LiveGrounding: Sendable, Hashable {
    /// A page that was found.
    public struct Source: Sendable, Hashable {
        /// Its address, which may lead over the service's own.
        public var address: String
        /// Its title; empty where the service does not say.
        public var title: String

        /// Makes a source.
        public init(address: String, title: String = "") {
            self.address = address
            self.title = title
        }
    }

    /// A piece of the answer and what it rests on.
    public struct Support: Sendable, Hashable {
        /// The words of the answer.
        public var text: String
        /// Places in ``LiveGrounding/sources``.
        public var sources: [Int]

        /// Makes a support.
        public init(_ text: String, sources: [Int]) {
            self.text = text
            self.sources = sources
        }
    }

    /// What the model has searched for.
    public var queries: [String]
    /// What was found; one that is no page of the web has no address.
    public var sources: [Source]
    /// Which piece rests on which sources.
    public var supports: [Support]
    /// HTML with further searches, which a service's terms may want shown with the answer; `nil` for none.
    public var suggestions: String?

    /// Makes a value of its parts.
    public init(
        queries: [String] = [],
        sources: [Source] = [],
        supports: [Support] = [],
        suggestions: String? = nil
    ) {
        self.queries = queries
        self.sources = sources
        self.supports = supports
        self.suggestions = suggestions
    }
}

/// An address that the service has tried to read.
public struct LiveAddressRead: Sendable, Hashable {
    /// What came of it.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// It was read.
        case read
        /// It could not be read.
        case failed
        /// It is behind a paywall.
        case paywall
        /// It is not safe.
        case unsafe
        /// In a way that is not known here.
        case unknown
    }

    /// The address.
    public var address: String
    /// What came of it.
    public var status: Status

    /// Makes a value of its parts.
    public init(_ address: String, _ status: Status) {
        self.address = address
        self.status = status
    }
}
