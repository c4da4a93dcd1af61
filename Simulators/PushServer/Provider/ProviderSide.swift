internal import Foundation
internal import HTTPTypes
internal import PeerKit
internal import PushWire
internal import Transport

/// What providers talk to.
struct ProviderSide: Server {
    let service: PushServer

    var mayBlock: Bool { false }

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        service.withState { $0.requestCount += 1 }
        let fields = request.headerFields
        // Clients match answers by it, letter for letter, refusals included.
        let id = fields.value("apns-id") ?? UUID().uuidString.lowercased()
        var answer: PeerAnswer
        do throws(PushRefusal) {
            answer = try await take(request, body, id: id)
        } catch {
            service.withState {
                $0.log.append(.refused(id: id, status: error.reason.status, reason: error.reason.rawValue))
            }
            answer = .json(error.body, status: error.reason.status)
            // Over HTTP/2, which has no such field, a host says it with GOAWAY.
            if error.reason == .shutdown { answer.headers[.connection] = "close" }
        }
        answer.headers.set("apns-id", id)
        if service.project.environment == .sandbox {
            answer.headers.set("apns-unique-id", UUID().uuidString.lowercased())
        }
        return answer.response
    }

    private func take(_ request: HTTPRequest, _ body: HTTPBody, id: String) async throws(PushRefusal)
        -> PeerAnswer
    {
        let faults = service.faults
        if let fault = faults.strike(PushFaultPoints.slow) {
            try? await Task.sleep(for: fault.time("seconds"))
        }
        if faults.strike(PushFaultPoints.failure) != nil { throw PushRefusal(.internalServerError) }
        if faults.strike(PushFaultPoints.unavailable) != nil { throw PushRefusal(.serviceUnavailable) }
        if faults.strike(PushFaultPoints.shutdown) != nil { throw PushRefusal(.shutdown) }
        if faults.strike(PushFaultPoints.tooMany) != nil { throw PushRefusal(.tooManyRequests) }
        let notification = try await read(request, body)
        let isLateGone = faults.strike(PushFaultPoints.lateGone) != nil
        let isLost = faults.strike(PushFaultPoints.lost) != nil
        let sent = try service.change { state throws(PushRefusal) in
            try state.take(notification, id: id, isLateGone: isLateGone, isLost: isLost, now: .now)
        }
        if let (delivery, feed) = sent { send(delivery, feed) }
        if let fault = faults.strike(PushFaultPoints.answerLost) {
            try? await Task.sleep(for: fault.time("silence"))
            throw PushRefusal(.serviceUnavailable)
        }
        return PeerAnswer(status: 200, body: .empty)
    }

    /// Checks the form of a request, and its provider token.
    private func read(_ request: HTTPRequest, _ body: HTTPBody) async throws(PushRefusal) -> ProviderRequest {
        let token = try ProviderRequest.token(in: RequestTarget(request).path)
        guard request.method == .post else { throw PushRefusal(.methodNotAllowed) }
        let fields = request.headerFields
        try ProviderRequest.requireSingle(fields)
        let now = Date()
        let key = try service.change { state throws(PushRefusal) in
            try state.providers.check(fields[.authorization], service.project, now: now)
        }
        let bytes: [UInt8]
        do throws(TransportError) {
            bytes = try await body.collect(upTo: Self.bodyLimit, within: .seconds(30))
        } catch { throw PushRefusal(error.code == .tooLarge ? .payloadTooLarge : .serviceUnavailable) }
        let notification = try ProviderRequest(token: token, fields, bytes, now: now)
        guard service.project.topics.contains(notification.bundleID),
            key.topics?.contains(notification.bundleID) ?? true
        else { throw PushRefusal(.topicDisallowed) }
        return notification
    }

    /// Sends a notification to its device, or as the fault points want it.
    private func send(_ delivery: PushDelivery, _ feed: PushState.Feed) {
        let faults = service.faults
        if let fault = faults.strike(PushFaultPoints.late) {
            Task {
                try? await Task.sleep(for: fault.time("seconds"))
                feed.yield(.message(.notification(delivery)))
            }
            return
        }
        let times = faults.strike(PushFaultPoints.twice) == nil ? 1 : 2
        for _ in 0..<times {
            // A device that does not read has to come again; what it has not got is kept.
            if case .dropped = feed.yield(.message(.notification(delivery))) { feed.finish() }
        }
    }

    /// Bytes of the longest body that is read: more than any payload may have.
    private static let bodyLimit = 8192
}
