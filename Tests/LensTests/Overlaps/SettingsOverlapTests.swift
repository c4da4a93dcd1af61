import AppKernel
import Concurrency
import Lens
import Services
import SimulationTesting
import Synchronization
import TestSupport
import Testing

@Suite(
    "Settings that are changed at once, on a disk that is full at times",
    .simulated(seeds: 1...20, configuration: .shortWaits)
)
struct SettingsOverlapTests {
    /// Keeps what it is given; when it fails, the values may be kept all the same.
    private final class Disk: PreferenceStore {
        private let values = Mutex<[String: String]>([:])
        let isFull = Mutex(false)
        let writes = Mutex(0)

        func value(for name: String) -> String? { values.withLock { $0[name] } }

        func set(_ new: [String: String?]) throws(PreferenceStoreError) {
            writes.withLock { $0 += 1 }
            let isFull = isFull.withLock(\.self)
            if !isFull || Bool.random() {
                values.withLock { values in for (name, value) in new { values[name] = value } }
            }
            if isFull { throw PreferenceStoreError(detail: "the disk is full") }
        }
    }

    @Test func `what was set last is kept once the disk takes it, also after a relaunch`() async throws {
        let disk = Disk()
        let store = Box(SettingsStore(disk))
        let overlap = Overlap(
            gates: Gates(),
            actions: [
                { await store.value.change { $0.autoUpload = .random() } },
                { await store.value.change { $0.framesPerSecond = .random(in: 1...60) } },
                { store.value.update { $0.speechEnabled = .random() } },
                {
                    store.value.update {
                        $0.videoResolution = VideoResolution.allCases.randomElement() ?? .vga
                    }
                },
                { await store.value.change { $0.lastCameraSource = .random() ? .local : .veepaWiFi } },
                { disk.isFull.withLock { $0 = .random() } },
            ]
        )
        for _ in 0..<4 {
            await overlap.round(40)
            disk.isFull.withLock { $0 = false }
            let settings = store.value
            await settings.change { $0.framesPerSecond = $0.framesPerSecond % 60 + 1 }
            #expect(settings.failure.value == nil)
            let relaunched = SettingsStore(disk)
            #expect(relaunched.current.value == settings.current.value)
            let writes = disk.writes.withLock(\.self)
            await settings.change { _ in }
            #expect(disk.writes.withLock(\.self) == writes, "what is kept is not written again")
            store.set(relaunched)
        }
    }
}
