#!/usr/bin/env python3
"""Hosts on one machine: runs a command under mpirun, each rank in a network namespace of its own, over
links with a delay and a rate.

    sudo bench/namespaces.py --ranks 4 --rate 1e9 --delay 1e-4 -- build/orthant fit ... -o run

Each namespace has a tunnel device; this program is the switch between them. It holds every packet
back until it would have arrived: the sender's link takes bits / rate for it, one packet after the
other, and then comes the delay. (The kernel's own netem does the same where it is built in.) Hosts
and switch run at real-time priority, the switch above the hosts, which poll while they wait: else
it would wait for them. Needs root, Open MPI and iproute2."""
import argparse
import ctypes
import fcntl
import heapq
import os
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
MTU = 65000  # as clusters have it; packets are few enough for a switch in Python
NETWORK = "10.77.0."


def run(*words):
    subprocess.run(words, check=True)


def name_of(host):
    return f"orthant{host}"


def open_tunnel(host):
    """A tunnel device in the host's namespace; this process holds its other end."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net") as home, open(f"/run/netns/{name_of(host)}") as there:
        if libc.setns(there.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "cannot enter a network namespace")
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"wire", IFF_TUN | IFF_NO_PI))
        if libc.setns(home.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "cannot come back from a network namespace")
    return device


def make_host(host):
    space = name_of(host)
    run("ip", "netns", "add", space)
    device = open_tunnel(host)
    for words in (["addr", "add", f"{NETWORK}{host}/24", "dev", "wire"],
                  ["link", "set", "dev", "wire", "mtu", str(MTU), "txqueuelen", "10000", "up"],
                  ["link", "set", "dev", "lo", "up"]):
        run("ip", "-n", space, *words)
    return device


class Switch(threading.Thread):
    """Takes packets from all hosts and gives them to the host they are for, when they are due."""

    def __init__(self, devices, rate, delay):
        super().__init__(daemon=True)
        self.devices, self.rate, self.delay = devices, rate, delay  # devices: host -> file

    def run(self):
        # a switch does not wait for a processor that the hosts keep busy while they wait for it
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
        due = []  # (time, number, host, packet)
        free = dict.fromkeys(self.devices, 0.0)  # when a sender's link is free again
        number = 0
        hosts = {device: host for host, device in self.devices.items()}
        while True:
            wait = max(0, due[0][0] - time.monotonic()) if due else None
            for device in select.select(list(hosts), [], [], wait)[0]:
                try:
                    while True:
                        packet = os.read(device, MTU + 64)
                        sender, to = hosts[device], packet[19]
                        if packet[0] >> 4 != 4 or to not in self.devices:
                            continue
                        now = time.monotonic()
                        free[sender] = max(free[sender], now) + 8 * len(packet) / self.rate
                        number += 1
                        heapq.heappush(due, (free[sender] + self.delay, number, to, packet))
                except BlockingIOError:
                    pass
            now = time.monotonic()
            while due and due[0][0] <= now:
                _, _, to, packet = heapq.heappop(due)
                try:
                    os.write(self.devices[to], packet)
                except OSError:
                    pass  # a full queue drops it, as a switch does


def agent_script(folder):
    """What mpirun starts its daemons with, in place of ssh."""
    path = os.path.join(folder, "agent")
    with open(path, "w") as file:
        # hosts have temporary folders of their own, too
        file.write(f'#!/bin/sh\nhost=$1\nshift\nexport TMPDIR="{folder}/$host"\nmkdir -p "$TMPDIR"\n'
                   'exec ip netns exec "orthant${host##*.}" sh -c "$*"\n')
    os.chmod(path, 0o755)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1e9, help="of a link, bits per second")
    parser.add_argument("--delay", type=float, default=1e-4, help="of a link, seconds one way")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    if os.geteuid() or not shutil.which("mpirun") or not shutil.which("ip"):
        sys.exit("namespaces.py: needs root, Open MPI (mpirun) and iproute2 (ip)")
    hosts = range(1, given.ranks + 1)
    devices = {}
    folder = tempfile.mkdtemp()
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))  # the hosts', before other work of the machine
        for host in hosts:
            devices[host] = make_host(host)
        Switch(devices, given.rate, given.delay).start()
        words = ["ip", "netns", "exec", name_of(1), "mpirun", "--allow-run-as-root", "-n", str(given.ranks),
                 "--host", ",".join(f"{NETWORK}{host}" for host in hosts),
                 "--mca", "plm_rsh_agent", agent_script(folder), "--mca", "btl", "tcp,self",
                 "--mca", "btl_tcp_if_include", "wire", "--mca", "oob_tcp_if_include", "wire",
                 "--mca", "mpi_yield_when_idle", "1", *given.command]
        return subprocess.run(words).returncode
    finally:
        shutil.rmtree(folder)
        for host, device in devices.items():
            os.close(device)
        for host in hosts:
            subprocess.run(["ip", "netns", "del", name_of(host)], stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
