public import Services
import Synchronization
public import Transport

/// Content as the body of a request.
public struct ContentBody: Sendable {
    /// What is sent.
    public let body: HTTPBody
    private let failures: ContentFailure?

    init(_ body: HTTPBody, _ failures: ContentFailure? = nil) {
        (self.body, self.failures) = (body, failures)
    }

    /// Why the content could not be read while it was sent; `nil` where it could.
    public var failure: ObjectContentError? { failures?.value }
}

/// Why content could not be read.
final class ContentFailure: Sendable {
    private let failure = Mutex<ObjectContentError?>(nil)

    var value: ObjectContentError? { failure.withLock(\.self) }

    func set(_ value: ObjectContentError) { failure.withLock { $0 = value } }
}
