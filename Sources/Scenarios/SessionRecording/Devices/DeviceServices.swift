/// The services of the device, as a recording has them.
public protocol DeviceServices: Sendable {
    /// The calls of one kind; once in a run for each.
    ///
    /// - Throws: ``SessionError/damaged(path:detail:)`` where the recording has a call that is none of the kind.
    func calls<Request, Reply>(
        _ kind: DeviceCall<Request, Reply>
    ) throws(SessionError) -> any DeviceCalls<Request, Reply>
}
