internal import AppKernel
internal import Services

/// An answer of a model that remembers nothing, as far as it has come.
struct GrowingAnswer: Sendable {
    /// All of it, at most ``ReplyAssembler/byteLimit`` bytes.
    private(set) var text = ""
    private var ending: ChatEnding?
    private var failure: ChatModelError?
    /// The answer is longer than is kept.
    private var isOverfull = false

    /// Whether it came to its own end.
    var isWhole: Bool { ending?.isComplete == true && !isOverfull && failure == nil }

    /// Whether it says nothing.
    var isBlank: Bool { text.allSatisfy(\.isWhitespace) }

    /// Why it is not whole, or says nothing; `nil` also when its asking was cancelled.
    var reason: ChatFailure? {
        if let failure { return failure.code == .cancelled ? nil : .model(failure) }
        switch ending {
        case .blocked(let reason, _): return .blocked(reason)
        case .finished(.stop, _), nil: return isBlank ? .silent : nil
        // It is shown as cut off.
        case .finished(.tokenLimit, _) where !isBlank: return nil
        case .finished(let reason, _): return .stopped(reason)
        }
    }

    /// Asks a model, and takes its answer to the end.
    ///
    /// - Parameters:
    ///   - streams: Whether the answer is asked for in pieces.
    ///   - grew: Is given each piece.
    nonisolated(nonsending) init(
        to request: ChatRequest,
        from model: any ChatModel,
        over network: any NetworkMonitor,
        streams: Bool,
        grew: (String) async -> Void
    ) async {
        do throws(ChatModelError) {
            guard network.isConnected else {
                throw ChatModelError(
                    .unreachable,
                    operation: "send a message",
                    peer: "chat",
                    detail: "the device has no network"
                )
            }
            if streams {
                for try await event in try await model.stream(request) { await take(event, grew) }
            } else {
                let answer = try await model.generate(request)
                await take(.text(answer.text), grew)
                await take(.ended(answer.ending), grew)
            }
        } catch {
            failure = error
        }
    }

    private nonisolated(nonsending) mutating func take(
        _ event: ChatEvent,
        _ grew: (String) async -> Void
    ) async {
        switch event {
        case .text(let chunk):
            guard !chunk.isEmpty, !isOverfull else { return }
            guard text.utf8.count + chunk.utf8.count <= ReplyAssembler.byteLimit else {
                isOverfull = true
                return
            }
            text += chunk
            await grew(chunk)
        case .ended(let ending): self.ending = ending
        case .thought, .part, .citation, .alternative, .usage: break
        }
    }
}
