import HTTPTypes
import PeerKit

extension S3Server {
    /// Answers what browsers ask before a request of another origin.
    func preflight(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        guard let origin = call.fields.value("origin") else {
            throw S3Failure(400, "BadRequest", "Insufficient information. Origin request header needed.")
        }
        guard let method = call.fields.value("access-control-request-method") else {
            throw S3Failure(400, "BadRequest", "Invalid Access-Control-Request-Method: null")
        }
        let rules = try read(call.bucket) { $0.crossOrigin }
        guard !rules.isEmpty else {
            throw S3Failure(403, "AccessForbidden", "CORSResponse: CORS is not enabled for this bucket.")
        }
        let headers = (call.fields.value("access-control-request-headers") ?? "").lowercased()
            .split { $0 == "," || $0 == " " }.map { String($0) }
        guard let rule = rules.first(where: { $0.allows(origin, method, headers) }) else {
            throw S3Failure(
                403,
                "AccessForbidden",
                "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, "
                    + "request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec."
            )
        }
        var answer = PeerAnswer.empty()
        add(rule, origin, to: &answer)
        if !headers.isEmpty {
            answer.headers.set("access-control-allow-headers", headers.joined(separator: ", "))
        }
        return answer
    }

    /// Says to a browser that a page of another origin may see the answer.
    func addCrossOrigin(to answer: inout PeerAnswer, _ call: S3Call) {
        guard let origin = call.fields.value("origin"), call.request.method != .options,
            let rules = try? read(call.bucket, { $0.crossOrigin }),
            let rule = rules.first(where: { $0.allows(origin, call.request.method.rawValue, []) })
        else { return }
        add(rule, origin, to: &answer)
    }

    private func add(_ rule: CrossOriginRule, _ origin: String, to answer: inout PeerAnswer) {
        answer.headers.set("access-control-allow-origin", rule.origins.contains("*") ? "*" : origin)
        answer.headers.set("access-control-allow-methods", rule.methods.joined(separator: ", "))
        if !rule.exposes.isEmpty {
            answer.headers.set("access-control-expose-headers", rule.exposes.joined(separator: ", "))
        }
        if let age = rule.age { answer.headers.set("access-control-max-age", "\(age)") }
        answer.headers[.vary] = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"
    }
}

extension CrossOriginRule {
    /// Whether a page of that origin may send such a request.
    func allows(_ origin: String, _ method: String, _ headers: [String]) -> Bool {
        origins.contains { Self.matches(origin, $0) } && methods.contains(method)
            && headers.allSatisfy { header in self.headers.contains { Self.matches(header, $0.lowercased()) }
            }
    }

    /// Whether a text fits a pattern with at most one `*`.
    private static func matches(_ text: String, _ pattern: String) -> Bool {
        guard let star = pattern.firstIndex(of: "*") else { return text == pattern }
        let (head, tail) = (pattern[..<star], pattern[pattern.index(after: star)...])
        return text.count >= head.count + tail.count && text.hasPrefix(head) && text.hasSuffix(tail)
    }
}
