import Foundation
import Glibc
import Synchronization

extension Way {
    static var cLibrary: [Way] {
        [
            Way("c-random", "the generators of the C library, after srand and srandom") {
                srand(7)
                srandom(7)
                try await concurrently(3) { _ in
                    for _ in 0..<Int(rand() % 3) + Int(random() % 3) { await Task.yield() }
                }
            },
            Way("c-own-random", "a generator of the C library with a state in a static", isAffected: true) {
                try await concurrently(3) { _ in
                    for _ in 0..<Reentrant.next() % 4 { await Task.yield() }
                }
            },
            Way("c-locale", "the locale of the C library, changed and restored between two awaits") {
                try await concurrently(3) { _ in
                    let name = CLocale.during("C.UTF-8")
                    try expect(name == "C.UTF-8", "the locale is \(name)")
                    await pause()
                    try expect(CLocale.name == "C", "the locale is \(CLocale.name)")
                }
            },
            Way("c-locale-left", "a locale of the C library that a run leaves to the next", isAffected: true)
            {
                if CLocale.name == "C" {
                    await pause()
                    CLocale.set("C.UTF-8")
                }
                await pause()
                try expect(CLocale.name == "C.UTF-8", "the locale is \(CLocale.name)")
            },
            Way("errno", "the number of the last error, set and read between two awaits") {
                try await concurrently(3) { number in
                    errno = Int32(number + 1)
                    let read = errno
                    try expect(read == Int32(number + 1), "errno is \(read)")
                    await pause()
                }
            },
            Way("strtok", "the place at which the C library cuts a text, between two awaits") {
                try await concurrently(3) { number in
                    let words = Words.cut("a\(number) b\(number) c\(number)")
                    try expect(words == ["a\(number)", "b\(number)", "c\(number)"], "cut into \(words)")
                    await pause()
                }
            },
            Way("localtime", "the static result of the C library's dates") {
                try await concurrently(3) { number in
                    let year = Years.year(of: number * 86_400 * 366)
                    try expect(year == 1970 + number, "\(year) for \(1970 + number)")
                    await pause()
                }
            },
            Way("time-zone-variable", "the time zone of the C library, by TZ and tzset") {
                try await concurrently(3) { number in
                    let hour = Years.hour(atOffset: number + 1)
                    try expect(hour == number + 1, "\(hour) o'clock, \(number + 1) hours east")
                    await pause()
                }
            },
            Way("c-counter", "a counter of the C library's hash table, kept for all runs", isAffected: true) {
                let isNew = Table.add("key \(Int.random(in: 0..<4))")
                if isNew { await pause() }
                await pause()
            },
        ]
    }
}

private enum Reentrant {
    private static let seed = Mutex<UInt32>(1)
    static func next() -> Int { seed.withLock { unsafe Int(rand_r(&$0)) } }
}

private enum CLocale {
    static var name: String { unsafe setlocale(LC_NUMERIC, nil).map { unsafe String(cString: $0) } ?? "" }
    static func set(_ name: String) { _ = unsafe setlocale(LC_NUMERIC, name) }
    static func during(_ name: String) -> String {
        let old = self.name
        set(name)
        defer { set(old) }
        return self.name
    }
}

private enum Words {
    static func cut(_ text: String) -> [String] {
        guard let copy = unsafe strdup(text) else { return [] }
        defer { unsafe free(copy) }
        var words: [String] = []
        var word = unsafe strtok(copy, " ")
        while let found = unsafe word {
            unsafe words.append(String(cString: found))
            unsafe word = strtok(nil, " ")
        }
        return words
    }
}

private enum Years {
    static func year(of seconds: Int) -> Int {
        var time = time_t(seconds)
        return unsafe gmtime(&time).map { unsafe Int($0.pointee.tm_year) + 1900 } ?? 0
    }

    static func hour(atOffset offset: Int) -> Int {
        let old = unsafe getenv("TZ").map { unsafe String(cString: $0) }
        unsafe setenv("TZ", "XXX-\(offset)", 1)
        tzset()
        defer {
            if let old { unsafe setenv("TZ", old, 1) } else { unsafe unsetenv("TZ") }
            tzset()
        }
        var time = time_t(0)
        return unsafe localtime(&time).map { unsafe Int($0.pointee.tm_hour) } ?? -1
    }
}

/// The one hash table that a process has by `hcreate`.
private enum Table {
    private static let size = hcreate(64)

    /// Whether the table did not have it.
    static func add(_ name: String) -> Bool {
        guard size != 0, let key = unsafe strdup(name) else { return false }
        let entry = unsafe ENTRY(key: key, data: nil)
        if unsafe hsearch(entry, FIND) != nil {
            unsafe free(key)
            return false
        }
        _ = unsafe hsearch(entry, ENTER)
        return true
    }
}
