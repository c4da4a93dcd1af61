import CSimulation
import Exploration
import Foundation
import Testing

/// What the process of a test has found.
struct TestOutcome: Codable, Sendable {
    /// Counts of all runs.
    var result: SweepResult
    /// Each kind of failure, by seed.
    var failures: [Finding] = []
    /// Warnings and known issues of runs, each once.
    var remarks: [RelayedIssue] = []
    /// Why a kept test has run the usual seeds in place of its recipe.
    var misfit: String?
    /// Why the search itself could not be made.
    var problem: String?

    /// The outcome in the table of all tests.
    func verdict(on test: String) -> TestVerdict {
        let reports = failures.map { $0.output + $0.issues.map(\.placedText).joined(separator: "\n") }
        return TestVerdict(
            of: result,
            test: test,
            problem: problem,
            issue: failures.first?.issues.first { $0.kind == .failure }?.placedText,
            report: reports.joined(separator: "\n")
        )
    }

    /// One kind of failure.
    struct Finding: Codable, Sendable {
        /// What the run recorded, in its order; never empty.
        var issues: [RelayedIssue]
        /// What the program printed in this run.
        var output = ""
        /// How the recipe that decided the run does not fit the test any more, where that is no failure.
        var misfit: String?
    }
}

/// An issue of a run, for the process that reports it.
struct RelayedIssue: Codable, Sendable, Hashable {
    enum Kind: String, Codable {
        case failure, warning, known
        /// The recipe of a kept test does not fit any more.
        case misfit
    }

    var kind = Kind.failure
    /// What happened, and the comments of the test.
    var text: String
    /// Where; `nil` for the place of the test.
    var place: Place?

    struct Place: Codable, Hashable {
        var fileID, filePath: String
        var line, column: Int
    }

    /// An issue without a place of its own.
    init(_ text: String, kind: Kind = .failure) {
        self.text = text
        self.kind = kind
    }

    init(_ issue: Issue) {
        kind = issue.isFailure ? .failure : issue.severity == .warning ? .warning : .known
        let comments = issue.comments.map(\.rawValue)
        if case .unconditional = issue.kind, !comments.isEmpty {
            text = comments.joined(separator: "\n")
        } else {
            text = (["\(issue.kind)"] + comments).joined(separator: "\n")
        }
        place = issue.sourceLocation.map {
            Place(fileID: $0.fileID, filePath: $0.filePath, line: $0.line, column: $0.column)
        }
    }

    /// What makes it another one than those that were recorded: of known issues the place, whatever they say in each run.
    var identity: RelayedIssue {
        var identity = self
        if kind == .known, place != nil { identity.text = "" }
        return identity
    }

    /// The text behind the file and line where it happened, where these are known.
    var placedText: String {
        guard let place else { return text }
        return "\(place.filePath.split(separator: "/").last ?? ""):\(place.line): \(text)"
    }

    /// Records the issue in this process, for the current test.
    func record(at place: SourceLocation) {
        let place =
            self.place.map {
                SourceLocation(fileID: $0.fileID, filePath: $0.filePath, line: $0.line, column: $0.column)
            } ?? place
        let comment = Comment(rawValue: text)
        switch kind {
        case .failure: Issue.record(comment, sourceLocation: place)
        case .warning, .misfit: Issue.record(comment, severity: .warning, sourceLocation: place)
        case .known: withKnownIssue { Issue.record(comment, sourceLocation: place) }
        }
    }
}

/// Brings issues of forked processes to the one that forked them.
final class IssueRelay: Sendable {
    private let file: Int32

    init() { file = csim_shared_file() }

    deinit { close(file) }

    /// Sends an issue from any of the processes; a line is written by one call, which the kernel keeps whole.
    func send(_ issue: RelayedIssue) { writeLine(issue, to: file) }

    /// All that were sent so far, in their order.
    var all: [RelayedIssue] {
        let length = Int(lseek(file, 0, SEEK_END))
        guard length > 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: length)
        let count = unsafe pread(file, &buffer, length, 0)
        let decoder = JSONDecoder()
        return buffer.prefix(max(count, 0)).split(separator: UInt8(ascii: "\n")).compactMap {
            try? decoder.decode(RelayedIssue.self, from: Data($0))
        }
    }
}
