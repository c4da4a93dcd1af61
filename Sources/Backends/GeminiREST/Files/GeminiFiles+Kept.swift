import Concurrency
import HTTPTypes
import ServiceClient
public import Services

extension GeminiFiles {
    /// Asks for a file.
    ///
    /// - Parameter name: `files/abc123`.
    /// - Throws: Any `ChatModelError`; `fileUnavailable` for one that has expired, was deleted, or belongs to somebody else.
    public func file(_ name: String) async throws(ChatModelError) -> GeminiFile {
        try await document(name, try requests.call("ask for a file")).value
    }

    /// Waits until a file can be used; asks after 1, 2, 4, and then every 5 seconds.
    ///
    /// - Parameters:
    ///   - name: `files/abc123`.
    ///   - patience: The longest wait, answers of the service included.
    /// - Throws: Any `ChatModelError`; `fileNotReady` when the patience ends, `timedOut` when it ends while the service owes an
    ///   answer, `rejected` for a file that could not be prepared.
    public func waitUntilActive(
        _ name: String,
        within patience: Duration = .seconds(300)
    ) async throws(ChatModelError) -> GeminiFile {
        let deadline = ContinuousClock.now + patience
        let pace = RetryPolicy(retries: .max, first: .seconds(1), longest: .seconds(5))
        var asked = 0
        while true {
            let call = try requests.call("wait for a file", until: deadline)
            let document = try await document(name, call)
            switch document.value.state {
            case .active: return document.value
            case .failed: throw call.error(.rejected, document.failure ?? "the file could not be prepared")
            case .processing, .unknown: break
            }
            asked += 1
            guard let wait = pace.jitteredWait(beforeRetry: asked), .now + wait < deadline else {
                throw call.error(.fileNotReady, "it was still being prepared after \(patience)")
            }
            do { try await Task.sleep(for: wait) } catch { throw call.error(.cancelled, "while waiting") }
        }
    }

    /// Deletes a file; one that is not there any more is no error.
    ///
    /// - Throws: Any `ChatModelError`.
    public func delete(_ name: String) async throws(ChatModelError) {
        let call = try requests.call("delete a file")
        let request = call.carrying(Call(.delete, try Self.path(name, call), repeats: .always))
        do throws(ChatModelError) { _ = try await requests.send(request, call) } catch {
            guard Self.isAbsence(error) else { throw error }
        }
    }

    private func document(_ name: String, _ call: GeminiCall) async throws(ChatModelError) -> FileDocument {
        let request = call.carrying(.get(try Self.path(name, call)))
        do throws(ChatModelError) { return try await requests.document(request, call) } catch {
            guard Self.isAbsence(error) else { throw error }
            var absent = error
            absent.code = .fileUnavailable
            throw absent
        }
    }

    private static func isAbsence(_ error: ChatModelError) -> Bool {
        error.code == .notFound || error.code == .fileUnavailable
    }

    private static func path(_ name: String, _ call: GeminiCall) throws(ChatModelError) -> String {
        let id = name.hasPrefix("files/") ? name.dropFirst(6) : name[...]
        let isPlain = id.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard isPlain, !id.isEmpty, id.utf8.count <= 128 else {
            throw call.error(.rejected, "“\(name.prefix(100))” is not a file's name")
        }
        return "/files/\(id)"
    }
}
