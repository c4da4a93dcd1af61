import AppKernel
import HTTPTypes
import Services
import Transport

extension GeminiRequests {
    /// Sends a request that may be repeated, and reads what it is answered with: an answer that breaks off is asked for again.
    ///
    /// - Throws: The error of the last try; `malformed` for anything else than `Document`.
    func document<Document: Decodable>(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ call: GeminiCall,
        as type: Document.Type = Document.self
    ) async throws(ChatModelError) -> Document {
        var losses = 0
        while true {
            let answer = try await send(request, body, call, repeats: .always)
            do throws(ChatModelError) { return try await read(answer.body, as: type, call) } catch {
                losses += 1
                guard error.code == .interrupted, body.isRepeatable,
                    let wait = options.retries.jitteredWait(beforeRetry: losses), wait < call.timeLeft
                else { throw error }
                do { try await Task.sleep(for: wait) } catch {
                    throw call.error(.cancelled, "between two tries")
                }
            }
        }
    }
}
