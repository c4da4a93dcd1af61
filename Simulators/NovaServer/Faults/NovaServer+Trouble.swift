import Foundation
import HTTPTypes
import PeerKit
import Transport

extension NovaServer {
    /// What goes wrong with a call before anything is changed.
    ///
    /// - Throws: A refusal that the service itself would make.
    func trouble(before visit: NovaVisit) throws(NovaRefusal) -> PeerAnswer? {
        let requestID = Self.requestID(visit.number)
        if let fault = faults.strike(NovaFaultPoints.failure) {
            throw .failure(fault.integer("status"), requestID: requestID)
        }
        if let fault = faults.strike(NovaFaultPoints.tooMany) { return try tooMany(fault) }
        if let own = Self.failures[visit.call], faults.strike(own.point) != nil {
            throw .failure(own.status, requestID: requestID)
        }
        if visit.call == .analytics, faults.strike(NovaFaultPoints.analyticsRefused) != nil {
            throw .field("events[0].name", "is not known")
        }
        if !visit.call.isOpen, visit.request.headerFields[.authorization] != nil {
            if faults.strike(NovaFaultPoints.early) != nil { endToken(of: visit) }
            if faults.strike(NovaFaultPoints.emptyRefusal) != nil {
                return PeerAnswer(status: 401, body: .empty)
            }
        }
        if visit.call == .feed, (try? visit.page())?.number ?? 0 > 0 { moveFeed() }
        let isAboutPost = visit.target.path.hasPrefix("/posts/")
        if isAboutPost, faults.strike(NovaFaultPoints.postGone) != nil { removePost(visit.id) }
        return nil
    }

    private static let failures: [NovaCall: (point: PeerFaultPoint, status: Int)] = [
        .presign: (NovaFaultPoints.presignFails, 500), .publish: (NovaFaultPoints.publishFails, 500),
        .like: (NovaFaultPoints.likeFails, 500), .unlike: (NovaFaultPoints.likeFails, 500),
        .refresh: (NovaFaultPoints.refreshFails, 503),
    ]

    /// 429 with one of the hints that clients meet.
    private func tooMany(_ fault: PeerFault) throws(NovaRefusal) -> PeerAnswer {
        let seconds = fault.integer("retryAfter")
        var refusal = NovaRefusal.tooMany(seconds: seconds)
        let now = Int64(Date().timeIntervalSince1970)
        switch fault.integer("hint") {
        case 0: break
        case 1: refusal.headers[.retryAfter] = nil
        case 2:
            return PeerAnswer(
                status: 429,
                headers: [.contentType: "text/plain; charset=utf-8"],
                body: .text("Too Many Requests")
            )
        case 3: refusal.headers[.retryAfter] = HTTPDate.text(now + Int64(seconds))
        case 4: refusal.headers[.retryAfter] = "soon"
        default: refusal.headers[.retryAfter] = HTTPDate.text(now - 86_400)
        }
        throw refusal
    }

    /// Has others publish or remove posts, so that pages move.
    private func moveFeed() {
        if let fault = faults.strike(NovaFaultPoints.feedGrows) {
            let authors = project.users.dropFirst().map(\.id)
            for number in 0..<fault.integer("count") where !authors.isEmpty {
                publish(by: authors[number % authors.count], caption: "Just now.")
            }
        }
        if let fault = faults.strike(NovaFaultPoints.feedShrinks) {
            let own = project.users.first?.id
            let others = posts.filter { $0.authorID != own }
            for post in others.prefix(fault.integer("count")) { removePost(post.id) }
        }
    }
}

extension PeerAnswer {
    /// Silence, and then what a proxy says.
    static func lost(_ fault: PeerFault) async -> PeerAnswer {
        try? await Task.sleep(for: fault.time("silence"))
        return .page(status: 504)
    }
}
