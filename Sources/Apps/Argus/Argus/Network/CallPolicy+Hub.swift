internal import Concurrency
internal import ServiceClient
internal import Transport

extension CallPolicy {
    /// What reads something is sent again when the hub was not reached, soon the first time: a hub has two addresses, may have moved, and is behind the relay, too.
    ///
    /// What the hub itself refuses is not sent again, whatever the status: a person sees it, and tries again.
    static let hub = CallPolicy(
        retries: RetryPolicy(retries: 4, first: .milliseconds(100), longest: .seconds(1)),
        limits: HTTPLimits(connect: .seconds(3), progress: .seconds(10), head: .seconds(10)),
        deadline: .seconds(30)
    )

    /// The same, sent once: the caller chooses another way.
    static let hubOnce = CallPolicy(
        retries: RetryPolicy(retries: 0, first: .zero, longest: .zero),
        limits: hub.limits,
        deadline: hub.deadline
    )
}
