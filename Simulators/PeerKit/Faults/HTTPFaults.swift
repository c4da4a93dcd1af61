import HTTPTypes

/// The fault points that every simulated service passes for each HTTP request.
///
/// Faults of the connection itself, such as resets and loss, belong to the network and are not here.
public enum HTTPFaults {
    /// The request is answered later.
    public static let slow = PeerFaultPoint(
        "http.slow",
        "a request is answered late",
        .init("seconds", 1, in: 0...3600)
    )
    /// The client has asked too often.
    public static let tooMany = PeerFaultPoint(
        "http.429",
        "a request is refused because of too many others, and nothing is read or changed",
        .init("retryAfter", 1, in: 0...86_400)
    )
    /// A proxy does not reach the service.
    public static let badGateway = PeerFaultPoint(
        "http.502",
        "a proxy answers a request with a page, and nothing is read or changed"
    )
    /// The service is down for a while.
    public static let unavailable = PeerFaultPoint(
        "http.503",
        "the service is down, and nothing is read or changed",
        .init("retryAfter", 1, in: 0...86_400)
    )
    /// A network that wants a sign-in answers instead of the service.
    public static let portal = PeerFaultPoint(
        "http.portal",
        "a captive portal answers a request with its page and 200, and nothing is read or changed"
    )

    /// All of them, in the order in which a request passes them.
    public static let points: [PeerFaultPoint] = [slow, tooMany, badGateway, unavailable, portal]
}

extension PeerFaults {
    /// Answers a request, or has something go wrong before the service sees it.
    public func answering(_ answer: () async -> PeerAnswer) async -> PeerAnswer {
        if let fault = strike(HTTPFaults.slow) { try? await Task.sleep(for: fault.time("seconds")) }
        if let fault = strike(HTTPFaults.tooMany) { return .page(status: 429, after: fault) }
        if strike(HTTPFaults.badGateway) != nil { return .page(status: 502) }
        if let fault = strike(HTTPFaults.unavailable) { return .page(status: 503, after: fault) }
        if strike(HTTPFaults.portal) != nil { return .page(status: 200) }
        return await answer()
    }
}

extension PeerAnswer {
    /// A page that says when to come back.
    fileprivate static func page(status: Int, after fault: PeerFault) -> PeerAnswer {
        var answer = page(status: status)
        answer.headers[.retryAfter] = String(fault.integer("retryAfter"))
        return answer
    }
}
