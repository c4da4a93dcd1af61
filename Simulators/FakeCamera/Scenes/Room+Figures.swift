import Glibc

/// Where the clock of the room hangs, and what its hands do.
enum RoomClock {
    static let center = (x: 868.0, y: 150.0)

    /// The direction of a hand that has gone round so far, 0…1 from the top.
    static func direction(_ turn: Double) -> (across: Double, down: Double) {
        (sin(turn * 2 * .pi), -cos(turn * 2 * .pi))
    }

    /// What the second hand covers, seen from the clock's middle.
    static func reach(ofSecond second: Int) -> Box {
        let (across, down) = direction(Double(second) / 60)
        let (left, right) = (min(-6, across * -12, across * 48), max(6, across * -12, across * 48))
        let (top, bottom) = (min(-6, down * -12, down * 48), max(6, down * -12, down * 48))
        return Box(left, top, right - left, bottom - top)
    }
}

extension Room {
    /// The seconds since midnight that the clock shows.
    static func clock(_ look: SceneLook, at moment: SceneMoment) -> Int {
        (look.clockStart + moment.time / 1_000) % 86_400
    }

    func figures(at moment: SceneMoment, number: Int) -> [Figure] {
        var figures = [cloud(moment)] + hands(moment) + digits(number)
        if let box = moment.box(of: .petSleeps) { figures.append(Figure(.sleepingPet, box)) }
        if let box = moment.box(of: .petWalks) {
            figures.append(Figure(.walkingPet, box, number: moment.step, isMirrored: !moment.goesRight))
        }
        if let box = moment.box(of: .ballBounces) {
            figures.append(Figure(.ball, box, number: moment.time / 60 % 12))
        }
        return figures
    }

    func paint(_ form: Figure.Form, _ painter: Painter) {
        switch form.name {
        case .cloud: paintCloud(painter)
        case .hands: paintHands(painter, minutes: form.number)
        case .secondHand: paintSecondHand(painter, second: form.number)
        case .digit: painter.writeSegments(form.number, x: 2, y: 1, width: 18, Paint(0x6FE0B4))
        case .ball: paintBall(painter, turn: form.number)
        case .sleepingPet: paintSleepingPet(painter)
        case .walkingPet: paintWalkingPet(painter, step: form.number, isMirrored: form.isMirrored)
        default: break
        }
    }

    private func cloud(_ moment: SceneMoment) -> Figure {
        // It stays within the left pane, and goes to and fro.
        let phase = moment.time / 100 % 1_200
        let x = 118 + Double(phase < 600 ? phase : 1_200 - phase) / 600 * 62
        return Figure(.cloud, Box(x, 116, 72, 30))
    }

    private func paintCloud(_ painter: Painter) {
        painter.ellipse(36, 19, 34, 9, Paint(0xFFFFFF))
        painter.ellipse(26, 13, 16, 10, Paint(0xFFFFFF))
        painter.ellipse(46, 14, 14, 9, Paint(0xFFFFFF))
    }

    private func hands(_ moment: SceneMoment) -> [Figure] {
        let time = Self.clock(look, at: moment)
        let center = RoomClock.center
        let reach = RoomClock.reach(ofSecond: time % 60)
        return [
            Figure(.hands, Box(center.x - 46, center.y - 46, 92, 92), number: time / 60),
            Figure(
                .secondHand,
                Box(center.x + reach.x, center.y + reach.y, reach.width, reach.height),
                number: time % 60
            ),
        ]
    }

    private func paintHands(_ painter: Painter, minutes: Int) {
        for (turn, length, width) in [(Double(minutes) / 720, 28.0, 7.0), (Double(minutes) / 60, 41, 5)] {
            let (across, down) = RoomClock.direction(turn)
            painter.stroke(
                46 - across * 9,
                46 - down * 9,
                46 + across * length,
                46 + down * length,
                width: width,
                Paint(0x2B2320)
            )
        }
    }

    private func paintSecondHand(_ painter: Painter, second: Int) {
        let reach = RoomClock.reach(ofSecond: second)
        let (across, down) = RoomClock.direction(Double(second) / 60)
        let red = Paint(0xC9413A)
        painter.stroke(
            -reach.x - across * 10,
            -reach.y - down * 10,
            -reach.x + across * 46,
            -reach.y + down * 46,
            width: 2,
            red
        )
        painter.ellipse(-reach.x, -reach.y, 5, 5, red)
    }

