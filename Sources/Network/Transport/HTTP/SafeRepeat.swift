package import HTTPTypes

/// The rule by which clients send a request again by themselves.
///
/// A connection that was kept may be closed by the server in the moment in which it is used. What is idempotent may then be
/// sent again (RFC 9110 section 9.2.2), if no answer had begun and the body can be read again.
package enum SafeRepeat {
    /// Tries to send a request, at most twice.
    ///
    /// - Parameters:
    ///   - request: Its method decides.
    ///   - body: What is sent with it.
    ///   - attempt: Sends it once; it gets `true` at the second time.
    package static func sending<Answer>(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ attempt: (_ isSecond: Bool) async throws(TransportError) -> Answer
    ) async throws(TransportError) -> Answer {
        let first: TransportError
        do throws(TransportError) {
            return try await attempt(false)
        } catch {
            guard error.code == .reset, error.reach != .answered, body.isRepeatable,
                request.method.isIdempotent
            else { throw error }
            first = error
        }
        do throws(TransportError) {
            return try await attempt(true)
        } catch {
            // The first one may have taken effect, whatever becomes of the second.
            guard error.reach == .notSent else { throw error }
            guard error.code == .cancelled else { throw first }
            var cancelled = error
            cancelled.reach = first.reach
            throw cancelled
        }
    }
}

extension HTTPRequest.Method {
    /// Whether sending it twice has the effect of sending it once (RFC 9110 section 9.2.2).
    fileprivate var isIdempotent: Bool {
        [.get, .head, .put, .delete, .options, .trace].contains(self)
    }
}
