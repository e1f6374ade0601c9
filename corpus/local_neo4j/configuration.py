"""neo4j.conf and the JVM's flags, from the settings: bound to loopback, and nothing on that is not needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_OPENED: Final = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch", "java.base/java.util.concurrent")
"""Parts of Java that Neo4j reaches into; its own launcher opens them too."""


_FIRST: Final = "256m"
"""What the heap begins with: a small corpus never needs more than twice this."""


_ONE: Final = 60
_ALL: Final = 65
"""Percent of the heap that one transaction, and all at once, may take: more is refused. Publishing 200,000 papers takes 58 of 3g
(seen: 8.9 kB a paper, as the server counts it); with 70 for all a heap of 512m held, and was busy with nothing but finding room."""
_BYTES: Final = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


@dataclass(frozen=True, slots=True)
class Configuration:
    """How a local server runs."""

    heap: str = "3g"
    """What the Java heap may grow to."""
    page_cache: str = "512m"
    bolt_port: int = 7687
    http_port: int = 0
    """0: no HTTP."""

    def text(self) -> str:
        """The content of neo4j.conf."""
        http = self.http_port > 0
        lines = {
            "server.default_listen_address": "127.0.0.1",
            "server.bolt.enabled": "true",
            "server.bolt.listen_address": f"127.0.0.1:{self.bolt_port}",
            "server.bolt.advertised_address": f"127.0.0.1:{self.bolt_port}",
            # With these the driver takes a server that has been silent for 10 s for gone.
            "server.bolt.connection_keep_alive": "5s",
            "server.bolt.connection_keep_alive_for_requests": "ALL",
            "server.bolt.connection_keep_alive_probes": "2",
            # The databases are closed before Bolt is: without these it waits 10 s for nobody.
            "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
            "internal.dbms.bolt.netty_server_shutdown_timeout": "1s",
            "server.http.enabled": str(http).lower(),
            "server.https.enabled": "false",
            "dbms.security.auth_enabled": "true",
            "dbms.security.allow_csv_import_from_file_urls": "false",
            "dbms.usage_report.enabled": "false",
            "client.allow_telemetry": "false",  # what Neo4j Browser is told when it connects
            "server.memory.pagecache.size": self.page_cache,
            "db.tx_log.rotation.retention_policy": "keep_none",
            "db.tx_log.preallocate": "false",
            # The limit for who brings none; every query of ours brings its own.
            "db.transaction.timeout": "60s",
            "db.lock.acquisition.timeout": "5s",
            "db.memory.transaction.max": self.share(_ONE),
            "dbms.memory.transaction.total.max": self.share(_ALL),
            # Procedures of plugins; the server's own are always there.
            "dbms.security.procedures.allowlist": "",
            "server.jvm.additional": "-Dlog4j2.disable.jmx=true",
        }
        if http:
            lines["server.http.listen_address"] = f"127.0.0.1:{self.http_port}"
            lines["server.http.advertised_address"] = f"127.0.0.1:{self.http_port}"
        head = "# Written by `paperatlas neo4j start` each time; change the settings [neo4j] instead (docs/neo4j.md).\n"
        return head + "".join(f"{key}={value}\n" for key, value in lines.items())

    def share(self, percent: int) -> str:
        """A part of the heap, in whole MiB as Neo4j reads them; 0 would mean without limit."""
        number, unit = self.heap[:-1], self.heap[-1].lower()
        size = int(number) * _BYTES[unit] if unit in _BYTES else int(self.heap)
        return f"{max(size * percent // 100 // _BYTES['m'], 1)}m"

    def flags(self) -> list[str]:
        """What Java is told. Heap and opened parts in neo4j.conf are for Neo4j's launcher, which is not used here."""
        flags = [f"-Xms{_FIRST}", f"-Xmx{self.heap}", "-XX:+UseParallelGC", "-XX:-OmitStackTraceInFastThrow"]
        flags += ["-Dlog4j2.disable.jmx=true", "-Dio.netty.tryReflectionSetAccessible=true"]
        return [*flags, *(f"--add-opens={part}=ALL-UNNAMED" for part in _OPENED), "--enable-native-access=ALL-UNNAMED"]
