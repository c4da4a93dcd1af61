/// A wait for what never comes.
package enum Silence {
    /// Returns when the task is cancelled.
    ///
    /// Without a timer, so that a program in which nothing else happens is noticed at once.
    package static func wait() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
    }
}
