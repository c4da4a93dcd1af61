internal import Synchronization

/// A number of places for those who use one thing at the same time.
package final class PageSeats: Sendable {
    private let limit: Int
    private let taken = Mutex(0)

    /// Creates places that are all free.
    package init(_ limit: Int) { self.limit = limit }

    /// Whether a place is free.
    package var hasRoom: Bool { taken.withLock { $0 < limit } }

    /// Takes a place; `nil` when none is free.
    package func take() -> PageSeat? {
        let wasFree = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        return wasFree ? PageSeat(self) : nil
    }

    fileprivate func free() { taken.withLock { $0 -= 1 } }
}

/// A place, which is free again when it is left, or when whoever was to take it never came.
package final class PageSeat: Sendable {
    private let seats: Mutex<PageSeats?>

    fileprivate init(_ seats: PageSeats) { self.seats = Mutex(seats) }

    deinit { leave() }

    /// Frees the place.
    ///
    /// Idempotent.
    package func leave() {
        let seats = seats.withLock { seats in
            defer { seats = nil }
            return seats
        }
        seats?.free()
    }
}
