#!/bin/sh
set -e

# An upgrade runs this after the new version is in place: what is there stays.
if [ ! -e '/opt/${sanitizedProductName}/headroom' ]; then
  rm -f /usr/bin/headroom
  profile='/etc/apparmor.d/${executable}'
  if [ -f "$profile" ]; then
    if command -v apparmor_parser >/dev/null; then apparmor_parser --remove "$profile" || true; fi
    rm -f "$profile"
  fi
fi
