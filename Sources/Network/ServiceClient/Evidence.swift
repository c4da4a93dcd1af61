internal import Services
internal import Transport

/// What the failures of one attempt have in common.
struct Evidence: Sendable {
    let operation: String
    let peer: String
    /// What the attempt carried: whatever comes from outside is cleared of it.
    let secrets: [Secret]

    func failure(
        _ code: ServiceFailure.Code,
        _ detail: String = "",
        status: Int? = nil,
        body: [UInt8] = []
    ) -> ServiceFailure {
        cleared(ServiceFailure(code, operation: operation, peer: peer, detail: detail, status: status), body)
    }

    func failure(_ error: TransportError) -> ServiceFailure {
        cleared(ServiceFailure(error, operation: operation, peer: peer))
    }

    private func cleared(_ failure: ServiceFailure, _ body: [UInt8] = []) -> ServiceFailure {
        var failure = failure
        failure.detail = redacted(failure.detail)
        failure.body = secrets.isEmpty ? body : Array(redacted(String(decoding: body, as: UTF8.self)).utf8)
        return failure
    }

    private func redacted(_ text: String) -> String { secrets.reduce(text) { $1.redacted(from: $0) } }
}
