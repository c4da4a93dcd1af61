import CV4L2
import Glibc
import VideoSystem

extension VideoDevice {
    /// Makes a request with its structure.
    func call<Structure>(_ number: UInt, _ structure: inout Structure) throws(SystemError) {
        let failure = unsafe withUnsafeMutablePointer(to: &structure) {
            unsafe request(number, UnsafeMutableRawPointer($0))
        }
        guard failure == 0 else { throw SystemError(failure) }
    }

    /// What the requests of a list answer, from index 0 up to the first that is refused.
    ///
    /// - Parameter limit: How many are taken of a driver that never ends its list.
    func all<Structure>(
        _ number: UInt,
        limit: Int,
        _ make: (UInt32) -> Structure
    ) throws(SystemError) -> [Structure] {
        var all: [Structure] = []
        while all.count < limit {
            var entry = make(UInt32(all.count))
            do {
                try call(number, &entry)
            } catch {
                // The end of the list, and a driver that has none.
                if error.number == EINVAL || error.number == ENOTTY { return all }
                throw error
            }
            all.append(entry)
        }
        return all
    }
}

/// Text in an array of C, up to its first zero.
func text<Bytes>(of bytes: Bytes) -> String {
    unsafe withUnsafeBytes(of: bytes) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
