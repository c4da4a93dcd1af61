import HTTPTypes
import Transport

/// The faults that are still to come, in the order in which they were scripted.
struct FaultScript: Sendable {
    private var faults: [StorageFault] = []

    mutating func add(_ fault: StorageFault) { faults.append(fault) }

    mutating func removeAll() { faults = [] }

    /// What happens to a request: every delay that is due, and the first other effect.
    mutating func take(_ operation: StorageOperation?) -> [StorageFault.Effect] {
        var effects: [StorageFault.Effect] = []
        var isAnswered = false
        for index in faults.indices
        where faults[index].operation == nil || faults[index].operation == operation {
            if faults[index].skipping > 0 {
                faults[index].skipping -= 1
                continue
            }
            let isDelay = if case .delay = faults[index].effect { true } else { false }
            if !isDelay, isAnswered { continue }
            isAnswered = isAnswered || !isDelay
            faults[index].count -= 1
            effects.append(faults[index].effect)
        }
        faults.removeAll { $0.count <= 0 }
        return effects
    }
}

extension Answer {
    /// What proxies say when the service behind them fails; never JSON.
    static func page(status: Int) -> Answer {
        let reason = HTTPResponse.Status(code: status).reasonPhrase
        let title = "\(status) \(reason)"
        var answer = Answer(
            status: status,
            body: .text(
                "<html><head><title>\(title)</title></head><body><center><h1>\(title)</h1></center></body></html>"
            )
        )
        answer.headers[.contentType] = "text/html"
        return answer
    }

    /// The same head, with a body that breaks before its first byte.
    func brokenInBody() -> Answer {
        var broken = self
        let length = max(1, body.length ?? 1)
        broken.headers[.contentLength] = String(length)
        let stream = ByteStream { () async throws(TransportError) in
            throw TransportError(.reset, operation: "send body", peer: "client", detail: "scripted")
        }
        broken.body = .stream(stream, length: length)
        return broken
    }
}
