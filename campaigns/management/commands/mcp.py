"""Serve the archive to assistants over the Model Context Protocol."""

from __future__ import annotations

import os
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns import processes
from campaigns.mcp import server


class Command(BaseCommand):
    help = "Serve the archive to an assistant, read-only: over stdio with NOTARIUS_MCP_TOKEN, or with --http."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--http", action="store_true", help="streamable HTTP at /mcp instead of stdio")
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8010)

    def handle(self, *, http: bool, host: str, port: int, **options: Any) -> None:
        if http:
            self._serve_http(host, port)
        else:
            self._serve_stdio()

    def _serve_stdio(self) -> None:
        token = settings.MCP_TOKEN
        if not token:
            raise CommandError("NOTARIUS_MCP_TOKEN (or NOTARIUS_MCP_TOKEN_FILE) must hold an API token.")
        if not server.is_valid(token):
            raise CommandError("The token in NOTARIUS_MCP_TOKEN is not valid, or not any more.")
        server.serve_stdio(token)

    def _serve_http(self, host: str, port: int) -> None:
        if not 0 < port < 65_536:
            raise CommandError("--port takes a number from 1 to 65535.")
        if not processes.port_is_free(host, port):
            raise CommandError(f"Port {port} on {host} is in use or not allowed: choose another one with --port.")
        self.stderr.write(f"MCP at http://{host}:{port}/mcp, process {os.getpid()} (Ctrl-C stops it).")
        # No access log: it would hold addresses. Our own logging stays as it is set up.
        # Whose address counts is told by our own number of proxies, as for the website.
        uvicorn.run(
            server.http_app(),
            host=host,
            port=port,
            access_log=False,
            log_config=None,
            lifespan="on",
            proxy_headers=False,
        )
