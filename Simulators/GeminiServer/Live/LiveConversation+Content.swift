import PeerKit

extension LiveConversation {
    /// Sends a piece of an answer, and passes the fault points of such pieces.
    @discardableResult
    func sendContent(_ message: JSONValue) async -> Bool {
        if let fault = faults.strike(GeminiFaultPoints.huge) {
            // Keys that no client knows beside one that all know: only the size is out of order.
            let bytes = Int(fault.value("megabytes") * 1_048_576)
            await send([
                "serverContent": ["groundingMetadata": ["pad": .string(String(repeating: "x", count: bytes))]]
            ])
        }
        if held == nil, faults.strike(GeminiFaultPoints.reorder) != nil {
            held = message
            return true
        }
        guard await send(message) else { return false }
        if faults.strike(GeminiFaultPoints.duplicate) != nil { await send(message) }
        await releaseHeld()
        return true
    }

    /// Sends what was held back, so that it comes after what followed it.
    func releaseHeld() async {
        guard let message = held else { return }
        held = nil
        await send(message)
    }
}
