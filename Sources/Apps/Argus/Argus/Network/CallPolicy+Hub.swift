internal import Concurrency
internal import ServiceClient
internal import Transport

extension CallPolicy {
    /// What reads something is sent again when the hub was not reached, at once the first time: the next way, or the relay, may be up.
    ///
    /// What the hub itself refuses is not sent again, whatever the status: a person sees it, and tries again.
    static let hub = CallPolicy(
        retries: RetryPolicy(retries: 2, first: .milliseconds(250), longest: .seconds(1)),
        limits: HTTPLimits(connect: .seconds(3), progress: .seconds(10), head: .seconds(10)),
        deadline: .seconds(30)
    )
}
