extension Duration {
    /// This duration, or a hundred years if it is longer: Swift's clocks trap where the moment of waking is beyond `Int64`
    /// seconds, which `.seconds(Int.max)`, a usual spelling of "never", would be.
    package var sleepable: Duration { min(self, .seconds(100 * 366 * 86_400)) }
}
