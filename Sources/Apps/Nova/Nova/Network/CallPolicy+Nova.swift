internal import Concurrency
internal import ServiceClient
internal import Transport

extension CallPolicy {
    /// Three tries in all, after 1 s and 2 s, or as much later as Nova asks for, up to half a minute: a person waits for it.
    static let nova = CallPolicy(
        retries: RetryPolicy(
            retries: 2,
            first: .seconds(1),
            longest: .seconds(2),
            longestServerWait: .seconds(30)
        ),
        limits: HTTPLimits(connect: .seconds(10), progress: .seconds(15), head: .seconds(15)),
        deadline: .seconds(90)
    )

    /// One try: the queue repeats it.
    static let queued = CallPolicy(
        retries: RetryPolicy(retries: 0, first: .zero, longest: .zero),
        limits: nova.limits,
        deadline: .seconds(30)
    )

    /// One try, which takes as long as the picture moves, up to ten minutes.
    static let upload = CallPolicy(retries: queued.retries, limits: nova.limits, deadline: .seconds(600))
}
