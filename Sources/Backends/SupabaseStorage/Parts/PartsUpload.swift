import Concurrency
import Services

/// Decides what an upload in parts does next; sends nothing itself.
///
/// What the service has is known only from the service: after every failure the upload asks how far it has come, and goes on from there.
struct PartsUpload {
    /// What to do next.
    enum Step: Hashable {
        /// Ask for a place for the object.
        case begin
        /// Ask how much of it the service has.
        case askOffset(location: String)
        /// Send bytes.
        case send(Range<Int>, location: String)
        /// All bytes are there: see whether the object is.
        case confirm(location: String)
        /// Send nothing, so that the service makes the object of what it has.
        case conclude(location: String)
        case done
    }

    private(set) var step: Step
    let size: Int
    private let parts: UploadParts
    /// Bytes that the service is known to have.
    private(set) var offset = 0
    private var failuresInARow = 0
    private var failures = 0
    private var restarts = 0

    /// Begins, or goes on at a place that is known from earlier.
    init(size: Int, _ parts: UploadParts, location: String?) {
        self.size = size
        self.parts = parts
        step = location.map { .askOffset(location: $0) } ?? .begin
    }

    /// Failures of an upload of that size before it is given up, however much it has moved.
    private var failureMaximum: Int {
        parts.retries.retries * max(1, (size + parts.length - 1) / parts.length)
    }

    /// The service has made a place.
    mutating func begun(at location: String) {
        offset = 0
        step = .send(0..<min(size, parts.length), location: location)
    }

    /// The service has said how much it has.
    mutating func told(_ count: Int, at location: String) {
        if count > offset { failuresInARow = 0 }
        offset = count
        step =
            count == size
            ? .confirm(location: location)
            : .send(count..<min(size, count + parts.length), location: location)
    }

    /// The service has taken a part, and says how much it has now.
    mutating func took(_ count: Int, at location: String) {
        failuresInARow = 0
        offset = count
        step =
            count == size
            ? .done : .send(count..<min(size, count + parts.length), location: location)
    }

    /// The object is there.
    mutating func confirmed() { step = .done }

    /// The bytes are there, but no object.
    mutating func unconfirmed(at location: String) { step = .conclude(location: location) }

    /// Something failed after which the upload may go on: the number of the failure in a row, or `nil` where it is given up.
    mutating func failed() -> Int? {
        failuresInARow += 1
        failures += 1
        guard failuresInARow <= parts.retries.retries, failures <= failureMaximum else { return nil }
        switch step {
        case .send(_, let location), .confirm(let location), .conclude(let location),
            .askOffset(let location):
            step = .askOffset(location: location)
        case .begin, .done: break
        }
        return failuresInARow
    }

    /// The service has forgotten the upload: whether it is started again.
    mutating func forgotten() -> Bool {
        restarts += 1
        guard restarts <= parts.restarts else { return false }
        offset = 0
        step = .begin
        return true
    }
}
