"""Rewrites the files of this folder: python3 make_fixtures.py (needs numpy 2 and Pillow 13)."""
import ctypes
import ctypes.util
import io
import struct
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

HERE = Path(__file__).parent


def photograph(width, height, seed):
    """A picture with the 1/f spectrum of photographs, edges, and smooth parts."""
    rng = np.random.default_rng(seed)

    def cloud(slope):
        fy, fx = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None, :]
        radius = np.hypot(fx, fy)
        radius[0, 0] = 1
        waves = (rng.normal(size=radius.shape) + 1j * rng.normal(size=radius.shape)) / radius**slope
        field = np.fft.irfft2(waves, (height, width))
        return (field - field.mean()) / field.std()

    luma = 120 + 40 * cloud(1.3)
    pixels = np.stack([luma + 25 * cloud(1.8) for _ in range(3)], -1).clip(0, 255).astype(np.uint8)
    image = Image.fromarray(pixels)
    draw = ImageDraw.Draw(image)
    for _ in range(6):
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        fill = tuple(int(value) for value in rng.integers(0, 255, 3))
        draw.ellipse([x, y, x + width // 6, y + height // 6], fill=fill)
    return image


def jpeg(image, **options):
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    return out.getvalue()


def sampled(width, height, sampling):
    """A coloured gradient with a chroma subsampling that Pillow does not offer (`enum TJSAMP` in turbojpeg.h)."""
    turbo = ctypes.CDLL(ctypes.util.find_library("turbojpeg"))
    turbo.tjInitCompress.restype = ctypes.c_void_p
    pixels = bytes(
        value
        for y in range(height)
        for x in range(width)
        for value in (x * 255 // (width - 1), y * 255 // (height - 1), 255 - x * 255 // (width - 1))
    )
    handle = ctypes.c_void_p(turbo.tjInitCompress())
    file, size = ctypes.c_void_p(), ctypes.c_ulong()
    rgb, quality, accurate = 0, 90, 4096
    status = turbo.tjCompress2(
        handle, pixels, width, 0, height, rgb, ctypes.byref(file), ctypes.byref(size), sampling, quality, accurate
    )
    if status != 0:
        raise OSError("TurboJPEG refuses the picture")
    return ctypes.string_at(file, size.value)


def avi(pictures, width, height, sizes_known=True):
    """A RIFF AVI file with one Motion-JPEG stream; without sizes, as a recorder leaves it that lost power."""

    def chunk(name, body):
        return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)

    def listing(name, body):
        return chunk(b"LIST", name + body)

    main = struct.pack("<14I", 33333, 0, 0, 0x10, len(pictures), 0, 1, 0, width, height, 0, 0, 0, 0)
    stream = b"vidsMJPG" + struct.pack("<IHHIIIIIIII4H", 0, 0, 0, 0, 1, 30, 0, len(pictures), 0, 0, 0, 0, 0, width, height)
    bitmap = struct.pack("<IiiHH4sIiiII", 40, width, height, 1, 24, b"MJPG", 0, 0, 0, 0, 0)
    header = listing(b"hdrl", chunk(b"avih", main) + listing(b"strl", chunk(b"strh", stream) + chunk(b"strf", bitmap)))
    junk = chunk(b"JUNK", b"\0" * 12)
    movie = listing(b"movi", b"".join(chunk(b"00dc", picture) for picture in pictures))
    if not sizes_known:
        movie = b"LIST" + struct.pack("<I", 0) + movie[8:]
    riff = chunk(b"RIFF", b"AVI " + header + junk + movie)
    return riff if sizes_known else b"RIFF" + struct.pack("<I", 0) + riff[8:]


def main():
    folder = HERE / "folder"
    folder.mkdir(exist_ok=True)
    files = {
        "photo-2.jpg": jpeg(photograph(320, 240, 2), quality=80, subsampling="4:2:0"),
        "photo-10.jpg": jpeg(photograph(241, 161, 10), quality=85, subsampling="4:4:4"),
        "photo-9.jpeg": jpeg(photograph(200, 150, 9), quality=75, subsampling="4:2:2"),
        "photo-11-progressive.JPG": jpeg(photograph(160, 120, 11), quality=75, progressive=True),
        "photo-12-grey.jpg": jpeg(photograph(128, 96, 12).convert("L"), quality=75),
        "broken-cmyk.jpg": jpeg(photograph(96, 64, 20).convert("CMYK"), quality=70),
        "broken-empty.jpg": b"",
        "broken-text.jpg": b"This is no picture, whatever its name says.\n",
        "broken-wide.jpg": jpeg(Image.new("RGB", (12000, 8), (90, 120, 60)), quality=50),
        "notes.txt": b"A file that is not a picture by its name either.\n",
    }
    whole = files["photo-2.jpg"]
    files["broken-truncated.jpg"] = whole[: len(whole) // 2]
    middle = len(whole) // 2
    files["broken-inside.jpg"] = whole[:middle] + b"\xff\xc0" * 8 + whole[middle + 400 :]
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (HERE / "chroma-440.jpg").write_bytes(sampled(96, 80, sampling=4))
    (HERE / "chroma-411.jpg").write_bytes(sampled(96, 80, sampling=5))
    clip = [jpeg(photograph(160, 120, 30 + index), quality=60) for index in range(4)]
    (HERE / "clip.mjpg").write_bytes(b"".join(clip))
    (HERE / "clip.avi").write_bytes(avi(clip, 160, 120))
    (HERE / "clip-unfinished.avi").write_bytes(avi(clip, 160, 120, sizes_known=False))


main()
