import Glibc
import PeerKit

/// A living room: window, clock, shelves, sofa with a cat or dog, lamp and a table with the frame's number.
struct Room: SceneArt {
    let look: SceneLook

    init(_ look: SceneLook) { self.look = look }

    private static let floor = 508.0
    private static let wood = Paint(0x6B4632)

    func paintBackdrop(_ painter: Painter, _ backdrop: SceneBackdrop) {
        paintWalls(painter)
        paintWindow(painter)
        paintMiddleShelf(painter)
        let corner = SceneNote.corner(in: .room)
        painter.note(look.note, x: corner.x, y: corner.y, isSharp: !backdrop.isFocusNear)
        paintClock(painter)
        paintBookcase(painter)
        paintRug(painter)
        paintSofa(painter)
        paintLamp(painter, isOn: backdrop.isChanged)
        paintTable(painter)
    }

    private func paintWalls(_ painter: Painter) {
        let view = painter.view
        let (left, width) = (view.left - 2, view.right - view.left + 4)
        painter.rectangle(left, view.top - 2, width, 62 - view.top, look.wall.lighter(0.12))
        painter.gradient(
            Box(left, 60, width, Self.floor - 60),
            look.wall.lighter(0.12),
            look.wall.darker(0.07)
        )
        let boards = Paint(0xB5855A)
        painter.rectangle(left, Self.floor, width, view.bottom - Self.floor + 2, boards)
        var y = Self.floor
        for (row, height) in [26.0, 38, 54, 76, 108, 150, 210].enumerated() {
            painter.rectangle(left, y, width, 1.6, boards.darker(0.16))
            for joint in 0..<3 {
                let x = Double(joint) * 470 + Double((row * 197) % 430)
                painter.rectangle(x, y, 1.8, height, boards.darker(0.16))
            }
            y += height
        }
        // Light of the window on the floor.
        painter.polygon(
            [(150, Self.floor + 20), (400, Self.floor + 20), (520, 672), (206, 672)],
            Paint(0xFF_E9B8),
            opacity: 0.22
        )
        painter.rectangle(left, Self.floor - 15, width, 15, Paint(0xF6F1E7))
        painter.rectangle(left, Self.floor - 1.5, width, 3, Paint(0x8C6242))
    }

    private func paintWindow(_ painter: Painter) {
        let (x, y, width, height) = (112.0, 92.0, 296.0, 228.0)
        painter.rectangle(x - 12, y - 12, width + 24, height + 24, Paint(0xFBF9F4), radius: 3)
        painter.gradient(Box(x, y, width, height), look.sky.upper, look.sky.lower)
        painter.ellipse(x + 232, y + 52, 24, 24, Paint(0xFF_F3C9))
        let hill = look.sky.hill
        painter.polygon(
            [(x, y + 190), (x + 84, y + 118), (x + 170, y + 190), (x + 170, y + 228), (x, y + 228)],
            hill.lighter(0.22)
        )
        painter.polygon(
            [
                (x + 112, y + 190), (x + 216, y + 104), (x + width, y + 176), (x + width, y + 228),
                (x + 112, y + 228),
            ],
            hill.lighter(0.12)
        )
        painter.polygon(
            [(x, y + 206), (x + 120, y + 168), (x + width, y + 200), (x + width, y + 228), (x, y + 228)],
            hill
        )
        painter.rectangle(x + width / 2 - 4, y, 8, height, Paint(0xFBF9F4))
        painter.rectangle(x - 26, y + height + 10, width + 52, 13, Paint(0xF1ECE1), radius: 3)
        painter.rectangle(x - 26, y + height + 21, width + 52, 3, look.wall.darker(0.2))
        // A pot on the sill.
        painter.polygon([(150, 300), (186, 300), (181, 331), (155, 331)], Paint(0xCF7350))
        for (lean, tall) in [(-15.0, 38.0), (-5, 52), (6, 48), (16, 34)] {
            painter.stroke(168, 302, 168 + lean, 302 - tall, width: 7, Paint(0x4B8455))
        }
        paintCurtains(painter)
    }

