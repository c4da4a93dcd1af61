import Concurrency
import Glibc
import Lens
import QRCode
import Services
import SimulatedDevice
import TestSupport
import Testing
import VeepaCamera

/// Pictures are searched for the label beside the setup, which goes on answering.
///
/// On real threads: a simulation has one.
@Suite("Reading of a label", .timeLimit(.minutes(10)))
struct LabelReadingTests {
    /// A reader that takes its time with each picture, until it is let go.
    private final class SlowReader: BarcodeReader {
        let read = CurrentValue<[Int]>([])
        let mayGoOn = CurrentValue(0)
        let wasStuck = CurrentValue(false)

        func read(_ frame: VideoFrame) throws(BarcodeError) -> [BarcodePayload] {
            let turn = read.update { numbers in
                numbers.append(frame.sequence)
                return numbers.count
            }
            let end = ContinuousClock.now + .seconds(20)
            while mayGoOn.value < turn {
                guard ContinuousClock.now < end else {
                    wasStuck.set(true)
                    break
                }
                usleep(500)
            }
            return []
        }
    }

    @Test
    func
        `while a picture is read the setup answers, and of the pictures that come meanwhile the newest is read next`()
        async throws
    {
        let (reader, frames) = (SlowReader(), FrameQueue(limit: 1))
        var codes = CameraCodes(reader: reader, maker: QRCodeMaker(), pairing: VeepaPairing())
        codes.reader = reader
        var times = CameraSetupTimes()
        times.look = .zero
        let setup = CameraSetup(
            CameraSetupParts(
                openPictures: { frames },
                closePictures: {},
                codes: codes,
                engine: DeviceEngine { () async throws(CameraError) in throw .deviceNotFound },
                connect: { (_, _) async throws(CameraError) in }
            ),
            times: times
        )
        func show(_ number: Int) {
            frames.add(VideoFrame(sequence: number, timestamp: .zero, size: nil, content: .jpeg([])))
        }
        show(1)
        await setup.start()
        for await numbers in reader.read.values() where numbers == [1] { break }
        // The reader is at work, and would be for 20 seconds.
        #expect(await setup.code(0) == nil)
        for number in 2...9 { show(number) }
        #expect(!reader.wasStuck.value)
        reader.mayGoOn.set(1)
        for await numbers in reader.read.values() where numbers.count == 2 { break }
        #expect(reader.read.value == [1, 9])
        reader.mayGoOn.set(2)
        await setup.cancel()
        #expect(setup.state.value == CameraSetupState() && !reader.wasStuck.value)
    }
}
