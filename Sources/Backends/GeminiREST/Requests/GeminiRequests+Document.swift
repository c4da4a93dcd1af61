import Concurrency
import HTTPTypes
import Services
import Transport

extension GeminiRequests {
    /// Sends a request that may be repeated, and reads what it is answered with: an answer that breaks off is asked for again.
    ///
    /// Refusals and answers that break off share one number of tries.
    ///
    /// - Throws: The error of the last try; `malformed` for anything else than `Document`.
    func document<Document: Decodable>(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ call: GeminiCall,
        as type: Document.Type = Document.self
    ) async throws(ChatModelError) -> Document {
        var retry = 0
        while true {
            let answer = try await send(request, body, call, repeats: .always, retry: &retry)
            do throws(ChatModelError) { return try await read(answer.body, as: type, call) } catch {
                retry += 1
                guard error.code == .interrupted, body.isRepeatable,
                    let wait = options.retries.jitteredWait(beforeRetry: retry), wait < call.timeLeft
                else { throw error }
                do { try await Task.sleep(for: wait) } catch {
                    throw call.error(.cancelled, "between two tries")
                }
            }
        }
    }
}
