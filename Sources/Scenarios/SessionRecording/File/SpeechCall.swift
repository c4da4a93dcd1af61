import Foundation
import Services
import Simulation

/// A call of the app to its voice, its microphone or its recognizer, as a recording over real sockets has it: an event of the kind
/// ``event``, in the table that has the simulated world's events in other recordings.
struct SpeechCall: Codable, Sendable, Hashable {
    enum Name: String, Codable {
        case speak, fallSilent, prepare, record, recognize, next, finish, stop
    }

    /// The kind of its events.
    static let event = "speech"

    var name: Name
    /// What was to be said.
    var argument: String
    /// What was understood.
    var text: String?
    var isFinal: Bool?
    /// What went wrong.
    var error: SpeechInputError.Code?
    var detail: String?

    init(_ name: Name, _ argument: String, _ result: Result<Transcript?, SpeechInputError>) {
        (self.name, self.argument) = (name, argument)
        switch result {
        case .success(let transcript): (text, isFinal) = (transcript?.text, transcript?.isFinal)
        case .failure(let failure): (error, detail) = (failure.code, failure.detail)
        }
    }

    var result: Result<Transcript?, SpeechInputError> {
        if let error { return .failure(SpeechInputError(error, detail: detail ?? "")) }
        return .success(text.map { Transcript($0, isFinal: isFinal ?? false) })
    }

    /// What is compared of it.
    var question: String { argument.isEmpty ? name.rawValue : "\(name.rawValue) “\(argument)”" }
}

extension SessionReader {
    /// The calls that have returned, by their numbers from 0 in the order in which they began, and when they returned.
    func speechCalls() throws(SessionError) -> [Int: (call: SpeechCall, end: Int64)] {
        var calls: [Int: (call: SpeechCall, end: Int64)] = [:]
        for event in try events() where event.kind == SpeechCall.event {
            guard let call = try? JSONDecoder().decode(SpeechCall.self, from: Data(event.detail.utf8)),
                calls.updateValue((call, event.nanoseconds), forKey: event.step) == nil
            else { throw .damaged(path: path, detail: "a speech call is malformed") }
        }
        return calls
    }
}
