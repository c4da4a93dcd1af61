import CV4L2
public import VideoSystem

/// The video devices that there are.
public struct V4L2Devices: Sendable {
    /// A change of what there is.
    public enum Change: Sendable, Hashable {
        /// A camera was plugged in, or was there at the beginning.
        case added(VideoDeviceDescription)
        /// Its node has gone.
        case removed(path: String)
    }

    /// Where nodes are.
    public static let folder = "/dev/"
    private let system: any VideoSystem

    /// Looks at the devices of a system.
    public init(system: any VideoSystem = LinuxVideoSystem()) { self.system = system }

    /// All that can be opened, by their numbers; those that are no cameras too.
    ///
    /// - Parameter refused: Called for each node that cannot be opened or described.
    /// - Throws: ``V4L2Failure`` when the nodes cannot be listed.
    public func all(
        refused: (V4L2Failure) -> Void = { _ in }
    ) async throws(V4L2Failure) -> [VideoDeviceDescription] {
        var all: [VideoDeviceDescription] = []
        for path in try await paths() {
            do throws(V4L2Failure) { all.append(try await describe(path)) } catch { refused(error) }
        }
        return all
    }

    /// What a device says of itself; it may be in use.
    ///
    /// - Throws: ``V4L2Failure``.
    public func describe(_ path: String) async throws(V4L2Failure) -> VideoDeviceDescription {
        let device: any VideoDevice
        do { device = try await system.open(path) } catch { throw V4L2Failure(path, .open, error.number) }
        let outcome = await device.perform {
            Result { () throws(SystemError) in try device.describe(path) }
        }
        await device.close()
        do { return try outcome.get() } catch { throw V4L2Failure(path, .describe, error.number) }
    }

    /// Cameras that come and go, from those that are there on.
    ///
    /// The nodes are listed again and again, which works without udev and in containers. A node that may not be opened yet, since
    /// its rights are set after it is made, is tried again. Ends with the reader's task.
    public func changes(every period: Duration = .milliseconds(250)) -> AsyncStream<Change> {
        AsyncStream { continuation in
            let task = Task {
                var known: Set<String> = []
                while !Task.isCancelled {
                    let paths = (try? await paths()) ?? Array(known)
                    for path in known.subtracting(paths).sorted() {
                        known.remove(path)
                        continuation.yield(.removed(path: path))
                    }
                    for path in paths where !known.contains(path) {
                        guard let description = try? await describe(path) else { continue }
                        known.insert(path)
                        if description.isCamera { continuation.yield(.added(description)) }
                    }
                    try? await Task.sleep(for: period)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func paths() async throws(V4L2Failure) -> [String] {
        let names: [String]
        do { names = try await system.nodes() } catch { throw V4L2Failure(Self.folder, .list, error.number) }
        let numbered = names.compactMap { name in VideoNodeName.number(name).map { (name, $0) } }
        return numbered.sorted { $0.1 < $1.1 }.map { Self.folder + $0.0 }
    }
}

/// Numbers of controls that mean the same with every driver.
enum V4L2ControlID {
    static let zoom = CV4L2_ZOOM_ABSOLUTE
}
