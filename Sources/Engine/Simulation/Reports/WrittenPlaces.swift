import CSimulation

/// Writes the places of the program's own code, innermost first, to standard error, when a run ends the process.
let writePlaces: csim_place_writer = { frames, count in
    let places = unsafe SourceFrame.user(addresses(frames, count))
    if places.isEmpty { return false }
    let text = places.prefix(12).map { "  at \($0)\n" }.joined()
    unsafe text.withCString { unsafe csim_write_error($0) }
    return true
}

/// The addresses of an array of C, up to the first empty place.
@unsafe func addresses(_ frames: UnsafePointer<UnsafeMutableRawPointer?>, _ count: Int) -> [UInt] {
    unsafe UnsafeBufferPointer(start: frames, count: count).prefix { unsafe $0 != nil }.map {
        UInt(bitPattern: $0)
    }
}
