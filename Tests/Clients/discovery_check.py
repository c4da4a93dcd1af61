"""avahi, zeroconf and lenssim on one network of three hosts, each a network namespace.

Usage: discovery_check.py LENSSIM PACKAGE [--corpus]. `scripts/discovery` runs it in namespaces of its own.
Exits with 1 at the first check that fails.
"""

import atexit
import json
import os
import pathlib
import queue
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

lenssim, package = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
TYPE = "_argusai._tcp"
BUS = "unix:path=/run/dbus/system_bus_socket"
GROUP, PORT = "224.0.0.251", 5353
AVAHI_CONFIGURATION = """
[server]
host-name=avahihub
use-ipv4=yes
use-ipv6=yes
allow-interfaces=eth0
enable-dbus=yes
[publish]
publish-hinfo=no
publish-workstation=no
"""
DBUS_CONFIGURATION = """
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=/run/dbus/system_bus_socket</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_type="method_call"/><allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/><allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/><allow receive_type="method_return"/>
    <allow receive_type="error"/><allow receive_type="signal"/>
  </policy>
</busconfig>
"""
running = []


def check(what, holds, seen=""):
    if not holds:
        print(f"FAILED: {what}: {seen}", file=sys.stderr)
        sys.exit(1)
    print(f"ok: {what}", flush=True)


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


class Program:
    """A program in a namespace, whose lines are read as they come."""

    def __init__(self, namespace, *words, environment=None):
        self.lines = []
        self.arrived = queue.Queue()
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", namespace, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
            env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": BUS, **(environment or {})},
        )
        running.append(self)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            self.arrived.put(line)

    def line(self, is_right, seconds=20):
        """The first line that is right, waited for; it is taken, and others stay."""
        end = time.monotonic() + seconds
        while True:
            for index, line in enumerate(list(self.lines)):
                if is_right(line):
                    del self.lines[index]
                    return line
            rest = end - time.monotonic()
            if rest <= 0:
                return None
            try:
                self.arrived.get(timeout=min(rest, 0.5))
            except queue.Empty:
                pass

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def stop(self, number=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=20)


def stop_all():
    for program in running:
        if program.process.poll() is None:
            program.process.kill()


atexit.register(stop_all)


# The network: a bridge, and three hosts.


def make_network():
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    for folder in ["netns", "dbus", "avahi-daemon"]:
        os.makedirs(f"/run/{folder}")
    run("ip", "link", "add", "bridge0", "type", "bridge", "mcast_snooping", "0")
    run("ip", "link", "set", "bridge0", "up")
    for number, name in enumerate(["lenssim", "avahi", "python"], 1):
        run("ip", "netns", "add", name)
        run("ip", "link", "add", f"v{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", f"v{number}", "master", "bridge0", "up")
        inside = ["ip", "-n", name]
        run(*inside, "link", "set", "lo", "up")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "address", "add", f"10.77.0.{number}/24", "dev", "eth0")
        run(*inside, "address", "add", f"fd77::{number}/64", "dev", "eth0", "nodad")
    # Link-local addresses are used only once nobody else turns out to have them.
    for _ in range(100):
        text = subprocess.run(["ip", "netns", "exec", "avahi", "ip", "-6", "address"], capture_output=True, text=True)
        if "tentative" not in text.stdout:
            break
        time.sleep(0.1)


class Packets:
    """All that is said, read from the bridge."""

    def __init__(self):
        self.seen = {}
        everything = 0x0003
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(everything))
        self.socket.bind(("bridge0", 0))
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            frame = self.socket.recv(65_535)
            if frame[12:14] == b"\x08\x00" and frame[23] == 17:
                start = 14 + (frame[14] & 15) * 4
                sender = frame[29]
            elif frame[12:14] == b"\x86\xdd" and frame[20] == 17:
                start, sender = 54, 6
            else:
                continue
            ports = struct.unpack("!HH", frame[start : start + 4])
            if PORT in ports:
                self.seen.setdefault(frame[start + 8 :], sender)

    def keep(self, folder):
        """Those that differ in what they hold; names tell who said them over IPv4."""
        who = {1: "lenssim", 2: "avahi", 3: "zeroconf", 6: "ipv6"}
        kinds = {}
        for bytes_, sender in self.seen.items():
            if len(bytes_) < 12:
                continue
            kind = (sender, bytes_[2] >> 7, bytes_[4:12])
            kinds.setdefault(kind, bytes_)
        folder.mkdir(parents=True, exist_ok=True)
        for (sender, is_response, counts), bytes_ in sorted(kinds.items()):
            counts = "-".join(str(count) for count in struct.unpack("!4H", counts))
            name = f"{who.get(sender, 'other')}-{'response' if is_response else 'query'}-{counts}"
            (folder / name).write_bytes(bytes_)
        return len(kinds)


