import Conformance
import Services

extension PushReceiverConformance {
    /// What the person is asked.
    static let permission: [Case] = [
        Case(
            "permission.granted",
            "a permission that is given is true, and true at once when it is asked for again"
        ) {
            trial in
            for _ in 0..<2 {
                let isGranted = try await requireEnd("a question is answered", within: trial.patience) {
                    await trial.receiver.requestAuthorization()
                }
                try require(isGranted, is: true, "a permission that is given is true")
            }
        },
        Case(
            "permission.denied",
            "without permission there is no token, and nothing arrives",
            needs: [.denial],
            isAllowed: false
        ) { trial in
            let isGranted = try await requireEnd("a question is answered", within: trial.patience) {
                await trial.receiver.requestAuthorization()
            }
            try require(isGranted, is: false, "a permission that is not given is false")
            let token = await trial.next(of: trial.receiver.deviceTokens(), within: trial.quiet)
            try require(token == nil, "without permission there is no token", saw: "one")
        },
        Case("permission.before", "before the person is asked there is no token") { trial in
            let token = await trial.next(of: trial.receiver.deviceTokens(), within: trial.quiet)
            try require(token == nil, "before the person is asked there is no token", saw: "one")
        },
    ]

    /// What providers reach the device by.
    static let tokens: [Case] = [
        Case("token.waits", "a reader that was there before gets the token when there is one") { trial in
            let stream = trial.receiver.deviceTokens()
            try await trial.allow()
            let token = await trial.next(of: stream, within: trial.patience)
            try require(token?.isEmpty == false, "a waiting reader gets the token", saw: "none")
        },
        Case("token.each", "each reader gets the present token, one that comes late as well") { trial in
            let first = try await trial.token()
            let second = try await trial.token()
            try require(second, is: first, "a late reader gets the same token")
        },
        Case(
            "token.changed",
            "another token takes the place of the first, for readers old and new",
            needs: [.tokens]
        ) {
            trial in
            let first = try await trial.token()
            let readers = [trial.receiver.deviceTokens(), trial.receiver.deviceTokens()]
            try await trial.changeToken()
            var news: [[UInt8]] = []
            for stream in readers {
                let token = try await requireEnd("another token comes", within: trial.patience) {
                    for await token in stream where token != first { return token }
                    throw ConformanceFailure("another token comes", saw: "the end of tokens")
                }
                news.append(token)
            }
            try require(Set(news).count, is: 1, "all readers get the same token")
            let late = await trial.next(of: trial.receiver.deviceTokens(), within: trial.patience)
            try require(late, is: news.first, "a new reader gets the present token")
        },
        Case(
            "token.ends",
            "a stream of tokens ends with its reader's task, and leaves others alone",
            needs: [.tokens]
        ) {
            trial in
            let first = try await trial.token()
            let other = trial.receiver.deviceTokens()
            let reader = Task { for await _ in trial.receiver.deviceTokens() {} }
            reader.cancel()
            try await requireEnd("a stream ends with its reader's task", within: trial.patience) {
                await reader.value
            }
            try await trial.changeToken()
            _ = try await requireEnd("another reader goes on", within: trial.patience) {
                for await token in other where token != first { return token }
                throw ConformanceFailure("another reader goes on", saw: "the end of tokens")
            }
        },
    ]
}
