/// Stands in for a function of swift-tools-support-core that is imported and not called.
public func tsc_await() {}