def start_avahi():
    pathlib.Path("/run/bus.conf").write_text(DBUS_CONFIGURATION)
    pathlib.Path("/run/avahi.conf").write_text(AVAHI_CONFIGURATION)
    Program("avahi", "dbus-daemon", "--nofork", "--config-file=/run/bus.conf")
    while not os.path.exists("/run/dbus/system_bus_socket"):
        time.sleep(0.05)
    daemon = Program("avahi", "avahi-daemon", "--no-chroot", "--no-rlimits", "--no-drop-root", "-f", "/run/avahi.conf")
    check("avahi starts", daemon.line(lambda line: "Server startup complete" in line), daemon.lines)


ZEROCONF = '''
import json, socket, sys
from zeroconf import IPVersion, ServiceBrowser, ServiceInfo, Zeroconf
kind = "_argusai._tcp.local."
conf = Zeroconf(ip_version=IPVersion.All, interfaces=["10.77.0.3", "fd77::3"])
known = {}
def say(**what):
    # One write: two threads say something.
    sys.stdout.write(json.dumps(what) + "\\n")
    sys.stdout.flush()
def changed(zeroconf, service_type, name, state_change):
    word = state_change.name
    if word != "Removed":
        info = zeroconf.get_service_info(service_type, name, 5000)
        if info is None:
            return say(change="unresolved", name=name)
        texts = {k.decode(): (v or b"").decode() for k, v in info.properties.items()}
        return say(change=word, name=name, port=info.port, addresses=sorted(info.parsed_addresses()), texts=texts)
    say(change=word, name=name)
browser = ServiceBrowser(conf, kind, handlers=[changed])
say(change="ready")
for line in sys.stdin:
    word, name, port = line.rstrip().split("|")
    if word == "publish":
        info = ServiceInfo(kind, f"{name}.{kind}", port=int(port), properties={"id": "z" + port},
                           addresses=[socket.inet_aton("10.77.0.3")], server="zeroconfhub.local.")
        conf.register_service(info, allow_name_change=True)
        known[name] = info
        say(published=info.name)
    else:
        conf.unregister_service(known.pop(name))
        say(withdrawn=name)
'''


# The checks.


def browses(browser, change, name, seconds=20):
    line = browser.line(
        lambda line: line.startswith("{") and (lambda said: said["change"] == change and said["name"] == name)(json.loads(line)),
        seconds,
    )
    return json.loads(line) if line else None


def reaches(browser, found, addresses):
    """Whether all addresses are among the ways, at first or after a change: avahi says those of each version in packets of their own."""
    while found and not addresses <= {way["address"] for way in found["ways"]}:
        found = browses(browser, "changed", found["name"])
    return found is not None


def we_find(browser, zeroconf):
    # What avahi publishes: found, resolved, lost, found again.
    for port in [8001, 8002]:
        avahi = Program("avahi", "avahi-publish", "-s", "Living. Room ü", TYPE, str(port), "id=a1", "flag", "empty=")
        found = browses(browser, "found", "Living. Room ü")
        check(f"lenssim finds what avahi publishes at {port}", found, browser.lines)
        check("with its host", found["host"] == "avahihub.local", found)
        check("with its attributes", found["attributes"] == {"id": "a1", "flag": "", "empty": ""}, found)
        addresses = {way["address"] for way in found["ways"]}
        check("on the interface, with the port", {(way["interface"], way["port"]) for way in found["ways"]} == {("eth0", port)}, found)
        check("with addresses of both versions", reaches(browser, found, {"10.77.0.2", "fd77::2"}), browser.lines)
        avahi.stop()
        check("and loses it when avahi withdraws it", browses(browser, "gone", "Living. Room ü"), browser.lines)
    # The same of zeroconf.
    for port in [8003, 8004]:
        zeroconf.say(f"publish|Python Hub|{port}")
        found = browses(browser, "found", "Python Hub")
        check(f"lenssim finds what zeroconf publishes at {port}", found, browser.lines)
        check("with all it says", found["attributes"] == {"id": f"z{port}"} and found["host"] == "zeroconfhub.local", found)
        check("with its address", reaches(browser, found, {"10.77.0.3"}), found)
        zeroconf.say(f"withdraw|Python Hub|{port}")
        check("and loses it when zeroconf withdraws it", browses(browser, "gone", "Python Hub"), browser.lines)
    # One that was there before.
    avahi = Program("avahi", "avahi-publish", "-s", "Early", TYPE, "8005")
    check("avahi publishes", avahi.line(lambda line: "Established" in line), avahi.lines)
    once = Program("lenssim", lenssim, "browse", TYPE, "--json", "--seconds", "3")
    check("lenssim finds what was there before it asked", browses(once, "found", "Early", 3), once.lines)
    check("and ends in time", once.process.wait(timeout=10) == 0, once.lines)
    avahi.stop()
    none = Program("lenssim", lenssim, "browse", "_nothing._udp", "--seconds", "2")
    check("lenssim ends with 66 where nothing is found", none.process.wait(timeout=10) == 66, none.lines)
    browses(browser, "gone", "Early")


