import Glibc

/// Starts a thread that runs `body` and ends.
package func startThread(_ body: @escaping @Sendable () -> Void) {
    let box = unsafe Unmanaged.passRetained(EventBox(body))
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // As large as a main thread's: product code does not know that it runs elsewhere.
    unsafe pthread_attr_setstacksize(&attributes, 8 << 20)
    var thread = pthread_t()
    let failure = unsafe pthread_create(
        &thread,
        &attributes,
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<EventBox>.fromOpaque(context).takeRetainedValue().event()
            }
            return nil
        },
        box.toOpaque()
    )
    unsafe pthread_attr_destroy(&attributes)
    precondition(failure == 0, "a thread could not be started: \(failure)")
}
