"""Byte strings as Python 2 has them, for the converted cases: text whose characters are the bytes."""

import binascii as _binascii

from autobahn.websocket.utf8validator import Utf8Validator as _Utf8Validator


def to_bytes(text):
    return text if isinstance(text, bytes) else text.encode("latin-1")


def to_text(data):
    return data.decode("latin-1")


class binascii:
    @staticmethod
    def b2a_hex(text):
        return to_text(_binascii.b2a_hex(to_bytes(text)))

    @staticmethod
    def a2b_hex(text):
        return to_text(_binascii.a2b_hex(to_bytes(text)))


class Utf8Validator:
    def __init__(self):
        self._validator = _Utf8Validator()

    def reset(self):
        self._validator.reset()

    def validate(self, text):
        return self._validator.validate(to_bytes(text))