def advertise(name, port, *words):
    program = Program("lenssim", lenssim, "advertise", name, TYPE, str(port), "--host", "lenshub", "--json", *words)
    line = program.line(lambda line: '"published"' in line)
    check(f"lenssim publishes {name}", line, program.lines)
    return program, json.loads(line)["name"]


def they_find(zeroconf):
    watching = Program("avahi", "avahi-browse", "-rp", TYPE)
    ours, _ = advertise("Küche. 2", 8010, "--txt", "id=l1", "--txt", "bare")
    resolved = watching.line(lambda line: line.startswith("=;eth0;IPv4;") and ";8010;" in line)
    check("avahi resolves what lenssim publishes", resolved, watching.lines)
    check("with its host, address and attributes", all(word in resolved for word in ["lenshub.local", ";10.77.0.1;", '"id=l1"', '"bare"']), resolved)
    resolved = watching.line(lambda line: line.startswith("=;eth0;IPv6;") and ";8010;" in line)
    check("over IPv6 too", resolved, watching.lines)
    full = f"Küche. 2.{TYPE}.local."
    said = zeroconf.line(lambda line: '"Added"' in line and json.loads(line)["name"] == full)
    check("zeroconf resolves what lenssim publishes", said, zeroconf.lines)
    said = json.loads(said)
    check("with port and attributes", said["port"] == 8010 and said["texts"] == {"id": "l1", "bare": ""}, said)
    check("with addresses of both versions", {"10.77.0.1", "fd77::1"} <= set(said["addresses"]), said)
    answer = ask_as_resolver()
    check("an ordinary resolver gets an answer", answer is not None, answer)
    check("with its number and a short lifetime", answer == (77, 10), answer)
    code = ours.stop()
    check("lenssim ends with 130 at Ctrl-C", code == 130, code)
    check("avahi loses it", watching.line(lambda line: line.startswith("-;eth0;IPv4;")), watching.lines)
    check("zeroconf loses it", zeroconf.line(lambda line: '"Removed"' in line and full in json.loads(line)["name"]), zeroconf.lines)
    ours, _ = advertise("Küche. 2", 8011)
    check("avahi finds it again", watching.line(lambda line: line.startswith("=;eth0;IPv4;") and ";8011;" in line), watching.lines)
    # An address that changes is announced.
    run("ip", "-n", "lenssim", "address", "add", "10.77.0.101/24", "dev", "eth0")
    run("ip", "-n", "lenssim", "address", "del", "10.77.0.1/24", "dev", "eth0")
    run("ip", "-n", "lenssim", "address", "replace", "10.77.0.101/24", "dev", "eth0")
    time.sleep(6)
    text = subprocess.run(
        ["ip", "netns", "exec", "avahi", "avahi-resolve", "-4", "-n", "lenshub.local"],
        capture_output=True, text=True, timeout=10, env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": BUS},
    )
    check("avahi learns a new address", "10.77.0.101" in text.stdout, text)
    run("ip", "-n", "lenssim", "address", "add", "10.77.0.1/24", "dev", "eth0")
    run("ip", "-n", "lenssim", "address", "del", "10.77.0.101/24", "dev", "eth0")
    run("ip", "-n", "lenssim", "address", "replace", "10.77.0.1/24", "dev", "eth0")
    ours.stop()
    watching.stop()


