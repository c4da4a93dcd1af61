import JPEG
import Services
import Testing

@testable import PhotoEditing

@Suite("Crops and filters")
struct EditTests {
    private let photo = Photo(pixels: numbered(20, 10))

    @Test func `a crop of the whole is the photo`() {
        #expect(photo.edited(PhotoEdit()).pixels.contents == photo.pixels.contents)
    }

    @Test func `a crop keeps the pixels that it covers`() {
        let part = photo.edited(PhotoEdit(crop: PhotoCrop(left: 0.25, top: 0.5, width: 0.5, height: 0.3)))
        #expect(part.size == PixelSize(width: 10, height: 3))
        for (x, y) in [(0, 0), (9, 0), (4, 1), (0, 2), (9, 2)] {
            #expect(part.pixels.pixel(x, y) == photo.pixels.pixel(x + 5, y + 5))
        }
    }

    @Test func `a crop in two steps is a crop in one`() {
        let twice = photo.edited(PhotoEdit(crop: PhotoCrop(left: 0.5, top: 0, width: 0.5, height: 1)))
            .edited(PhotoEdit(crop: PhotoCrop(left: 0.2, top: 0, width: 0.5, height: 0.5)))
        let once = photo.edited(PhotoEdit(crop: PhotoCrop(left: 0.6, top: 0, width: 0.25, height: 0.5)))
        #expect(twice.pixels.contents == once.pixels.contents && twice.size == once.size)
    }

    @Test(
        "a crop beyond the photo is cut off at its sides, and keeps a pixel at least",
        arguments: [
            (PhotoCrop(left: -1, top: -1, width: 9, height: 9), (0..<20, 0..<10)),
            (PhotoCrop(left: 0.5, top: 0.5, width: 9, height: .infinity), (10..<20, 5..<10)),
            (PhotoCrop(left: 3, top: 3, width: 1, height: 1), (19..<20, 9..<10)),
            (PhotoCrop(left: 0.5, top: 0.5, width: 0, height: -1), (10..<11, 5..<6)),
            (PhotoCrop(left: -3, top: 0, width: 1, height: 0.01), (0..<1, 0..<1)),
            (PhotoCrop(left: .nan, top: -.infinity, width: 1, height: .infinity), (0..<20, 0..<10)),
        ]
    )
    func clamped(_ crop: PhotoCrop, _ expected: (Range<Int>, Range<Int>)) {
        let (columns, rows) = crop.pixels(in: photo.size)
        #expect(columns == expected.0 && rows == expected.1)
        let size = photo.edited(PhotoEdit(crop: crop)).size
        #expect(size == PixelSize(width: columns.count, height: rows.count))
    }

    @Test(arguments: PhotoFilter.allCases) func `a filter keeps the size`(_ filter: PhotoFilter) {
        #expect(photo.edited(PhotoEdit(filter: filter)).size == photo.size)
    }

    @Test func `each filter changes colours as its name says`() {
        func filtered(_ filter: PhotoFilter, _ colour: (UInt8, UInt8, UInt8)) -> [UInt8] {
            Photo(pixels: picture(1, 1) { _, _ in colour }).edited(PhotoEdit(filter: filter)).pixels.contents
        }
        #expect(filtered(.original, (10, 20, 30)) == [10, 20, 30])
        #expect(filtered(.mono, (255, 0, 0)) == [77, 77, 77])
        #expect(filtered(.mono, (0, 255, 0)) == [149, 149, 149])
        #expect(filtered(.sepia, (100, 100, 100)) == [135, 120, 94])
        #expect(filtered(.sepia, (255, 255, 255)) == [255, 255, 240])
        #expect(filtered(.vivid, (200, 100, 50)) == [230, 90, 20])
        #expect(filtered(.warm, (100, 100, 100)) == [110, 100, 90])
        #expect(filtered(.cool, (100, 100, 100)) == [90, 100, 110])
        for grey in UInt8.min...UInt8.max {
            #expect(filtered(.mono, (grey, grey, grey)) == [grey, grey, grey])
            #expect(filtered(.vivid, (grey, grey, grey)) == [grey, grey, grey])
        }
    }

    @Test func `black and white stay so when they are made so again`() {
        let once = photo.edited(PhotoEdit(filter: .mono))
        #expect(once.edited(PhotoEdit(filter: .mono)).pixels.contents == once.pixels.contents)
        #expect(once.edited(PhotoEdit(filter: .vivid)).pixels.contents == once.pixels.contents)
    }

    @Test(
        "a photo is fitted into a square with its aspect, and never enlarged",
        arguments: [
            ((40, 20), (16, 8)), ((20, 40), (8, 16)), ((16, 16), (16, 16)), ((17, 16), (16, 15)),
            ((16, 17), (15, 16)), ((8, 3), (8, 3)), ((200, 1), (16, 1)), ((1, 1), (1, 1)),
        ]
    )
    func fitted(_ from: (Int, Int), _ to: (Int, Int)) {
        let original = Photo(pixels: numbered(from.0, from.1))
        let fitted = original.fitted(within: 16)
        #expect(fitted.size == PixelSize(width: to.0, height: to.1))
        if from == to { #expect(fitted.pixels.contents == original.pixels.contents) }
    }
}
