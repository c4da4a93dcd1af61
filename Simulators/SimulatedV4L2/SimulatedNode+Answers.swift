import CV4L2
import Glibc
import PeerKit
import Services

extension SimulatedNode {
    func describe(_ capability: inout v4l2_capability) -> Int32 {
        capability = v4l2_capability()
        put("simulated", into: &capability.driver)
        put(camera.card, into: &capability.card)
        put("simulated:0", into: &capability.bus_info)
        capability.device_caps =
            UInt32(V4L2_CAP_STREAMING)
            | UInt32(camera.isCapture ? V4L2_CAP_VIDEO_CAPTURE : V4L2_CAP_META_CAPTURE)
        // The whole device has more than this node.
        capability.capabilities =
            capability.device_caps | UInt32(V4L2_CAP_VIDEO_CAPTURE) | CV4L2_CAP_DEVICE_CAPS
        return 0
    }

    func list(_ entry: inout v4l2_fmtdesc) -> Int32 {
        guard camera.isCapture, Int(entry.index) < camera.formats.count else { return EINVAL }
        let format = camera.formats[Int(entry.index)]
        entry.pixelformat = Self.code(format.code)
        put(format.code, into: &entry.description)
        return 0
    }

    func list(_ entry: inout v4l2_frmsizeenum) -> Int32 {
        guard let format = format(entry.pixel_format), Int(entry.index) < format.sizes.count else {
            return EINVAL
        }
        let size = format.sizes[Int(entry.index)]
        entry.type = V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
        entry.discrete = v4l2_frmsize_discrete(width: UInt32(size.width), height: UInt32(size.height))
        return 0
    }

    func list(_ entry: inout v4l2_frmivalenum) -> Int32 {
        guard let format = format(entry.pixel_format),
            format.sizes.contains(PixelSize(width: Int(entry.width), height: Int(entry.height)))
        else { return EINVAL }
        if let range = format.rateRange {
            guard entry.index == 0 else { return EINVAL }
            entry.type = V4L2_FRMIVAL_TYPE_CONTINUOUS.rawValue
            entry.stepwise = v4l2_frmival_stepwise(
                min: v4l2_fract(numerator: 1, denominator: range.upperBound),
                max: v4l2_fract(numerator: 1, denominator: range.lowerBound),
                step: v4l2_fract(numerator: 1, denominator: 1)
            )
            return 0
        }
        guard Int(entry.index) < format.rates.count else { return EINVAL }
        entry.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
        entry.discrete = v4l2_fract(numerator: 1, denominator: format.rates[Int(entry.index)])
        return 0
    }

    func list(_ query: inout v4l2_queryctrl) -> Int32 {
        guard query.id & CV4L2_NEXT_CONTROL != 0 else { return EINVAL }
        let last = query.id & ~CV4L2_NEXT_CONTROL
        let later = camera.controls.filter { $0.id > last }
        guard let control = later.min(by: { $0.id < $1.id }) else { return EINVAL }
        query = v4l2_queryctrl()
        query.id = control.id
        query.type = V4L2_CTRL_TYPE_INTEGER.rawValue
        put(control.name, into: &query.name)
        (query.minimum, query.maximum) = (control.range.lowerBound, control.range.upperBound)
        (query.step, query.default_value) = (1, control.usual)
        return 0
    }

    func get(_ value: inout v4l2_control) -> Int32 {
        guard let control = camera.controls.first(where: { $0.id == value.id }) else { return EINVAL }
        value.value = values[value.id] ?? control.usual
        return 0
    }

    mutating func set(_ value: inout v4l2_control) -> Int32 {
        guard let control = camera.controls.first(where: { $0.id == value.id }) else { return EINVAL }
        guard control.range.contains(value.value) else { return ERANGE }
        values[value.id] = value.value
        return 0
    }

    func get(_ parameters: inout v4l2_streamparm) -> Int32 {
        unsafe parameters.parm.capture = v4l2_captureparm()
        unsafe parameters.parm.capture.capability = UInt32(V4L2_CAP_TIMEPERFRAME)
        unsafe parameters.parm.capture.timeperframe = v4l2_fract(numerator: 1, denominator: rate)
        return 0
    }

    mutating func set(_ parameters: inout v4l2_streamparm) -> Int32 {
        let asked = unsafe parameters.parm.capture.timeperframe
        let chosen = camera.formats.first { Self.code($0.code) == format.code }
        if asked.numerator > 0, asked.denominator > 0 {
            let wanted = Double(asked.denominator) / Double(asked.numerator)
            if let range = chosen?.rateRange {
                rate = UInt32(min(max(wanted.rounded(), Double(range.lowerBound)), Double(range.upperBound)))
                return get(&parameters)
            }
            rate = chosen?.rates.min { abs(Double($0) - wanted) < abs(Double($1) - wanted) } ?? rate
        } else {
            rate = chosen?.usualRate ?? rate
        }
        return get(&parameters)
    }

    mutating func set(_ asked: inout v4l2_format, _ faults: PeerFaults) -> Int32 {
        guard let first = camera.formats.first else { return EINVAL }
        var pix = unsafe asked.fmt.pix
        let chosen = format(pix.pixelformat) ?? first
        let wanted = PixelSize(width: Int(pix.width), height: Int(pix.height))
        func distance(_ size: PixelSize) -> Int {
            abs(size.width - wanted.width) + abs(size.height - wanted.height)
        }
        var size = chosen.sizes.min { distance($0) < distance($1) } ?? wanted
        if faults.strike(V4L2FaultPoints.otherFormat) != nil {
            size = PixelSize(width: size.width / 2, height: size.height / 2)
        }
        format = (Self.code(chosen.code), size)
        pix.pixelformat = format.code
        (pix.width, pix.height) = (UInt32(size.width), UInt32(size.height))
        pix.field = V4L2_FIELD_NONE.rawValue
        pix.bytesperline = UInt32(rowBytes)
        pix.sizeimage = UInt32(imageBytes)
        pix.colorspace = V4L2_COLORSPACE_SRGB.rawValue
        if let fault = faults.strike(V4L2FaultPoints.wrongRows) {
            pix.bytesperline = UInt32(fault.integer("bytes"))
        }
        unsafe asked.fmt.pix = pix
        return 0
    }

    private func format(_ code: UInt32) -> SimulatedVideoCamera.Format? {
        camera.formats.first { Self.code($0.code) == code }
    }
}

/// Writes text and a zero into an array of C, as far as it has room.
private func put<Bytes>(_ text: String, into bytes: inout Bytes) {
    unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
        for index in bytes.indices { unsafe bytes[index] = 0 }
        for (index, byte) in text.utf8.prefix(bytes.count - 1).enumerated() { unsafe bytes[index] = byte }
    }
}