    private func digits(_ number: Int) -> [Figure] {
        var rest = number
        return (0..<5).reversed().map { place in
            let digit = rest % 10
            rest /= 10
            return Figure(.digit, Box(1_062 + Double(place) * 29, 426, 22, 38), number: digit)
        }
    }

    private func paintBall(_ painter: Painter, turn: Int) {
        let paint = look.ball.paint
        painter.ellipse(26, 26, 25, 25, paint)
        let (across, down) = RoomClock.direction(Double(turn) / 12)
        painter.stroke(
            26 - across * 17,
            26 - down * 17,
            26 + across * 17,
            26 + down * 17,
            width: 6,
            Paint(0xFFF6E8)
        )
        painter.ellipse(18, 15, 6, 5, paint.lighter(0.5))
    }

    private func paintSleepingPet(_ painter: Painter) {
        let fur = look.fur.paint
        painter.ellipse(68, 38, 56, 21, fur)
        painter.ellipse(76, 30, 40, 20, fur)
        painter.stroke(116, 44, 74, 56, width: 11, fur.darker(0.12))
        painter.ellipse(28, 36, 23, 18, fur)
        if look.isDog {
            painter.ellipse(40, 34, 9, 16, fur.darker(0.3))
            painter.ellipse(9, 42, 5, 4, Paint(0x1F1A1A))
        } else {
            painter.polygon([(11, 28), (14, 8), (27, 21)], fur)
            painter.polygon([(29, 21), (42, 8), (45, 28)], fur)
            painter.ellipse(9, 41, 3, 2.5, Paint(0xD98A8A))
        }
        painter.stroke(16, 36, 23, 37, width: 2, Paint(0xF2E6C8))
        painter.stroke(32, 37, 39, 36, width: 2, Paint(0xF2E6C8))
    }

    private func paintWalkingPet(_ painter: Painter, step: Int, isMirrored: Bool) {
        var painter = painter
        painter.isMirrored = isMirrored
        let fur = look.fur.paint
        let swing = sin(Double(step) / 8 * 2 * .pi)
        let lift = abs(cos(Double(step) / 8 * 2 * .pi)) * 3
        // Far legs, tail, body, near legs, head.
        for (x, sign) in [(52.0, -1.0), (112, 1)] {
            painter.stroke(x, 70, x + sign * swing * 13, 104, width: 11, fur.darker(0.28))
        }
        painter.stroke(40, 56 - lift, 20, 40 - lift, width: 10, fur)
        painter.stroke(20, 40 - lift, 12 + swing * 3, 12 - lift + 4, width: 9, fur)
        painter.ellipse(82, 62 - lift, 50, 23, fur)
        painter.ellipse(48, 62 - lift, 22, 22, fur)
        painter.ellipse(82, 72 - lift, 38, 11, fur.lighter(0.14))
        for (x, sign) in [(46.0, 1.0), (118, -1)] {
            painter.stroke(x, 70 - lift, x + sign * swing * 13, 104, width: 12, fur)
            painter.ellipse(x + sign * swing * 13 + 3, 105, 9, 5.5, fur.lighter(0.18))
        }
        paintHead(painter, fur, lift)
    }

    private func paintHead(_ painter: Painter, _ fur: Paint, _ lift: Double) {
        let y = 42 - lift
        painter.stroke(118, 56 - lift, 136, y + 4, width: 26, fur)
        painter.ellipse(138, y, 24, 21, fur)
        if look.isDog {
            painter.ellipse(155, y + 7, 15, 10, fur.lighter(0.16))
            painter.ellipse(166, y + 4, 5, 4, Paint(0x1F1A1A))
            painter.ellipse(124, y + 4, 9, 17, fur.darker(0.32))
        } else {
            painter.polygon([(119, y - 10), (123, y - 33), (138, y - 17)], fur)
            painter.polygon([(139, y - 17), (154, y - 33), (158, y - 10)], fur)
            painter.polygon([(124, y - 15), (126, y - 26), (133, y - 18)], Paint(0xD98A8A))
            painter.ellipse(157, y + 8, 4, 3, Paint(0xD98A8A))
        }
        for x in [135.0, 150] {
            painter.ellipse(x, y - 2, 5, 5.5, Paint(0xF6DE7A))
            painter.ellipse(x + 1, y - 2, 2.2, 4, Paint(0x1F1A1A))
        }
        painter.stroke(120, y + 20, 134, y + 24, width: 5, look.curtain.paint)
    }
}
