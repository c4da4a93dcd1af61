import FakeCamera
import Foundation
import JPEG
import Services
import Testing

/// Each body runs in a process of its own, in which, once the stream is steady, no large allocation can succeed.
@Suite("JPEG memory", .timeLimit(.minutes(10)))
struct LiveJPEGMemoryTests {
    @Test("a steady stream of I420 frames allocates nothing of a frame's size")
    func planar() async {
        await #expect(processExitsWith: .success) {
            try steadyStream(.shapes(detail: 0.5), .i420, limit: 100_000)
        }
    }

    @Test("a steady stream of RGB frames allocates nothing of a frame's size")
    func rgb() async {
        await #expect(processExitsWith: .success) {
            try steadyStream(.shapes(detail: 0.5), .rgb, limit: 100_000)
        }
    }

    @Test("a steady stream of downscaled frames allocates nothing of a frame's size")
    func downscaled() async {
        await #expect(processExitsWith: .success) { try steadyStream(.noise, .i420, limit: 70_000) }
    }

    @Test("a single allocation of a frame's size would fail these tests")
    func sensitivity() async {
        await #expect(processExitsWith: .failure) {
            try steadyStream(.shapes(detail: 0.5), .i420, limit: 100_000, extra: allocate)
        }
    }
}

/// Allocates as much as `frame` takes.
private func allocate(_ frame: VideoFrame) {
    unsafe PixelBuffer(size: frame.pixels.size, layout: .i420).withMutableBytes { unsafe $0[0] = 1 }
}

/// Compresses frames until the stream is steady, forbids the process to grow, and compresses 20 more.
private func steadyStream(
    _ scene: FakeCamera.Scene,
    _ layout: PixelBuffer.Layout,
    limit: Int,
    extra: (VideoFrame) -> Void = { _ in }
) throws {
    try mapLargeAllocations()
    let camera = FakeCamera(.init(size: PixelSize(width: 960, height: 540), scene: scene, layout: layout))
    let ladder = try JPEGLadder(limit: limit)
    for number in 0..<5 {
        _ = try ladder.compress(camera.frame(number))
        extra(camera.frame(number))
    }
    let allocations = ladder.allocations
    // Room for small objects, for no frame (777,600 bytes) and no file.
    try setWritableMemory(to: writableMemory() + 32 << 10)
    for number in 5..<25 {
        extra(camera.frame(number))
        _ = try ladder.compress(camera.frame(number))
    }
    try setWritableMemory(to: .max)
    try #require(ladder.allocations == allocations)
}

/// Makes every `malloc` of 64 KB or more map fresh pages: less than any frame or file here, more than TurboJPEG's
/// working rows.
private func mapLargeAllocations() throws {
    // mallopt(3) is in <malloc.h>, which the Glibc module leaves out; -3 is M_MMAP_THRESHOLD.
    typealias Mallopt = @convention(c) (Int32, Int32) -> Int32
    let symbol = try unsafe #require(dlsym(nil, "mallopt"))
    let mallopt = unsafe unsafeBitCast(symbol, to: Mallopt.self)
    try #require(mallopt(-3, 64 << 10) == 1)
}

/// The process's private writable bytes, `VmData` in /proc/self/status in units of 1,024 (proc(5)).
private func writableMemory() throws -> UInt {
    let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmData:") })
    return try #require(UInt(line.filter(\.isNumber))) << 10
}

/// Limits what `malloc` can get by mmap, mprotect or brk (RLIMIT_DATA, getrlimit(2), since Linux 4.7).
private func setWritableMemory(to limit: UInt) throws {
    var limits = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)
    try #require(unsafe getrlimit(resource, &limits) == 0)
    limits.rlim_cur = min(limit, limits.rlim_max)
    try #require(unsafe setrlimit(resource, &limits) == 0)
}