def ask_as_resolver():
    """Asks from another port, as a resolver that knows nothing of multicast DNS; gives the answer's number and lifetime."""
    code = (
        "import socket,struct,sys\n"
        "s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM);s.settimeout(5)\n"
        "s.setsockopt(socket.IPPROTO_IP,socket.IP_MULTICAST_IF,socket.inet_aton('10.77.0.3'))\n"
        "q=struct.pack('!6H',77,0,1,0,0,0)+b'\\x07lenshub\\x05local\\x00'+struct.pack('!2H',1,1)\n"
        f"s.sendto(q,('{GROUP}',{PORT}))\n"
        "a=s.recv(9000)\n"
        "place=12+15+4\n"
        "print(struct.unpack('!H',a[:2])[0],struct.unpack('!I',a[place+6:place+10])[0])\n"
    )
    run_ = subprocess.run(["ip", "netns", "exec", "python", sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
    words = run_.stdout.split()
    return (int(words[0]), int(words[1])) if len(words) == 2 else None


def conflicts(browser, zeroconf):
    avahi = Program("avahi", "avahi-publish", "-s", "Same", TYPE, "8020")
    check("avahi has the name", avahi.line(lambda line: "Established under name 'Same'" in line), avahi.lines)
    ours, name = advertise("Same", 8021)
    check("lenssim gives way to avahi", name == "Same (2)", name)
    zeroconf.say("publish|Same|8022")
    line = zeroconf.line(lambda line: '"published": "Same' in line)
    check("zeroconf gives way to avahi", line and json.loads(line)["published"].startswith("Same-2."), zeroconf.lines)
    for name in ["Same", "Same (2)", "Same-2"]:
        check(f"{name} is found", browses(browser, "found", name), browser.lines)
    for program in [avahi, ours]:
        program.stop()
    zeroconf.say("withdraw|Same|8022")
    for name in ["Same", "Same (2)", "Same-2"]:
        check(f"{name} is lost", browses(browser, "gone", name), browser.lines)
    ours, name = advertise("Mine", 8030)
    check("lenssim has the name", name == "Mine", name)
    avahi = Program("avahi", "avahi-publish", "-s", "Mine", TYPE, "8031")
    check("avahi gives way to lenssim", avahi.line(lambda line: "Established under name 'Mine #2'" in line), avahi.lines)
    zeroconf.say("publish|Mine|8032")
    line = zeroconf.line(lambda line: '"published": "Mine' in line)
    check("zeroconf gives way to lenssim", line and json.loads(line)["published"].startswith("Mine-2."), zeroconf.lines)
    check("lenssim keeps it", not any("published" in line for line in ours.lines), ours.lines)
    zeroconf.say("withdraw|Mine|8032")
    for program in [avahi, ours]:
        program.stop()


def beside_avahi():
    """lenssim and avahi share the port on one host."""
    ours = Program("avahi", lenssim, "advertise", "Shared", TYPE, "8040", "--json")
    check("lenssim publishes beside avahi on one host", ours.line(lambda line: '"published"' in line), ours.lines)
    browser = Program("avahi", lenssim, "browse", TYPE, "--json")
    check("lenssim finds beside avahi", browses(browser, "found", "Shared"), browser.lines)
    far, _ = advertise("Far", 8041)
    check("and finds what is elsewhere", browses(browser, "found", "Far"), browser.lines)
    watching = Program("avahi", "avahi-browse", "-rp", TYPE)
    check("avahi finds it on its own host", watching.line(lambda line: line.startswith("=;eth0;IPv4;Shared;")), watching.lines)
    for program in [far, ours, browser, watching]:
        program.stop()


make_network()
packets = Packets()
start_avahi()
python = Program("python", sys.executable, "-u", "-c", ZEROCONF)
check("zeroconf starts", python.line(lambda line: "ready" in line), python.lines)
ours = Program("lenssim", lenssim, "browse", TYPE, "--json")
we_find(ours, python)
they_find(python)
conflicts(ours, python)
beside_avahi()
folder = package / ("Fixtures/Corpora/mdns-messages" if "--corpus" in sys.argv else ".build/discovery-packets")
print(f"{packets.keep(folder)} kinds of packets in {folder}")
