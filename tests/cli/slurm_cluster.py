"""A Slurm cluster of two nodes on this computer: its own keys, ports, folders and daemons; no systemd, nothing outside its folder."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time

NODES = ("node1", "node2")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo")


def missing():
    """Programs that are not installed; empty: a cluster can be started."""
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    return [p for p in PROGRAMS if shutil.which(p, path=path) is None]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            return dict(entry.split(b"=", 1) for entry in f.read().split(b"\0") if b"=" in entry)
    except OSError:
        return {}  # gone, or not ours


def parent_of(pid):
    """Id and name of the parent; (0, '') where the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            parent = int(f.read().rsplit(")", 1)[1].split()[1])
        with open(f"/proc/{parent}/comm", encoding="utf-8") as f:
            return parent, f.read().strip()
    except OSError:
        return 0, ""


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.daemons = {}
        self.config = os.path.join(folder, "slurm.conf")
        self.env = {"SLURM_CONF": self.config, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self):
        os.chmod(self.folder, 0o755)  # munge wants a socket that everybody can reach
        os.mkdir(self.path("state"))
        with open(os.open(self.path("munge.key"), os.O_CREAT | os.O_WRONLY, 0o600), "wb") as f:
            f.write(os.urandom(128))
        self.write_config()
        self.spawn("munged", "munged", "--foreground", "--force", *(
            f"--{name}-file={self.path('munge.' + name)}" for name in ("key", "pid", "log", "seed")), f"--socket={self.path('munge.socket')}")
        self.until(lambda: os.path.exists(self.path("munge.socket")), "munged")
        self.spawn("slurmctld", "slurmctld", "-D", "-f", self.config)
        for node in NODES:
            self.start_node(node)
        self.until(lambda: self.states() == {node: "idle" for node in NODES}, "two idle nodes")

    def write_config(self):
        user, host = pwd.getpwuid(os.getuid()).pw_name, socket.gethostname().split(".")[0]
        controller, *ports = free_ports(1 + len(NODES))
        lines = [
            "ClusterName=ivp", f"SlurmctldHost={host}(127.0.0.1)", f"SlurmctldPort={controller}",
            "AuthType=auth/munge", f"AuthInfo=socket={self.path('munge.socket')}", f"SlurmUser={user}", f"SlurmdUser={user}",
            f"StateSaveLocation={self.path('state')}", f"SlurmdSpoolDir={self.path('spool-%n')}",
            f"SlurmctldPidFile={self.path('slurmctld.pid')}", f"SlurmdPidFile={self.path('slurmd-%n.pid')}",
            f"SlurmctldLogFile={self.path('slurmctld.log')}", f"SlurmdLogFile={self.path('slurmd-%n.log')}",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MpiDefault=none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core", "SlurmdParameters=config_overrides",
            "JobAcctGatherType=jobacct_gather/none", "AccountingStorageType=accounting_storage/none",
            "SchedulerParameters=sched_interval=1", "SlurmdTimeout=5", "ReturnToService=2",
        ]
        lines += [f"NodeName={n} NodeHostname={host} NodeAddr=127.0.0.1 Port={p} CPUs=1" for n, p in zip(NODES, ports)]
        lines += ["PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"]
        with open(self.config, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")

    def spawn(self, name, *command):
        with open(self.path(name + ".out"), "ab") as log:
            self.daemons[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **self.env},
                                                  start_new_session=True)

    def start_node(self, node):
        self.spawn(node, "slurmd", "-D", "-N", node, "-f", self.config)

    def ask(self, *command):
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, **self.env}, timeout=60, check=False).stdout

    def states(self):
        return dict(line.split() for line in self.ask("sinfo", "--Node", "--noheader", "--format=%N %t").splitlines() if len(line.split()) == 2)

    def until(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"no {what} after {seconds} s\n{self.told()}")
            time.sleep(0.2)

    def told(self):
        """The ends of all logs."""
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".out", ".log")):
                with open(self.path(name), encoding="utf-8", errors="replace") as f:
                    text += f"---- {name}\n" + "".join(f.readlines()[-8:])
        return text

    def processes_of(self, node):
        """What jobs of this cluster run on the node, and the daemons that look after them."""
        found = set()
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            env = environment_of(pid)
            if env.get(b"SLURMD_NODENAME") == node.encode() and env.get(b"SLURM_CONF") == self.config.encode():
                found.add(pid)
                parent, name = parent_of(pid)
                if name == "slurmstepd":
                    found.add(parent)
        return found

    def kill_node(self, node):
        """As if its power went off."""
        daemon = self.daemons.pop(node)
        daemon.kill()
        daemon.wait()
        for pid in self.processes_of(node):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def stop(self):
        for node in NODES:
            if node in self.daemons:
                self.kill_node(node)
        for daemon in self.daemons.values():
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