    private func paintCurtains(_ painter: Painter) {
        let paint = look.curtain.paint
        for (left, width) in [(58.0, 66.0), (396.0, 66.0)] {
            painter.rectangle(left, 80, width, 290, paint, radius: 4)
            for fold in 0..<3 {
                painter.rectangle(left + 11 + Double(fold) * 19, 84, 7, 284, paint.darker(0.13), radius: 3)
            }
            painter.rectangle(left - 1, 262, width + 2, 12, paint.darker(0.28), radius: 4)
        }
        painter.stroke(44, 78, 476, 78, width: 9, Self.wood)
        for x in [40.0, 480] { painter.ellipse(x, 78, 9, 9, Self.wood.darker(0.15)) }
    }

    private func paintMiddleShelf(_ painter: Painter) {
        let board = 282.0
        var numbers = SeededNumbers(seed: look.details)
        paintBooks(painter, from: 530, to: 690, above: board, &numbers)
        // A picture that leans at the wall.
        painter.rectangle(702, board - 68, 62, 68, Paint(0x4A3A30))
        painter.rectangle(708, board - 62, 50, 56, Paint(0xF4EFE2))
        painter.polygon([(712, board - 12), (733, board - 44), (754, board - 12)], look.sofa.paint)
        painter.ellipse(742, board - 48, 6, 6, look.curtain.paint)
        painter.rectangle(514, board, 268, 10, Self.wood, radius: 2)
        painter.rectangle(514, board + 8, 268, 3, Self.wood.darker(0.3))
    }

    private func paintBooks(
        _ painter: Painter,
        from left: Double,
        to right: Double,
        above board: Double,
        _ numbers: inout SeededNumbers
    ) {
        let covers = [0x3F6A8A, 0xA8473F, 0x5D8A5E, 0xD9A648, 0x7C6478, 0xE8DCC4, 0x35505E].map { Paint($0) }
        var x = left
        while x < right - 14 {
            let width = Double(Int.random(in: 12...21, using: &numbers))
            let height = Double(Int.random(in: 48...76, using: &numbers))
            let cover = covers[Int.random(in: covers.indices, using: &numbers)]
            painter.rectangle(x, board - height, width, height, cover, radius: 1.5)
            painter.rectangle(x, board - height + 9, width, 4, cover.mixed(with: Paint(0xF2DFA8), 0.55))
            x += width + 1
        }
    }

    private func paintClock(_ painter: Painter) {
        let (x, y) = RoomClock.center
        painter.ellipse(x + 2, y + 5, 66, 66, look.wall.darker(0.16))
        painter.ellipse(x, y, 64, 64, Paint(0x3B302C))
        painter.ellipse(x, y, 57, 57, Paint(0xFDFBF5))
        for hour in 0..<12 {
            let (across, down) = RoomClock.direction(Double(hour) / 12)
            let long = hour.isMultiple(of: 3) ? 38.0 : 44
            painter.stroke(
                x + across * long,
                y + down * long,
                x + across * 50,
                y + down * 50,
                width: hour.isMultiple(of: 3) ? 5 : 3,
                Paint(0x3B302C)
            )
        }
    }

    private func paintBookcase(_ painter: Painter) {
        var numbers = SeededNumbers(seed: look.details &+ 1)
        for board in [178.0, 302] {
            let right = board == 178 ? 1_190.0 : 1_120
            paintBooks(painter, from: 972, to: right, above: board, &numbers)
            painter.rectangle(952, board, 288, 11, Self.wood, radius: 2)
            painter.rectangle(952, board + 9, 288, 3, Self.wood.darker(0.3))
        }
        paintPlant(painter, x: 1_180, y: 302)
    }

