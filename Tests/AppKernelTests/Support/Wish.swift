import AppKernel

/// Work with a lane and a kind.
struct Wish: OutboxWork, Equatable {
    typealias Receipt = String

    var text: String
    var lane: String?
    var kind: String = ""
}
