internal import AppKernel
internal import Concurrency
internal import Services

extension CameraRouter {
    /// Which camera was chosen, and whether it was on.
    struct Choice: Sendable, Hashable {
        var source: CameraSourceType
        /// Whether it was connected, or looked for.
        var isOn: Bool
        var isTurnedOff: Bool
        /// Whether it was on for those who look at it.
        var isForViewers: Bool
    }

    /// What is chosen now.
    var choice: Choice {
        let status = status.value
        // One that is being disconnected is off.
        let isWanted = last?.wish != nil
        let isOn = isWanted && (status.isLost || [.connected, .connecting].contains(status.state))
        return Choice(source: status.source, isOn: isOn, isTurnedOff: isTurnedOff, isForViewers: isForViewers)
    }

    /// Gives the newest frames of the local camera, which is connected in the place of another one, until ``returnLocal()``.
    ///
    /// The choice that is remembered for the next launch stays as it was. Whoever asks for a camera meanwhile ends the loan, and has
    /// what was asked for.
    ///
    /// - Throws: As ``switchTo(_:)``; `unknown` with ``CameraInUse`` where a stream or a recording has another camera. Nothing is
    ///   lent then.
    func borrowLocal() async throws(CameraError) -> any FrameStream {
        guard !isNeededByStream || status.value.source == .local else { throw .unknown(CameraInUse()) }
        if loan == nil { loan = choice }
        stay()
        do throws(CameraError) {
            try await reach(.local)
            return try await frames(limit: 1)
        } catch {
            await returnLocal()
            throw error
        }
    }

    /// Brings back what was before ``borrowLocal()``, also in a cancelled task; harmless when nothing is lent.
    func returnLocal() async {
        guard let before = loan else { return }
        loan = nil
        await restore(before)
        // A camera that a stream has taken over during the loan; changed sizes had to wait until now.
        let status = status.value
        if isNeededByStream, status.state == .connected, hasOtherSize(status.source) {
            request(status.source)
        }
    }

    /// Brings back a choice, and waits for the end of another camera, not for the connecting of this one.
    func restore(_ before: Choice) async {
        guard !isNeededByStream else { return }
        let isForNobody = before.isForViewers && viewers.isEmpty
        if before.isOn, !isForNobody {
            request(before.source)
        } else if before.isTurnedOff || viewers.isEmpty || before.source != status.value.source {
            isTurnedOff = before.isTurnedOff
            await request(nil).end()
            if let last, last.wish == nil { choose(before.source) }
        }
    }

    /// Somebody has chosen a camera, or none.
    func endLoan() {
        guard loan != nil else { return }
        loan = nil
        // It counts as chosen from now on.
        if status.value.state == .connected { sourceConnected(status.value.source) }
    }
}