    private func paintPlant(_ painter: Painter, x: Double, y: Double) {
        for index in 0..<9 {
            let angle = Double(index - 4) / 4.6
            let (toX, toY) = (x + 62 * sin(angle), y - 52 - 66 * cos(angle))
            painter.stroke(x, y - 50, toX, toY, width: 4, Paint(0x2E6A45))
            painter.ellipse(toX, toY, 17, 13, index.isMultiple(of: 2) ? Paint(0x3F8A57) : Paint(0x357A4C))
        }
        painter.polygon([(x - 32, y - 56), (x + 32, y - 56), (x + 24, y), (x - 24, y)], Paint(0xC9653F))
        painter.rectangle(x - 35, y - 60, 70, 13, Paint(0xD87A54), radius: 3)
    }

    private func paintRug(_ painter: Painter) {
        let paint = look.curtain.paint
        painter.ellipse(640, 626, 330, 66, Paint(0xD8C3A0))
        painter.ellipse(640, 626, 300, 58, paint)
        painter.ellipse(640, 626, 262, 49, Paint(0xEADBBE))
        painter.ellipse(640, 626, 150, 27, paint.lighter(0.45))
    }

    private func paintSofa(_ painter: Painter) {
        let paint = look.sofa.paint
        painter.ellipse(680, 566, 236, 16, Paint(0x3A2418), opacity: 0.3)
        for x in [490.0, 852] { painter.rectangle(x, 536, 16, 30, Paint(0x3B2A22)) }
        painter.rectangle(476, 330, 408, 190, paint.darker(0.22), radius: 34)
        painter.rectangle(476, 326, 408, 100, paint.darker(0.1), radius: 30)
        painter.rectangle(680, 336, 2.5, 90, paint.darker(0.3))
        painter.rectangle(500, 420, 360, 84, paint.lighter(0.06), radius: 14)
        painter.rectangle(500, 458, 360, 46, paint, radius: 10)
        painter.rectangle(679, 424, 3, 78, paint.darker(0.25))
        painter.rectangle(494, 500, 372, 40, paint.darker(0.2), radius: 6)
        for x in [446.0, 854] {
            painter.rectangle(x, 388, 62, 152, paint.darker(0.17), radius: 28)
            painter.rectangle(x + 6, 392, 50, 40, paint.darker(0.04), radius: 20)
        }
        painter.rectangle(772, 356, 78, 74, look.curtain.paint.lighter(0.3), radius: 16)
        painter.rectangle(784, 368, 54, 50, look.curtain.paint.lighter(0.45), radius: 10)
    }

    private func paintLamp(_ painter: Painter, isOn: Bool) {
        let x = 955.0
        if isOn {
            painter.ellipse(x, 566, 150, 24, Paint(0xFF_E39A), opacity: 0.25)
            for part in 1...3 {
                let size = Double(part) * 44
                painter.ellipse(x, 296, size + 16, size, Paint(0xFF_EDB0), opacity: 0.16)
            }
        }
        painter.ellipse(x, 564, 44, 10, Paint(0x2F2825))
        painter.rectangle(x - 4, 320, 8, 244, Paint(0x3B332F))
        let shade = isOn ? Paint(0xFFE791) : Paint(0xB9A98A)
        painter.polygon([(x - 30, 262), (x + 30, 262), (x + 52, 332), (x - 52, 332)], shade)
        painter.polygon(
            [(x - 30, 262), (x - 16, 262), (x - 30, 332), (x - 52, 332)],
            isOn ? shade.lighter(0.4) : shade.lighter(0.15)
        )
        painter.rectangle(x - 53, 328, 106, 5, shade.darker(0.18), radius: 2)
    }

    private func paintTable(_ painter: Painter) {
        let top = Paint(0xC79765)
        painter.ellipse(1_130, 602, 124, 13, Paint(0x3A2418), opacity: 0.25)
        for x in [1_032.0, 1_214] { painter.rectangle(x, 486, 13, 116, top.darker(0.28)) }
        painter.rectangle(1_008, 474, 244, 16, top, radius: 5)
        painter.rectangle(1_010, 486, 240, 5, top.darker(0.2), radius: 2)
        painter.rectangle(1_044, 414, 176, 60, Paint(0x23211F), radius: 9)
        painter.rectangle(1_052, 421, 160, 46, Paint(0x12201C), radius: 5)
    }
}
